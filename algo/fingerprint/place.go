package fingerprint

import (
	"encoding/binary"
	"unsafe"
)

// little says that this machine stores numbers as the file form does.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// A number is what the file form consists of.
type number interface{ uint32 | uint64 | float64 }

// view returns the numbers that data holds, in place. It fails where the machine is
// big-endian or data begins at an odd place: then they must be copied.
func view[T number](data []byte) ([]T, bool) {
	size := int(unsafe.Sizeof(T(0)))
	start := unsafe.Pointer(unsafe.SliceData(data))
	if !little || uintptr(start)%uintptr(size) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(start), len(data)/size), true
}
