// sums = h + A·h, for layers too wide for layer.wgsl.
struct P { n: u32, width: u32, offsets: u32, neighbors: u32, src: u32, srcRow: u32, out: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> h: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let e = (wid.x + wid.y * nwg.x) * 256u + t;
  if (e >= p.n * p.width) { return; }
  let i = e / p.width;
  let k = e % p.width;
  var s = h[p.src + i * p.srcRow + k];
  let hi = tables[p.offsets + i + 1u];
  for (var j = tables[p.offsets + i]; j < hi; j++) { s += h[p.src + tables[p.neighbors + j] * p.srcRow + k]; }
  sums[p.out + e] = s;
}
