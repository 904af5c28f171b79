package rings

import "testing"

// TestSortLikeSTL compares orders with those of std::sort of GNU libstdc++ 12, as
// FNV hashes.
func TestSortLikeSTL(t *testing.T) {
	for _, c := range []struct {
		n, kinds, shape int
		want            uint32
	}{
		{5, 7, 0, 0xd706ac29}, {16, 7, 0, 0xbadbc99d}, {17, 1, 0, 0xd889e92f}, {17, 3, 0, 0x935e2a99}, {17, 7, 2, 0xe113f045},
		{40, 1, 0, 0x88d946e5}, {40, 3, 1, 0xa7ef7969}, {40, 7, 2, 0xed59be35}, {100, 3, 0, 0x6fda3753}, {100, 7, 1, 0x2df73d81},
		{1000, 1, 2, 0xcfeb6097}, {1000, 3, 0, 0x85b3553d}, {1000, 7, 2, 0x3e49a30b}, {5000, 7, 0, 0x457b9715}, {5000, 3, 2, 0x74f76ec7},
	} {
		keys := make([]int, c.n)
		x := uint32(12345)
		for i := range keys {
			x = x*1664525 + 1013904223
			switch c.shape {
			case 0:
				keys[i] = int(x>>16) % c.kinds
			case 1:
				keys[i] = i * c.kinds / c.n
			case 2:
				keys[i] = i * c.kinds % c.n
				if i%2 == 0 {
					keys[i] += c.kinds
				}
			}
		}
		order := make([]int32, c.n)
		for i := range order {
			order[i] = int32(i)
		}
		sortLikeSTL(order, func(i int32) int { return keys[i] })
		h := uint32(2166136261)
		for _, i := range order {
			h = (h ^ uint32(i)) * 16777619
		}
		if h != c.want {
			t.Errorf("%d elements of %d kinds, shape %d: hash %#x, want %#x", c.n, c.kinds, c.shape, h, c.want)
		}
	}
}
