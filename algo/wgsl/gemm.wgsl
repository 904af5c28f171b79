// C = A·B for A of m×k and B of k×n, with any strides, by tiles of TM×TN in
// registers. The terms may be cut into slabs, whose products go to C one after
// the other, to be added by reduce.wgsl.
struct P {
  m: u32, n: u32, k: u32, flags: u32,
  a: u32, aRow: u32, aCol: u32, bias: u32,
  b: u32, bRow: u32, bCol: u32, mask: u32,
  c: u32, cRow: u32, maskRow: u32, slab: u32,
  tilesM: u32, tilesN: u32, slabStride: u32, groups: u32,
}
const BIAS = 1u; // adds bias[j]
const RELU = 2u;
const MASK = 4u; // clears values whose mask is not positive
const ONES = 8u; // the last column of B is 1
const TK = 16u;
const RM = TM / 16u;
const RN = TN / 16u;
const AREA_A = TM * TK;
const AREA_B = TN * TK;
const CELLS = RM * RN;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> A: array<f32>;
@group(0) @binding(2) var<storage, read> B: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> mask: array<f32>;
@group(0) @binding(5) var<storage, read_write> C: array<f32>;

var<workgroup> ta: array<f32, AREA_A>;
var<workgroup> tb: array<f32, AREA_B>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let wg = wid.x + wid.y * nwg.x;
  if (wg >= p.groups) { return; }
  let tiles = p.tilesM * p.tilesN;
  let slab = wg / tiles;
  let row0 = (wg % tiles) / p.tilesN * TM;
  let col0 = (wg % tiles) % p.tilesN * TN;
  let kLo = slab * p.slab;
  let kHi = min(p.k, kLo + p.slab);
  let tx = t % 16u;
  let ty = t / 16u;
  var acc = array<f32, CELLS>();
  for (var k0 = kLo; k0 < kHi; k0 += TK) {
    for (var e = t; e < TM * TK; e += 256u) {
      // Neighbouring threads read neighbouring values.
      var i = e / TK;
      var kk = e % TK;
      if (p.aCol != 1u) { i = e % TM; kk = e / TM; }
      var v = 0.0;
      if (row0 + i < p.m && k0 + kk < kHi) { v = A[p.a + (row0 + i) * p.aRow + (k0 + kk) * p.aCol]; }
      ta[kk * TM + i] = v;
    }
    for (var e = t; e < TN * TK; e += 256u) {
      var j = e % TN;
      var kk = e / TN;
      if (p.bCol != 1u) { j = e / TK; kk = e % TK; }
      var v = 0.0;
      if (col0 + j < p.n && k0 + kk < kHi) {
        if ((p.flags & ONES) != 0u && col0 + j == p.n - 1u) { v = 1.0; }
        else { v = B[p.b + (k0 + kk) * p.bRow + (col0 + j) * p.bCol]; }
      }
      tb[kk * TN + j] = v;
    }
    workgroupBarrier();
    for (var kk = 0u; kk < TK; kk++) {
      var x: array<f32, RM>;
      for (var r = 0u; r < RM; r++) { x[r] = ta[kk * TM + ty + 16u * r]; }
      for (var c = 0u; c < RN; c++) {
        let y = tb[kk * TN + tx + 16u * c];
        for (var r = 0u; r < RM; r++) { acc[r * RN + c] += x[r] * y; }
      }
    }
    workgroupBarrier();
  }
  for (var r = 0u; r < RM; r++) {
    let i = row0 + ty + 16u * r;
    if (i >= p.m) { continue; }
    for (var c = 0u; c < RN; c++) {
      let j = col0 + tx + 16u * c;
      if (j >= p.n) { continue; }
      var v = acc[r * RN + c];
      if ((p.flags & BIAS) != 0u) { v += bias[p.bias + j]; }
      if ((p.flags & RELU) != 0u) { v = max(v, 0.0); }
      if ((p.flags & MASK) != 0u) {
        if (!(mask[p.mask + i * p.maskRow + j] > 0.0)) { v = 0.0; }
      }
      C[p.c + slab * p.slabStride + i * p.cRow + j] = v;
    }
  }
}
