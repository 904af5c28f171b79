// The loops of package kernel for WebAssembly with 128-bit SIMD. They work on the
// memory of the Go program, whose pointers they are given, and do the same
// roundings in the same order as portable.go: products are rounded before they
// are added, and sums are kept in eight interleaved parts. They use no stack and
// no memory of their own, so that nothing but the import ties the two modules.
//
// build.sh makes web/kernel.wasm of this file.

#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) void name
#define INLINE static inline __attribute__((always_inline))
// Loops over the rows of a tile are written out, so that arrays of vectors become
// registers.
#define EACH(r, rows) _Pragma("clang loop unroll(full)") for (int r = 0; r < rows; r++)

// The flags of gemm, as in kernel.go.
enum { ACCUMULATE = 1, ADD_BIAS = 2, RECTIFY = 4 };

// load reads w values, 1 to 4; the others are 0.
INLINE v128_t load(const float *p, int w) {
	switch (w) {
	case 1:
		return wasm_v128_load32_zero(p);
	case 2:
		return wasm_v128_load64_zero(p);
	case 3:
		return wasm_v128_load32_lane(p + 2, wasm_v128_load64_zero(p), 2);
	}
	return wasm_v128_load(p);
}

// store writes w values, 1 to 4.
INLINE void store(float *p, v128_t v, int w) {
	switch (w) {
	case 1:
		wasm_v128_store32_lane(p, v, 0);
		return;
	case 2:
		wasm_v128_store64_lane(p, v, 0);
		return;
	case 3:
		wasm_v128_store64_lane(p, v, 0);
		wasm_v128_store32_lane(p + 2, v, 2);
		return;
	}
	wasm_v128_store(p, v);
}

// rectified keeps NaN and -0, as v < 0 ? 0 : v does.
INLINE v128_t rectified(v128_t v) { return wasm_f32x4_pmax(v, wasm_f32x4_const_splat(0)); }

// tile computes rows×cols values of a product; rows is 4 or 1, cols 1 to 4 or 8,
// both constants. The sums stay in registers. With a list the k terms are the listed
// ones, and at is 1.
INLINE void tile(int rows, int cols, float *dst, int ldd, const float *a, int as, int at,
                 const float *b, int ldb, int k, const float *bias, int flags, const int *list) {
	const int two = cols > 4, w0 = two ? 4 : cols, w1 = cols - 4;
	v128_t s[4][2];
	EACH(r, rows) {
		s[r][0] = s[r][1] = wasm_f32x4_const_splat(0);
		if (flags & ACCUMULATE) {
			s[r][0] = load(dst + r * ldd, w0);
			if (two) s[r][1] = load(dst + r * ldd + 4, w1);
		}
	}
	const float *a0 = a, *a1 = a + as, *a2 = a1 + as, *a3 = a2 + as;
	const float *first = b;
	for (int t = 0; t < k; t++) {
		if (list) {
			int term = list[t];
			a0 = a + term, a1 = a0 + as, a2 = a1 + as, a3 = a2 + as, b = first + term * ldb;
		}
		v128_t b0 = load(b, w0), b1 = two ? load(b + 4, w1) : b0;
		EACH(r, rows) {
			v128_t x = wasm_v128_load32_splat(r == 0 ? a0 : r == 1 ? a1 : r == 2 ? a2 : a3);
			s[r][0] = wasm_f32x4_add(s[r][0], wasm_f32x4_mul(x, b0));
			if (two) s[r][1] = wasm_f32x4_add(s[r][1], wasm_f32x4_mul(x, b1));
		}
		if (!list) a0 += at, a1 += at, a2 += at, a3 += at, b += ldb;
	}
	if (flags & ADD_BIAS) {
		v128_t v = load(bias, w0), u = two ? load(bias + 4, w1) : v;
		EACH(r, rows) {
			s[r][0] = wasm_f32x4_add(s[r][0], v);
			if (two) s[r][1] = wasm_f32x4_add(s[r][1], u);
		}
	}
	if (flags & RECTIFY) {
		EACH(r, rows) {
			s[r][0] = rectified(s[r][0]);
			if (two) s[r][1] = rectified(s[r][1]);
		}
	}
	EACH(r, rows) {
		store(dst + r * ldd, s[r][0], w0);
		if (two) store(dst + r * ldd + 4, s[r][1], w1);
	}
}

