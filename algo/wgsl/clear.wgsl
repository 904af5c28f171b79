// Clears n values.
struct P { n: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let i = (wid.x + wid.y * nwg.x) * 256u + t;
  if (i < p.n) { x[i] = 0.0; }
}
