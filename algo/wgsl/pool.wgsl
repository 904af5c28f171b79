// Row r of out is the sum of rows first[r] to first[r+1] of x.
struct P { rows: u32, width: u32, first: u32, outRow: u32, out: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let e = (wid.x + wid.y * nwg.x) * 256u + t;
  if (e >= p.rows * p.width) { return; }
  let r = e / p.width;
  let c = e % p.width;
  var s = 0.0;
  let hi = tables[p.first + r + 1u];
  for (var i = tables[p.first + r]; i < hi; i++) { s += x[i * p.width + c]; }
  sums[p.out + r * p.outRow + c] = s;
}