// band computes the given rows of dst, 4 or 1.
INLINE void band(int rows, float *dst, int ldd, const float *a, int as, int at,
                 const float *b, int ldb, int n, int k, const float *bias, int flags, const int *list) {
	int j = 0;
	for (; j + 8 <= n; j += 8) tile(rows, 8, dst + j, ldd, a, as, at, b + j, ldb, k, bias + j, flags, list);
	if (j + 4 <= n) {
		tile(rows, 4, dst + j, ldd, a, as, at, b + j, ldb, k, bias + j, flags, list);
		j += 4;
	}
	switch (n - j) {
	case 3:
		tile(rows, 3, dst + j, ldd, a, as, at, b + j, ldb, k, bias + j, flags, list);
		break;
	case 2:
		tile(rows, 2, dst + j, ldd, a, as, at, b + j, ldb, k, bias + j, flags, list);
		break;
	case 1:
		tile(rows, 1, dst + j, ldd, a, as, at, b + j, ldb, k, bias + j, flags, list);
	}
}

// DEPTH terms of a product are added up at a time, so that the rows of b stay in
// the first level cache.
enum { DEPTH = 160 };

EXPORT(gemm)(float *dst, int ldd, const float *a, int as, int at, const float *b, int ldb,
             int m, int n, int k, const float *bias, int flags) {
	int f = flags & ACCUMULATE;
	for (int t = 0;;) {
		int h = k - t;
		if (h > DEPTH) h = DEPTH;
		if (t + h == k) f |= flags;
		const float *at0 = a + t * at, *b0 = b + t * ldb;
		int i = 0;
		for (; i + 4 <= m; i += 4) band(4, dst + i * ldd, ldd, at0 + i * as, as, at, b0, ldb, n, h, bias, f, 0);
		for (; i < m; i++) band(1, dst + i * ldd, ldd, at0 + i * as, as, at, b0, ldb, n, h, bias, f, 0);
		t += h;
		if (t == k) return;
		f = ACCUMULATE;
	}
}

// ROOM entries of a list are not terms, as in kernel.go: before the terms comes their
// number.
enum { ROOM = 17 };

// band_list lists the terms that are not zero in all of the given rows, 4 or 1. −0
// counts as zero.
INLINE void band_list(int rows, int *list, const float *a, int as, int k) {
	int n = 1;
	for (int t = 0; t < k; t += 4) {
		int w = k - t < 4 ? k - t : 4;
		v128_t v = load(a + t, w);
		for (int r = 1; r < rows; r++) v = wasm_v128_or(v, load(a + r * as + t, w));
		int bits = wasm_i32x4_bitmask(wasm_i32x4_ne(wasm_i32x4_shl(v, 1), wasm_i32x4_const_splat(0)));
		for (int i = 0; i < 4; i++) {
			list[n] = t + i;
			n += bits >> i & 1;
		}
	}
	list[0] = n - 1;
}

EXPORT(list)(int *lists, const float *a, int as, int m, int k) {
	int i = 0;
	for (; i + 4 <= m; i += 4, lists += k + ROOM) band_list(4, lists, a + i * as, as, k);
	for (; i < m; i++, lists += k + ROOM) band_list(1, lists, a + i * as, as, k);
}

EXPORT(gemmListed)(float *dst, int ldd, const float *a, int as, const float *b, int ldb,
                   int m, int n, int k, const float *bias, int flags, const int *lists) {
	int i = 0;
	for (; i + 4 <= m; i += 4, lists += k + ROOM)
		band(4, dst + i * ldd, ldd, a + i * as, as, 1, b, ldb, n, lists[0], bias, flags, lists + 1);
	for (; i < m; i++, lists += k + ROOM)
		band(1, dst + i * ldd, ldd, a + i * as, as, 1, b, ldb, n, lists[0], bias, flags, lists + 1);
}

