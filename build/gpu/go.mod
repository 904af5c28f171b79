module baca/build/gpu

go 1.26

require (
	baca v0.0.0
	github.com/cogentcore/webgpu v0.23.0
)

require (
	github.com/vmihailenco/msgpack/v5 v5.3.6 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	golang.org/x/tools v0.36.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace baca => ../..
