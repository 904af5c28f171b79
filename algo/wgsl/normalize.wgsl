// Brings the rows of both views to length 1, and notes for each row its two
// lengths and the cosine between the views. Row r is row tables[rows+r] of the
// input, or row r where rows is NONE. One workgroup a row.
struct P { n: u32, width: u32, rows: u32, groups: u32 }
const NONE = 0xffffffffu;
// A row shorter than that counts as zero and has cosine 0 with everything.
const SMALLEST = 1e-12;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> zf: array<f32>;
@group(0) @binding(3) var<storage, read> zs: array<f32>;
@group(0) @binding(4) var<storage, read_write> uf: array<f32>;
@group(0) @binding(5) var<storage, read_write> us: array<f32>;
@group(0) @binding(6) var<storage, read_write> stats: array<f32>;

var<workgroup> part: array<vec3<f32>, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let r = wid.x + wid.y * nwg.x;
  if (r >= p.groups) { return; }
  var src = r;
  if (p.rows != NONE) { src = tables[p.rows + r]; }
  let base = src * p.width;
  var s = vec3<f32>();
  for (var c = t; c < p.width; c += 64u) {
    let f = zf[base + c];
    let g = zs[base + c];
    s += vec3<f32>(f * f, g * g, f * g);
  }
  part[t] = s;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (t < half) { part[t] += part[t + half]; }
    workgroupBarrier();
  }
  let sum = part[0];
  let nf = sqrt(sum.x);
  let ns = sqrt(sum.y);
  let inf = 1.0 / max(nf, SMALLEST);
  let ins = 1.0 / max(ns, SMALLEST);
  for (var c = t; c < p.width; c += 64u) {
    uf[r * p.width + c] = zf[base + c] * inf;
    us[r * p.width + c] = zs[base + c] * ins;
  }
  if (t == 0u) {
    stats[r * 3u] = nf;
    stats[r * 3u + 1u] = ns;
    stats[r * 3u + 2u] = sum.z * inf * ins;
  }
}