EXPORT(transpose)(float *restrict dst, const float *restrict src, int lds, int rows, int cols) {
	int i = 0;
	for (; i + 4 <= rows; i += 4) {
		const float *s0 = src + i * lds, *s1 = s0 + lds, *s2 = s1 + lds, *s3 = s2 + lds;
		float *d = dst + i;
		int j = 0;
		for (; j + 4 <= cols; j += 4) {
			v128_t x0 = wasm_v128_load(s0 + j), x1 = wasm_v128_load(s1 + j);
			v128_t x2 = wasm_v128_load(s2 + j), x3 = wasm_v128_load(s3 + j);
			v128_t y0 = wasm_i32x4_shuffle(x0, x1, 0, 4, 1, 5), y1 = wasm_i32x4_shuffle(x0, x1, 2, 6, 3, 7);
			v128_t y2 = wasm_i32x4_shuffle(x2, x3, 0, 4, 1, 5), y3 = wasm_i32x4_shuffle(x2, x3, 2, 6, 3, 7);
			wasm_v128_store(d, wasm_i64x2_shuffle(y0, y2, 0, 2)), d += rows;
			wasm_v128_store(d, wasm_i64x2_shuffle(y0, y2, 1, 3)), d += rows;
			wasm_v128_store(d, wasm_i64x2_shuffle(y1, y3, 0, 2)), d += rows;
			wasm_v128_store(d, wasm_i64x2_shuffle(y1, y3, 1, 3)), d += rows;
		}
		for (; j < cols; j++, d += rows) d[0] = s0[j], d[1] = s1[j], d[2] = s2[j], d[3] = s3[j];
	}
	for (; i < rows; i++)
		for (int j = 0; j < cols; j++) dst[j * rows + i] = src[i * lds + j];
}

// addColumns adds w columns of x, 1 to 4, to those of dst.
INLINE void addColumns(float *dst, int ldd, const float *x, int ldx, int rows, int w) {
	if (ldd == 0) {
		v128_t s = load(dst, w);
		for (int i = 0; i < rows; i++, x += ldx) s = wasm_f32x4_add(s, load(x, w));
		store(dst, s, w);
		return;
	}
	for (int i = 0; i < rows; i++, dst += ldd, x += ldx)
		store(dst, wasm_f32x4_add(load(dst, w), load(x, w)), w);
}

EXPORT(add)(float *dst, int ldd, const float *x, int ldx, int rows, int cols) {
	int j = 0;
	for (; j + 16 <= cols; j += 16) {
		float *d = dst + j;
		const float *p = x + j;
		if (ldd == 0) {
			v128_t s0 = wasm_v128_load(d), s1 = wasm_v128_load(d + 4), s2 = wasm_v128_load(d + 8), s3 = wasm_v128_load(d + 12);
			for (int i = 0; i < rows; i++, p += ldx) {
				s0 = wasm_f32x4_add(s0, wasm_v128_load(p));
				s1 = wasm_f32x4_add(s1, wasm_v128_load(p + 4));
				s2 = wasm_f32x4_add(s2, wasm_v128_load(p + 8));
				s3 = wasm_f32x4_add(s3, wasm_v128_load(p + 12));
			}
			wasm_v128_store(d, s0), wasm_v128_store(d + 4, s1), wasm_v128_store(d + 8, s2), wasm_v128_store(d + 12, s3);
			continue;
		}
		for (int i = 0; i < rows; i++, d += ldd, p += ldx) {
			wasm_v128_store(d, wasm_f32x4_add(wasm_v128_load(d), wasm_v128_load(p)));
			wasm_v128_store(d + 4, wasm_f32x4_add(wasm_v128_load(d + 4), wasm_v128_load(p + 4)));
			wasm_v128_store(d + 8, wasm_f32x4_add(wasm_v128_load(d + 8), wasm_v128_load(p + 8)));
			wasm_v128_store(d + 12, wasm_f32x4_add(wasm_v128_load(d + 12), wasm_v128_load(p + 12)));
		}
	}
	for (; j + 4 <= cols; j += 4) addColumns(dst + j, ldd, x + j, ldx, rows, 4);
	if (j < cols) addColumns(dst + j, ldd, x + j, ldx, rows, cols - j);
}

