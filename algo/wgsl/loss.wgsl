// ℓ of each row, from the splits of its sums over the other view in both
// directions, whose totals take the place of the first split.
struct P { n: u32, splits: u32, inverse: f32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> stats: array<f32>;
@group(0) @binding(2) var<storage, read_write> rows: array<f32>;
@group(0) @binding(3) var<storage, read_write> cols: array<f32>;
@group(0) @binding(4) var<storage, read_write> loss: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let i = (wid.x + wid.y * nwg.x) * 256u + t;
  if (i >= p.n) { return; }
  var r = 0.0;
  var c = 0.0;
  for (var s = 0u; s < p.splits; s++) {
    r += rows[s * p.n + i];
    c += cols[s * p.n + i];
  }
  rows[i] = r;
  cols[i] = c;
  // Without any negative the loss is not defined; whoever reads it knows.
  var l = 0.0;
  if (r > 0.0 && c > 0.0) { l = 0.5 * (log(r) + log(c)) - stats[i * 3u + 2u] * p.inverse; }
  loss[i] = l;
}
