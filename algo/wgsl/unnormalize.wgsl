// Carries the gradient g by the unit rows u back to the rows that
// normalize.wgsl got: d = (g − u·⟨u, g⟩)/length, or 0 for a row that counted as
// zero. One workgroup a row.
struct P { n: u32, width: u32, rows: u32, view: u32, groups: u32 }
const NONE = 0xffffffffu;
const SMALLEST = 1e-12;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> g: array<f32>;
@group(0) @binding(3) var<storage, read> u: array<f32>;
@group(0) @binding(4) var<storage, read> stats: array<f32>;
@group(0) @binding(5) var<storage, read_write> d: array<f32>;

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let r = wid.x + wid.y * nwg.x;
  if (r >= p.groups) { return; }
  var dst = r;
  if (p.rows != NONE) { dst = tables[p.rows + r]; }
  let base = r * p.width;
  var s = 0.0;
  for (var c = t; c < p.width; c += 64u) { s += g[base + c] * u[base + c]; }
  part[t] = s;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (t < half) { part[t] += part[t + half]; }
    workgroupBarrier();
  }
  let along = part[0];
  let norm = stats[r * 3u + p.view];
  for (var c = t; c < p.width; c += 64u) {
    var v = 0.0;
    if (norm >= SMALLEST) { v = (g[base + c] - u[base + c] * along) / norm; }
    d[dst * p.width + c] = v;
  }
}