// addNeighbors returns the number of rows that it has done. It stops before one
// whose offsets, or neighbours, lie beyond what there is.
__attribute__((export_name("addNeighbors"))) int addNeighbors(
	float *restrict dst, int ldd, const float *restrict h, int ldh,
	const unsigned *restrict offsets, const unsigned *restrict neighbors, unsigned count, int rows, int cols) {
	for (int i = 0; i < rows; i++) {
		if (offsets[i] > offsets[i + 1] || offsets[i + 1] > count) return i;
		const unsigned *first = neighbors + offsets[i], *end = neighbors + offsets[i + 1];
		for (const unsigned *e = first; e < end; e++)
			if (*e >= (unsigned)rows) return i;
		float *d = dst + i * ldd;
		const float *p = h;
		int j = 0;
		for (; j + 16 <= cols; j += 16, d += 16, p += 16) {
			const float *x = p + i * ldh;
			v128_t s0 = wasm_v128_load(x), s1 = wasm_v128_load(x + 4), s2 = wasm_v128_load(x + 8), s3 = wasm_v128_load(x + 12);
			for (const unsigned *e = first; e < end; e++) {
				x = p + *e * ldh;
				s0 = wasm_f32x4_add(s0, wasm_v128_load(x));
				s1 = wasm_f32x4_add(s1, wasm_v128_load(x + 4));
				s2 = wasm_f32x4_add(s2, wasm_v128_load(x + 8));
				s3 = wasm_f32x4_add(s3, wasm_v128_load(x + 12));
			}
			wasm_v128_store(d, s0), wasm_v128_store(d + 4, s1), wasm_v128_store(d + 8, s2), wasm_v128_store(d + 12, s3);
		}
		for (; j + 4 <= cols; j += 4, d += 4, p += 4) {
			v128_t s = wasm_v128_load(p + i * ldh);
			for (const unsigned *e = first; e < end; e++) s = wasm_f32x4_add(s, wasm_v128_load(p + *e * ldh));
			wasm_v128_store(d, s);
		}
		for (; j < cols; j++, d++, p++) {
			float s = p[i * ldh];
			for (const unsigned *e = first; e < end; e++) s += p[*e * ldh];
			*d = s;
		}
	}
	return rows;
}

EXPORT(reluGradient)(float *restrict d, int ldd, const float *restrict y, int ldy, int rows, int cols) {
	for (int i = 0; i < rows; i++, d += ldd, y += ldy) {
		int j = 0;
		for (; j + 4 <= cols; j += 4)
			wasm_v128_store(d + j, wasm_v128_andnot(wasm_v128_load(d + j), wasm_f32x4_le(wasm_v128_load(y + j), wasm_f32x4_const_splat(0))));
		for (; j < cols; j++)
			if (y[j] <= 0) d[j] = 0;
	}
}

