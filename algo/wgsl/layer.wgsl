// One fused layer: out = ReLU(W₂ ReLU(W₁ (h + A·h) + b₁) + b₂) for 32 nodes a
// workgroup, for widths up to 64. h is the block of columns before out in the
// node embeddings, or for the first layer the input.
struct P {
  n: u32, width: u32, d: u32, groups: u32,
  offsets: u32, neighbors: u32, src: u32, srcRow: u32,
  w1: u32, b1: u32, w2: u32, b2: u32,
  out: u32, outRow: u32, keep: u32, sum: u32,
  mid: u32, first: u32,
}

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<f32>;
@group(0) @binding(3) var<storage, read> params: array<f32>;
@group(0) @binding(4) var<storage, read_write> nodes: array<f32>;
@group(0) @binding(5) var<storage, read_write> sums: array<f32>;
@group(0) @binding(6) var<storage, read_write> mids: array<f32>;

// Value k of rows 4g to 4g+3 of the tile is element k·8+g.
var<workgroup> sum: array<vec4<f32>, 512>;
var<workgroup> mid: array<vec4<f32>, 512>;

fn h(i: u32, k: u32) -> f32 {
  let at = p.src + i * p.srcRow + k;
  if (p.first != 0u) { return inputs[at]; }
  return nodes[at];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let wg = wid.x + wid.y * nwg.x;
  if (wg >= p.groups) { return; }
  let row0 = wg * 32u;
  for (var e = t; e < p.width * 8u; e += 256u) {
    let k = e % p.width;
    let g = e / p.width;
    var v = vec4<f32>();
    for (var c = 0u; c < 4u; c++) {
      let i = row0 + 4u * g + c;
      if (i >= p.n) { break; }
      var s = h(i, k);
      let hi = tables[p.offsets + i + 1u];
      for (var j = tables[p.offsets + i]; j < hi; j++) { s += h(tables[p.neighbors + j], k); }
      v[c] = s;
      if (p.keep != 0u) { sums[p.sum + i * p.width + k] = s; }
    }
    sum[k * 8u + g] = v;
  }
  workgroupBarrier();
  for (var e = t; e < p.d * 8u; e += 256u) {
    let o = e / 8u;
    let g = e % 8u;
    var v = vec4<f32>(params[p.b1 + o]);
    for (var k = 0u; k < p.width; k++) { v += params[p.w1 + o * p.width + k] * sum[k * 8u + g]; }
    v = max(v, vec4<f32>());
    mid[o * 8u + g] = v;
    if (p.keep != 0u) {
      for (var c = 0u; c < 4u; c++) {
        let i = row0 + 4u * g + c;
        if (i < p.n) { mids[p.mid + i * p.d + o] = v[c]; }
      }
    }
  }
  workgroupBarrier();
  for (var e = t; e < p.d * 8u; e += 256u) {
    let o = e % p.d;
    let g = e / p.d;
    var v = vec4<f32>(params[p.b2 + o]);
    for (var k = 0u; k < p.d; k++) { v += params[p.w2 + o * p.d + k] * mid[k * 8u + g]; }
    v = max(v, vec4<f32>());
    for (var c = 0u; c < 4u; c++) {
      let i = row0 + 4u * g + c;
      if (i < p.n) { nodes[p.out + i * p.outRow + o] = v[c]; }
    }
  }
}
