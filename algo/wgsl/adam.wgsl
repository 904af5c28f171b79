// One step of Adam, see package adam.
struct P { n: u32, step: f32, root: f32, eps: f32, b1: f32, c1: f32, b2: f32, c2: f32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> grad: array<f32>;
@group(0) @binding(2) var<storage, read_write> params: array<f32>;
@group(0) @binding(3) var<storage, read_write> ms: array<f32>;
@group(0) @binding(4) var<storage, read_write> vs: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let i = (wid.x + wid.y * nwg.x) * 256u + t;
  if (i >= p.n) { return; }
  let g = grad[i];
  let m = p.b1 * ms[i] + p.c1 * g;
  let v = p.b2 * vs[i] + p.c2 * (g * g);
  ms[i] = m;
  vs[i] = v;
  params[i] -= p.step * (m / (sqrt(v) / p.root + p.eps));
}