// exponential is exp1 of portable.go for four values.
INLINE v128_t exponential(v128_t x) {
	// In this order NaN stays NaN.
	x = wasm_f32x4_pmax(wasm_f32x4_pmin(x, wasm_f32x4_const_splat(87)), wasm_f32x4_const_splat(-87));
	v128_t rounded = wasm_f32x4_add(wasm_f32x4_mul(x, wasm_f32x4_const_splat(1.44269504088896341f)), wasm_f32x4_const_splat(12582912));
	v128_t n = wasm_f32x4_sub(rounded, wasm_f32x4_const_splat(12582912));
	v128_t r = wasm_f32x4_sub(wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(0.693359375f))),
	                          wasm_f32x4_mul(n, wasm_f32x4_const_splat(-2.12194440e-4f)));
	v128_t p = wasm_f32x4_const_splat(1.9875691500e-4f);
	p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.3981999507e-3f));
	p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(8.3334519073e-3f));
	p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(4.1665795894e-2f));
	p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.6666665459e-1f));
	p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(5.0000001201e-1f));
	p = wasm_f32x4_add(wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_mul(p, r), r), r), wasm_f32x4_const_splat(1));
	// The low bits of rounded are n, the others are shifted out.
	return wasm_f32x4_mul(p, wasm_i32x4_shl(wasm_i32x4_add(rounded, wasm_i32x4_const_splat(127)), 23));
}

EXPORT(exp)(float *x, int n, float scale) {
	v128_t s = wasm_f32x4_splat(scale);
	int i = 0;
	for (; i + 4 <= n; i += 4) wasm_v128_store(x + i, exponential(wasm_f32x4_mul(wasm_v128_load(x + i), s)));
	if (i < n) store(x + i, exponential(wasm_f32x4_mul(load(x + i, n - i), s)), n - i);
}

INLINE v128_t low(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }
INLINE v128_t high(v128_t x) { return wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(x, x, 1, 1)); }

// total adds up eight sums, two in each vector, as kernel.go prescribes.
INLINE double total(v128_t s01, v128_t s23, v128_t s45, v128_t s67) {
	v128_t s = wasm_f64x2_add(wasm_f64x2_add(s01, s45), wasm_f64x2_add(s23, s67));
	return wasm_f64x2_extract_lane(s, 0) + wasm_f64x2_extract_lane(s, 1);
}

// sumRows handles the given rows, 2 or 1, of n values. A part of a sum that a
// short end does not reach gets 0 added, which changes nothing: the parts start
// at +0 and so never are -0.
INLINE void sumRows(int rows, double *sums, double *cols, const float *x, int n) {
	v128_t s[2][4];
	EACH(r, rows) s[r][0] = s[r][1] = s[r][2] = s[r][3] = wasm_f64x2_const_splat(0);
	int j = 0;
	for (; j + 8 <= n; j += 8) {
		v128_t c0 = wasm_v128_load(cols + j), c1 = wasm_v128_load(cols + j + 2);
		v128_t c2 = wasm_v128_load(cols + j + 4), c3 = wasm_v128_load(cols + j + 6);
		EACH(r, rows) {
			v128_t x0 = wasm_v128_load(x + r * n + j), x1 = wasm_v128_load(x + r * n + j + 4), e;
			e = low(x0), c0 = wasm_f64x2_add(c0, e), s[r][0] = wasm_f64x2_add(s[r][0], e);
			e = high(x0), c1 = wasm_f64x2_add(c1, e), s[r][1] = wasm_f64x2_add(s[r][1], e);
			e = low(x1), c2 = wasm_f64x2_add(c2, e), s[r][2] = wasm_f64x2_add(s[r][2], e);
			e = high(x1), c3 = wasm_f64x2_add(c3, e), s[r][3] = wasm_f64x2_add(s[r][3], e);
		}
		wasm_v128_store(cols + j, c0), wasm_v128_store(cols + j + 2, c1);
		wasm_v128_store(cols + j + 4, c2), wasm_v128_store(cols + j + 6, c3);
	}
	EACH(r, rows) {
		const float *row = x + r * n;
		int w = n - j;
		if (w > 0) {
			v128_t y = load(row + j, w < 4 ? w : 4);
			s[r][0] = wasm_f64x2_add(s[r][0], low(y)), s[r][1] = wasm_f64x2_add(s[r][1], high(y));
		}
		if (w > 4) {
			v128_t y = load(row + j + 4, w - 4);
			s[r][2] = wasm_f64x2_add(s[r][2], low(y)), s[r][3] = wasm_f64x2_add(s[r][3], high(y));
		}
		for (int c = j; c < n; c++) cols[c] += row[c];
		sums[r] = total(s[r][0], s[r][1], s[r][2], s[r][3]);
	}
}

