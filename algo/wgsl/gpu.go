package wgsl

import (
	"context"
	"errors"
)

// A GPU is the part of WebGPU that a Device needs. build/gpu implements it over Vulkan, Metal and
// Direct3D 12, wasm/worker/gpu in a browser. One goroutine at a time calls it.
type GPU interface {
	// String names the adapter, its driver and the interface to it.
	String() string
	// Software reports a processor that emulates a GPU.
	Software() bool
	Limits() Limits
	// NewBuffer returns a storage buffer of that many bytes, a multiple of 4, all
	// zero. The error wraps ErrMemory if there is no room.
	NewBuffer(bytes int) (Buffer, error)
	// Free releases a buffer once. Submitted work may still use it.
	Free(Buffer)
	// NewKernel compiles a shader with the entry point main. Its parameters are a uniform at
	// binding 0; storage buffers follow, those in writable writable.
	NewKernel(name, code string, writable []bool) (Kernel, error)
	// Submit starts work after all earlier submissions and keeps nothing of w. Later errors come from Wait.
	Submit(w *Work) (Pending, error)
}

// Limits are those of an adapter.
type Limits struct {
	Binding int // bytes of a buffer that a shader can see
	Buffer  int // bytes of a buffer
}

// Buffer and Kernel name what a GPU has made. 0 is none.
type (
	Buffer uint32
	Kernel uint32
)

// MaxBindings is the number of storage buffers that every WebGPU allows.
const MaxBindings = 8

// ParamBytes is the size of a call's parameters.
const ParamBytes = 256

// Work is done in the order writes, calls, reads.
type Work struct {
	Writes []Write
	Calls  []Call
	Params []byte // ParamBytes for each call
	Reads  []Read
}

// A Write copies data to a buffer. Offset and length are multiples of 4.
type Write struct {
	Buffer Buffer
	Offset int
	Data   []byte
}

// A Call runs a kernel on some storage buffers, on x·y workgroups.
type Call struct {
	Kernel  Kernel
	Buffers [MaxBindings]Buffer // as many as the kernel has
	X, Y    int
}

// A Read copies a part of a buffer back. Offset and length are multiples of 4.
type Read struct {
	Buffer        Buffer
	Offset, Bytes int
}

// A Pending is submitted work.
type Pending interface {
	// Wait waits for the work and returns what it read, owned by the caller. It must be called once.
	Wait(ctx context.Context) ([][]byte, error)
}

// Errors that a GPU may report.
var (
	ErrMemory = errors.New("out of device memory")
	ErrLost   = errors.New("the device was lost")
)
