package weights

import "math"

// toHalf returns the bits of the float16 (IEEE binary16) nearest to f, ties to even. From 65520 on that is infinity.
func toHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &^= 1 << 31
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // 65520
		return sign | 0x7c00
	case b < 0x38800000: // 2⁻¹⁴: subnormal, in units of 2⁻²⁴
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*0x1p24))
	}
	// Round 13 bits; a carry raises the exponent, as it should. The bias goes from 127 to 15.
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}

// fromHalf returns the value of a float16 with these bits, exactly.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero and subnormal numbers
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 0x1f: // infinity and NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