EXPORT(sums)(double *restrict rows, double *restrict cols, const float *restrict x, int m, int n) {
	int i = 0;
	for (; i + 2 <= m; i += 2) sumRows(2, rows + i, cols, x + i * n, n);
	if (i < m) sumRows(1, rows + i, cols, x + i * n, n);
}

EXPORT(weight)(float *restrict x, const float *restrict r, const float *restrict c, int m, int n) {
	for (int i = 0; i < m; i++, x += n) {
		v128_t s = wasm_f32x4_splat(r[i]);
		int j = 0;
		for (; j + 4 <= n; j += 4)
			wasm_v128_store(x + j, wasm_f32x4_mul(wasm_v128_load(x + j), wasm_f32x4_add(s, wasm_v128_load(c + j))));
		for (; j < n; j++) x[j] *= r[i] + c[j];
	}
}

// SMALLEST is the smallest of kernel.go.
#define SMALLEST 1e-12f

EXPORT(normalize)(float *restrict dst, float *restrict norms, const float *restrict z, int rows, int width) {
	for (int i = 0; i < rows; i++, dst += width, z += width) {
		v128_t s0 = wasm_f64x2_const_splat(0), s1 = s0, s2 = s0, s3 = s0, x, e;
		int j = 0;
		for (; j + 8 <= width; j += 8) {
			x = wasm_v128_load(z + j);
			e = low(x), s0 = wasm_f64x2_add(s0, wasm_f64x2_mul(e, e));
			e = high(x), s1 = wasm_f64x2_add(s1, wasm_f64x2_mul(e, e));
			x = wasm_v128_load(z + j + 4);
			e = low(x), s2 = wasm_f64x2_add(s2, wasm_f64x2_mul(e, e));
			e = high(x), s3 = wasm_f64x2_add(s3, wasm_f64x2_mul(e, e));
		}
		if (j < width) {
			x = load(z + j, width - j < 4 ? width - j : 4);
			e = low(x), s0 = wasm_f64x2_add(s0, wasm_f64x2_mul(e, e));
			e = high(x), s1 = wasm_f64x2_add(s1, wasm_f64x2_mul(e, e));
		}
		if (j + 4 < width) {
			x = load(z + j + 4, width - j - 4);
			e = low(x), s2 = wasm_f64x2_add(s2, wasm_f64x2_mul(e, e));
			e = high(x), s3 = wasm_f64x2_add(s3, wasm_f64x2_mul(e, e));
		}
		float norm = __builtin_sqrt(total(s0, s1, s2, s3));
		norms[i] = norm;
		float inverse = 1 / (norm < SMALLEST ? SMALLEST : norm);
		v128_t v = wasm_f32x4_splat(inverse);
		for (j = 0; j + 4 <= width; j += 4) wasm_v128_store(dst + j, wasm_f32x4_mul(wasm_v128_load(z + j), v));
		for (; j < width; j++) dst[j] = z[j] * inverse;
	}
}

INLINE float product(const float *a, const float *b, int n) {
	v128_t s0 = wasm_f32x4_const_splat(0), s1 = s0;
	int j = 0;
	for (; j + 8 <= n; j += 8) {
		s0 = wasm_f32x4_add(s0, wasm_f32x4_mul(wasm_v128_load(a + j), wasm_v128_load(b + j)));
		s1 = wasm_f32x4_add(s1, wasm_f32x4_mul(wasm_v128_load(a + j + 4), wasm_v128_load(b + j + 4)));
	}
	if (j < n) {
		int w = n - j < 4 ? n - j : 4;
		s0 = wasm_f32x4_add(s0, wasm_f32x4_mul(load(a + j, w), load(b + j, w)));
	}
	if (j + 4 < n) {
		int w = n - j - 4;
		s1 = wasm_f32x4_add(s1, wasm_f32x4_mul(load(a + j + 4, w), load(b + j + 4, w)));
	}
	s0 = wasm_f32x4_add(s0, s1);
	s0 = wasm_f32x4_add(s0, wasm_i32x4_shuffle(s0, s0, 2, 3, 2, 3));
	return wasm_f32x4_extract_lane(s0, 0) + wasm_f32x4_extract_lane(s0, 1);
}

