// The gradient by the output of the layer below: what came through h + A·h, A
// being symmetric, is added to what came through the embedding, and cleared where
// the ReLU was 0.
struct P { n: u32, d: u32, offsets: u32, neighbors: u32, column: u32, row: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> dSum: array<f32>;
@group(0) @binding(3) var<storage, read> nodes: array<f32>;
@group(0) @binding(4) var<storage, read_write> dNodes: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let e = (wid.x + wid.y * nwg.x) * 256u + t;
  if (e >= p.n * p.d) { return; }
  let i = e / p.d;
  let k = e % p.d;
  let at = i * p.row + p.column + k;
  var s = 0.0;
  if (nodes[at] > 0.0) {
    s = dNodes[at] + dSum[e];
    let hi = tables[p.offsets + i + 1u];
    for (var j = tables[p.offsets + i]; j < hi; j++) { s += dSum[tables[p.neighbors + j] * p.d + k]; }
  }
  dNodes[at] = s;
}
