// G = D·B for the blocks of D that pairs.wgsl wrote: TILE rows by TILE columns a
// workgroup. A piece of work is eight words: first row of A (and of G), rows of A,
// first row of B, rows of B, place of the first value, values from one row to the
// next.
struct P { width: u32, tiles: u32, tilesN: u32, groups: u32 }
const TK = 16u;
const R = TILE / 16u;
const AREA = TILE * TK;
const CELLS = R * R;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> D: array<f32>;
@group(0) @binding(3) var<storage, read> B: array<f32>;
@group(0) @binding(4) var<storage, read_write> G: array<f32>;

var<workgroup> ta: array<f32, AREA>;
var<workgroup> tb: array<f32, AREA>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let wg = wid.x + wid.y * nwg.x;
  if (wg >= p.groups) { return; }
  let at = p.tiles + wg / p.tilesN * 8u;
  let col0 = wg % p.tilesN * TILE;
  let aRow = tables[at];
  let aCount = tables[at + 1u];
  let bRow = tables[at + 2u];
  let bCount = tables[at + 3u];
  let d = tables[at + 4u];
  let dRow = tables[at + 5u];
  let tx = t % 16u;
  let ty = t / 16u;
  var acc = array<f32, CELLS>();
  for (var k0 = 0u; k0 < bCount; k0 += TK) {
    for (var e = t; e < TILE * TK; e += 256u) {
      let i = e / TK;
      let ka = e % TK;
      var x = 0.0;
      if (i < aCount && k0 + ka < bCount) { x = D[d + i * dRow + k0 + ka]; }
      ta[ka * TILE + i] = x;
      let j = e % TILE;
      let kb = e / TILE;
      var y = 0.0;
      if (col0 + j < p.width && k0 + kb < bCount) { y = B[(bRow + k0 + kb) * p.width + col0 + j]; }
      tb[kb * TILE + j] = y;
    }
    workgroupBarrier();
    for (var kk = 0u; kk < TK; kk++) {
      var x: array<f32, R>;
      for (var r = 0u; r < R; r++) { x[r] = ta[kk * TILE + ty + 16u * r]; }
      for (var c = 0u; c < R; c++) {
        let y = tb[kk * TILE + tx + 16u * c];
        for (var r = 0u; r < R; r++) { acc[r * R + c] += x[r] * y; }
      }
    }
    workgroupBarrier();
  }
  for (var r = 0u; r < R; r++) {
    let i = ty + 16u * r;
    if (i >= aCount) { continue; }
    for (var c = 0u; c < R; c++) {
      let j = col0 + tx + 16u * c;
      if (j < p.width) { G[(aRow + i) * p.width + j] = acc[r * R + c]; }
    }
  }
}