EXPORT(normalizeGradient)(float *restrict dst, const float *restrict g, const float *restrict u,
                          const float *restrict norms, int rows, int width) {
	for (int i = 0; i < rows; i++, dst += width, g += width, u += width) {
		int j = 0;
		if (norms[i] < SMALLEST) {
			for (; j < width; j++) dst[j] = 0;
			continue;
		}
		float along = product(u, g, width), inverse = 1 / norms[i];
		v128_t va = wasm_f32x4_splat(along), vi = wasm_f32x4_splat(inverse);
		for (; j + 4 <= width; j += 4)
			wasm_v128_store(dst + j, wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(g + j), wasm_f32x4_mul(wasm_v128_load(u + j), va)), vi));
		for (; j < width; j++) dst[j] = (g[j] - u[j] * along) * inverse;
	}
}

__attribute__((export_name("dot"))) float dot(const float *a, const float *b, int n) { return product(a, b, n); }

// Two values of each row; an odd one is the last.
INLINE void products_of(int rows, double *dst, const double *x, const double *v, int n) {
	v128_t s[4];
	EACH(r, rows) s[r] = wasm_f64x2_const_splat(0);
	int j = 0;
	for (; j + 2 <= n; j += 2) {
		v128_t w = wasm_v128_load(v + j);
		EACH(r, rows) s[r] = wasm_f64x2_add(s[r], wasm_f64x2_mul(wasm_v128_load(x + r * n + j), w));
	}
	EACH(r, rows) {
		dst[r] = wasm_f64x2_extract_lane(s[r], 0) + wasm_f64x2_extract_lane(s[r], 1);
		if (j < n) dst[r] += x[r * n + j] * v[j];
	}
}

EXPORT(products)(double *restrict dst, const double *restrict x, const double *restrict v, int rows, int n) {
	int i = 0;
	for (; i + 4 <= rows; i += 4) products_of(4, dst + i, x + i * n, v, n);
	for (; i < rows; i++) products_of(1, dst + i, x + i * n, v, n);
}

INLINE void add_products_of(int rows, double *dst, const double *v, const double *x, int n) {
	v128_t s[4];
	EACH(r, rows) s[r] = wasm_v128_load64_splat(v + r);
	int j = 0;
	for (; j + 2 <= n; j += 2) {
		v128_t d = wasm_v128_load(dst + j);
		EACH(r, rows) d = wasm_f64x2_add(d, wasm_f64x2_mul(s[r], wasm_v128_load(x + r * n + j)));
		wasm_v128_store(dst + j, d);
	}
	if (j < n) EACH(r, rows) dst[j] += v[r] * x[r * n + j];
}

EXPORT(addProducts)(double *restrict dst, const double *restrict v, const double *restrict x, int rows, int n) {
	int i = 0;
	for (; i + 4 <= rows; i += 4) add_products_of(4, dst, v + i, x + i * n, n);
	for (; i < rows; i++) add_products_of(1, dst, v + i, x + i * n, n);
}

