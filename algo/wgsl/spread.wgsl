// A graph embedding is a sum, so its gradient reaches each node. What belongs to
// the last layer, from column top on, is cleared where its ReLU was 0.
struct P { n: u32, width: u32, top: u32, graphOf: u32, groups: u32 }

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> dGraph: array<f32>;
@group(0) @binding(3) var<storage, read> nodes: array<f32>;
@group(0) @binding(4) var<storage, read_write> dNodes: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let e = (wid.x + wid.y * nwg.x) * 256u + t;
  if (e >= p.n * p.width) { return; }
  let i = e / p.width;
  let c = e % p.width;
  var v = dNodes[e] + dGraph[tables[p.graphOf + i] * p.width + c];
  if (c >= p.top) {
    if (!(nodes[e] > 0.0)) { v = 0.0; }
  }
  dNodes[e] = v;
}
