// Package lz decompresses blocks of Snappy and LZ4, and compresses for Snappy. Files of columns
// are compressed by them.
package lz

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt says that data are no block of the size that they should have.
var ErrCorrupt = errors.New("not of the size that they are said to have")

// Snappy decompresses a block into all of dst.
func Snappy(dst, src []byte) error {
	size, n := binary.Uvarint(src)
	if n <= 0 || size != uint64(len(dst)) {
		return ErrCorrupt
	}
	at := 0
	for src = src[n:]; len(src) > 0; {
		tag := src[0]
		var length, offset, head int
		switch tag & 3 {
		case 0:
			length, head = int(tag>>2)+1, 1
			if more := length - 60; more > 0 {
				if head += more; len(src) < head {
					return ErrCorrupt
				}
				length = 0
				for i := range more {
					length |= int(src[1+i]) << (8 * i)
				}
				length++
			}
			if length <= 0 || length > len(src)-head || length > len(dst)-at {
				return ErrCorrupt
			}
			at += copy(dst[at:], src[head:head+length])
			src = src[head+length:]
			continue
		case 1:
			if head = 2; len(src) >= head {
				length, offset = 4+int(tag>>2)&7, int(tag>>5)<<8|int(src[1])
			}
		case 2:
			if head = 3; len(src) >= head {
				length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint16(src[1:]))
			}
		case 3:
			if head = 5; len(src) >= head {
				length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint32(src[1:]))
			}
		}
		if len(src) < head || offset <= 0 || offset > at || length > len(dst)-at {
			return ErrCorrupt
		}
		at = repeat(dst, at, offset, length)
		src = src[head:]
	}
	if at != len(dst) {
		return ErrCorrupt
	}
	return nil
}

// repeat copies what lies offset bytes before at, as often as it takes.
func repeat(dst []byte, at, offset, length int) int {
	for end := at + length; at < end; {
		at += copy(dst[at:min(end, at+offset)], dst[at-offset:at])
	}
	return at
}

// LZ4 decompresses a block, and returns how much it gives.
func LZ4(dst, src []byte) (n int, err error) { return lz4Behind(dst, 0, src) }

// lz4Behind decompresses a block that may refer to the first at bytes of dst, and writes
// behind them. It returns where that ends.
func lz4Behind(dst []byte, at int, src []byte) (int, error) {
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		length, ok := lz4Length(int(token>>4), &src)
		if !ok || length > len(src) || length > len(dst)-at {
			return 0, ErrCorrupt
		}
		at += copy(dst[at:], src[:length])
		if src = src[length:]; len(src) == 0 {
			return at, nil
		}
		if len(src) < 2 {
			return 0, ErrCorrupt
		}
		offset := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		length, ok = lz4Length(int(token&15), &src)
		if length += 4; !ok || offset == 0 || offset > at || length > len(dst)-at {
			return 0, ErrCorrupt
		}
		at = repeat(dst, at, offset, length)
	}
	return 0, ErrCorrupt
}

func lz4Length(n int, src *[]byte) (int, bool) {
	if n < 15 {
		return n, true
	}
	for len(*src) > 0 {
		b := (*src)[0]
		*src = (*src)[1:]
		if n += int(b); b < 255 {
			return n, true
		}
	}
	return 0, false
}

// frameMagic begins a frame of LZ4.
const frameMagic = 0x184d2204

// Frame decompresses a frame of LZ4, which gives so many bytes. Checksums are not looked at.
func Frame(src []byte, size int) ([]byte, error) {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != frameMagic {
		return nil, ErrCorrupt
	}
	flags, most := src[4], 1<<(8+2*int(src[5]>>4&7))
	head := 7
	if flags&8 != 0 {
		head += 8
	}
	if flags&1 != 0 || len(src) < head || most < 1<<16 {
		return nil, ErrCorrupt
	}
	dst, at := make([]byte, 0, min(size, most)), 0
	for src = src[head:]; ; {
		if len(src) < 4 {
			return nil, ErrCorrupt
		}
		n := int(binary.LittleEndian.Uint32(src))
		if src = src[4:]; n == 0 {
			break
		}
		plain := n>>31 != 0
		n &= 1<<31 - 1
		if n > len(src) {
			return nil, ErrCorrupt
		}
		dst = grow(dst, min(size, at+most))
		if plain {
			if n > len(dst)-at {
				return nil, ErrCorrupt
			}
			at += copy(dst[at:], src[:n])
		} else {
			end, err := lz4Behind(dst, at, src[:n])
			if err != nil {
				return nil, err
			}
			at = end
		}
		if src = src[n:]; flags&16 != 0 {
			if len(src) < 4 {
				return nil, ErrCorrupt
			}
			src = src[4:]
		}
	}
	if at != size {
		return nil, ErrCorrupt
	}
	return dst[:at], nil
}

// grow makes b at least n bytes long.
func grow(b []byte, n int) []byte {
	if n <= cap(b) {
		return b[:max(n, len(b))]
	}
	grown := make([]byte, n, max(n, 2*cap(b)))
	copy(grown, b)
	return grown
}