EXPORT(adam)(float *restrict params, const float *restrict grads, float *restrict m, float *restrict v, int n,
             float keep1, float take1, float keep2, float take2, float root, float eps, float rate) {
	v128_t k1 = wasm_f32x4_splat(keep1), t1 = wasm_f32x4_splat(take1), k2 = wasm_f32x4_splat(keep2), t2 = wasm_f32x4_splat(take2);
	v128_t by = wasm_f32x4_splat(root), least = wasm_f32x4_splat(eps), step = wasm_f32x4_splat(rate);
	for (int i = 0; i < n; i += 4) {
		int w = n - i < 4 ? n - i : 4;
		v128_t g = load(grads + i, w);
		v128_t mean = wasm_f32x4_add(wasm_f32x4_mul(k1, load(m + i, w)), wasm_f32x4_mul(t1, g));
		v128_t square = wasm_f32x4_add(wasm_f32x4_mul(k2, load(v + i, w)), wasm_f32x4_mul(t2, wasm_f32x4_mul(g, g)));
		store(m + i, mean, w);
		store(v + i, square, w);
		v128_t denominator = wasm_f32x4_add(wasm_f32x4_div(wasm_f32x4_sqrt(square), by), least);
		store(params + i, wasm_f32x4_sub(load(params + i, w), wasm_f32x4_mul(step, wasm_f32x4_div(mean, denominator))), w);
	}
}

// addRows adds gains to those of 64 halves whose bit is set.
INLINE void addRows(v128_t s[8], const unsigned short *bits, const unsigned *rows, const unsigned *gains, int count) {
	const v128_t low = wasm_i16x8_const(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7);
	const v128_t high = wasm_i16x8_const(1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, (short)(1 << 15));
	for (int k = 0; k < count; k++) {
		const unsigned short *row = bits + 4 * rows[k];
		v128_t gain = wasm_v128_load16_splat((const unsigned short *)(gains + k) + 1);
		EACH(c, 4) {
			v128_t word = wasm_v128_load16_splat(row + c);
			s[2 * c] = wasm_i16x8_add(s[2 * c], wasm_v128_and(gain, wasm_i16x8_eq(wasm_v128_and(word, low), low)));
			s[2 * c + 1] = wasm_i16x8_add(s[2 * c + 1], wasm_v128_and(gain, wasm_i16x8_eq(wasm_v128_and(word, high), high)));
		}
	}
}

// addWhere keeps one half of 64 sums in registers: what the rows for both halves add, then the upper halves.
EXPORT(addWhere)(unsigned *restrict sums, unsigned *restrict tops, const unsigned short *restrict bits,
                 const unsigned *restrict rows, const unsigned *restrict gains, int parts, int both, int more) {
	for (int p = 0; p < parts; p++, sums += 64, tops += 4, bits += 4) {
		v128_t s[8], lower[8];
		EACH(c, 8) s[c] = wasm_i16x8_const_splat(0);
		addRows(s, bits, rows, gains, both);
		EACH(c, 8) {
			v128_t a = wasm_v128_load(sums + 8 * c), b = wasm_v128_load(sums + 8 * c + 4);
			lower[c] = wasm_i16x8_add(s[c], wasm_i16x8_shuffle(a, b, 0, 2, 4, 6, 8, 10, 12, 14));
			s[c] = wasm_i16x8_add(s[c], wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15));
		}
		addRows(s, bits, rows + both, gains + both, more);
		EACH(t, 4) {
			v128_t most = wasm_i16x8_const_splat(0);
			EACH(h, 2) {
				v128_t x = lower[2 * t + h], y = s[2 * t + h];
				v128_t a = wasm_i16x8_shuffle(x, y, 0, 8, 1, 9, 2, 10, 3, 11), b = wasm_i16x8_shuffle(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
				wasm_v128_store(sums + 16 * t + 8 * h, a), wasm_v128_store(sums + 16 * t + 8 * h + 4, b);
				most = wasm_u16x8_max(most, wasm_u16x8_max(a, b));
			}
			most = wasm_u16x8_max(most, wasm_i32x4_shuffle(most, most, 2, 3, 2, 3));
			most = wasm_u16x8_max(most, wasm_i32x4_shuffle(most, most, 1, 1, 1, 1));
			tops[t] = wasm_i32x4_extract_lane(most, 0);
		}
	}
}
