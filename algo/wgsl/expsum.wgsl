// Sums e^{cos/τ} over rows of B for each row of A, for TILE rows of A a
// workgroup. A cosine over τ lies in [−5, 5], so that the log of the sum needs no
// shift. A piece of work is eight words: first row of A, rows of A, first row of
// B, rows of B, place of the first sum.
struct P { width: u32, tiles: u32, inverse: f32, groups: u32 }
const TK = 16u;
const R = TILE / 16u;
const AREA = TILE * TK;
const CELLS = R * R;

@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read> A: array<f32>;
@group(0) @binding(3) var<storage, read> B: array<f32>;
@group(0) @binding(4) var<storage, read_write> sums: array<f32>;

var<workgroup> ta: array<f32, AREA>;
var<workgroup> tb: array<f32, AREA>;
var<workgroup> part: array<f32, AREA>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
  let wg = wid.x + wid.y * nwg.x;
  if (wg >= p.groups) { return; }
  let at = p.tiles + wg * 8u;
  let aRow = tables[at];
  let aCount = tables[at + 1u];
  let bRow = tables[at + 2u];
  let bCount = tables[at + 3u];
  let tx = t % 16u;
  let ty = t / 16u;
  var sum = array<f32, R>();
  for (var j0 = 0u; j0 < bCount; j0 += TILE) {
    var acc = array<f32, CELLS>();
    for (var k0 = 0u; k0 < p.width; k0 += TK) {
      for (var e = t; e < TILE * TK; e += 256u) {
        let i = e / TK;
        let kk = e % TK;
        var x = 0.0;
        var y = 0.0;
        if (k0 + kk < p.width) {
          if (i < aCount) { x = A[(aRow + i) * p.width + k0 + kk]; }
          if (j0 + i < bCount) { y = B[(bRow + j0 + i) * p.width + k0 + kk]; }
        }
        ta[kk * TILE + i] = x;
        tb[kk * TILE + i] = y;
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
      for (var c = 0u; c < R; c++) {
        let i = aRow + ty + 16u * r;
        let j = j0 + tx + 16u * c;
        if (j < bCount && i != bRow + j) { sum[r] += exp(acc[r * R + c] * p.inverse); }
      }
    }
  }
  for (var r = 0u; r < R; r++) { part[(ty + 16u * r) * 16u + tx] = sum[r]; }
  workgroupBarrier();
  if (t < aCount) {
    var s = 0.0;
    for (var c = 0u; c < 16u; c++) { s += part[t * 16u + c]; }
    sums[tables[at + 4u] + t] = s;
  }
}
