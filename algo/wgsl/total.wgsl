// out = Σ x_i·w_i, w being 1 where weights is NONE, added to out with add set. One
// workgroup.
struct P { n: u32, weights: u32, out: u32, add: u32 }
const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> inputs: array<f32>;
@group(0) @binding(3) var<storage, read_write> totals: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32) {
  var s = 0.0;
  for (var i = t; i < p.n; i += 256u) {
    var w = 1.0;
    if (p.weights != NONE) { w = inputs[p.weights + i]; }
    s += x[i] * w;
  }
  part[t] = s;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) {
    if (t < half) { part[t] += part[t + half]; }
    workgroupBarrier();
  }
  if (t == 0u) {
    var s = part[0];
    if (p.add != 0u) { s += totals[p.out]; }
    totals[p.out] = s;
  }
}
