package parquet

import (
	"encoding/binary"
	"errors"
)

var errCorrupt = errors.New("not of the size that they are said to have")

// unsnappy decompresses a block of Snappy into all of dst. It fails if the block is damaged or does not fill dst.
func unsnappy(dst, src []byte) error {
	size, n := binary.Uvarint(src)
	if n <= 0 || size != uint64(len(dst)) {
		return errCorrupt
	}
	at := 0 // bytes of dst that are written
	for src = src[n:]; len(src) > 0; {
		tag := src[0]
		var length, offset, head int // head is the size of the tag and what belongs to it
		switch tag & 3 {
		case 0: // a literal, whose length is in the tag or in up to 4 bytes behind it
			length, head = int(tag>>2)+1, 1
			if more := length - 60; more > 0 {
				if head += more; len(src) < head {
					return errCorrupt
				}
				length = 0
				for i := range more {
					length |= int(src[1+i]) << (8 * i)
				}
				length++
			}
			if length <= 0 || length > len(src)-head || length > len(dst)-at {
				return errCorrupt
			}
			at += copy(dst[at:], src[head:head+length])
			src = src[head+length:]
			continue
		case 1: // a copy with an offset of 11 bits
			if head = 2; len(src) >= head {
				length, offset = 4+int(tag>>2)&7, int(tag>>5)<<8|int(src[1])
			}
		case 2: // a copy with an offset of 16 bits
			if head = 3; len(src) >= head {
				length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint16(src[1:]))
			}
		case 3: // a copy with an offset of 32 bits
			if head = 5; len(src) >= head {
				length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint32(src[1:]))
			}
		}
		if len(src) < head || offset <= 0 || offset > at || length > len(dst)-at {
			return errCorrupt
		}
		at = repeat(dst, at, offset, length)
		src = src[head:]
	}
	if at != len(dst) {
		return errCorrupt
	}
	return nil
}

// repeat copies length bytes to dst[at:] from offset bytes before, again and again if length exceeds offset. It returns the
// index after them. Offset must be from 1 to at.
func repeat(dst []byte, at, offset, length int) int {
	for end := at + length; at < end; {
		at += copy(dst[at:min(end, at+offset)], dst[at-offset:at])
	}
	return at
}

// leastMatch is the length that LZ4 stores as 0.
const leastMatch = 4

// unlz4 decompresses a block of LZ4 into all of dst. It fails if the block is damaged or does not fill dst.
func unlz4(dst, src []byte) error {
	at := 0 // bytes of dst that are written
	for len(src) > 0 {
		token := src[0] // the lengths of a literal and of the copy after it
		src = src[1:]
		length, ok := lz4Length(int(token>>4), &src)
		if !ok || length > len(src) || length > len(dst)-at {
			return errCorrupt
		}
		at += copy(dst[at:], src[:length])
		src = src[length:]
		if len(src) == 0 && at == len(dst) { // the last literal has no copy after it
			return nil
		}
		if len(src) < 2 {
			return errCorrupt
		}
		offset := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		length, ok = lz4Length(int(token&15), &src)
		length += leastMatch
		if !ok || offset == 0 || offset > at || length > len(dst)-at {
			return errCorrupt
		}
		at = repeat(dst, at, offset, length)
	}
	return errCorrupt
}

// lz4Length completes a length whose first part, from a token, is n. If that is 15, bytes of src are added and cut off,
// up to the first below 255. It returns false if there is none.
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
