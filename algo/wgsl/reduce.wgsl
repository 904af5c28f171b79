// Adds the slabs of a weight gradient, out×(in+1) each with the bias in the last
// column, in order, and puts the sum where the layer has its weights and biases.
struct P { n: u32, width: u32, slabs: u32, w: u32, b: u32, add: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> part: array<f32>;
@group(0) @binding(2) var<storage, read_write> grad: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let i = (wid.x + wid.y * nwg.x) * 256u + t;
  if (i >= p.n) { return; }
  var sum = 0.0;
  for (var s = 0u; s < p.slabs; s++) { sum += part[s * p.n + i]; }
  let o = i / p.width;
  let j = i % p.width;
  var at = p.b + o;
  if (j + 1u < p.width) { at = p.w + o * (p.width - 1u) + j; }
  if (p.add != 0u) { sum += grad[at]; }
  grad[at] = sum;
}
