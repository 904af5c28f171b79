// Package native is wgsl.GPU over Vulkan, Metal and Direct3D 12, by the wgpu-native
// library that comes with github.com/cogentcore/webgpu.
//
// The library is called through a few functions of our own, in device.c, and not through that module's Go package: it
// has no way to receive errors that belong to no call, such as lost devices and a lack of memory, which then end the
// process; it hands the C side addresses of variables that the garbage collector may take before the callback; and it
// crosses cgo some times for each of the hundreds of calls of a batch. The headers are copies from there.
package native

/*
#include <stdlib.h>
#include "device.h"
#include "wgpu.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	_ "github.com/cogentcore/webgpu/wgpu" // the library

	"baca/algo/wgsl"
)

func init() {
	// Mesa's drivers look for a display even where nothing is to be shown, and print
	// an error every time if this is not set.
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		os.Setenv("XDG_RUNTIME_DIR", os.TempDir())
	}
}

// An Adapter is a device that can be opened.
type Adapter struct {
	Name     string
	Backend  string // "Vulkan", "Metal" or "Direct3D 12"
	Software bool   // the processor pretends to be a GPU
	limits   wgsl.Limits
}

// String names the adapter and the interface to it.
func (a Adapter) String() string {
	s := a.Name + ", " + a.Backend
	if a.Software {
		s += ", software"
	}
	return s
}

// Adapters lists the adapters that can run the shaders.
func Adapters() []Adapter {
	infos := make([]C.gpu_info, 64)
	n := int(C.gpu_list(&infos[0], C.int(len(infos))))
	var list []Adapter
	for _, i := range infos[:min(n, len(infos))] {
		a := Adapter{
			Name: C.GoString(&i.name[0]), Backend: "WebGPU",
			Software: i._type == C.WGPUAdapterType_CPU,
			limits:   wgsl.Limits{Binding: int(min(i.binding, 1<<40)), Buffer: int(min(i.buffer, 1<<40))},
		}
		switch i.backend {
		case C.WGPUBackendType_Vulkan:
			a.Backend = "Vulkan"
		case C.WGPUBackendType_Metal:
			a.Backend = "Metal"
		case C.WGPUBackendType_D3D12:
			a.Backend = "Direct3D 12"
		}
		list = append(list, a)
	}
	return list
}

// A GPU is an open adapter. It implements wgsl.GPU.
type GPU struct {
	adapter Adapter
	g       *C.gpu
	buffers map[wgsl.Buffer]unsafe.Pointer
	kernels []kernel // kernel 1 first
	last    wgsl.Buffer

	groups  map[group]unsafe.Pointer
	uniform unsafe.Pointer
	room    int // bytes of uniform
	staging []stage
	calls   []C.gpu_call
	copies  []C.gpu_copy
}

type kernel struct {
	made     C.gpu_kernel
	bindings int
}

// A group is what a bind group is made of.
type group struct {
	kernel  wgsl.Kernel
	buffers [wgsl.MaxBindings]wgsl.Buffer
}

// A stage is a buffer that results are read through.
type stage struct {
	buffer unsafe.Pointer
	bytes  int
}

// Open opens adapter number n of Adapters. Close ends it.
func Open(n int) (*GPU, error) {
	list := Adapters()
	if n < 0 || n >= len(list) {
		return nil, fmt.Errorf("adapter %d: there are %d that can run the shaders", n, len(list))
	}
	message := make([]C.char, 1024)
	g := C.gpu_open(C.int(n), &message[0], C.size_t(len(message)))
	if g == nil {
		return nil, fmt.Errorf("%s: %s", list[n], C.GoString(&message[0]))
	}
	return &GPU{adapter: list[n], g: g, buffers: map[wgsl.Buffer]unsafe.Pointer{}, groups: map[group]unsafe.Pointer{}}, nil
}

// Close gives everything back. After it the GPU must not be used.
func (g *GPU) Close() {
	for _, p := range g.groups {
		C.gpu_group_release(p)
	}
	for _, p := range g.buffers {
		C.gpu_buffer_release(p)
	}
	for _, s := range g.staging {
		C.gpu_buffer_release(s.buffer)
	}
	if g.uniform != nil {
		C.gpu_buffer_release(g.uniform)
	}
	for _, k := range g.kernels {
		C.gpu_kernel_release(k.made)
	}
	C.gpu_close(g.g)
	*g = GPU{adapter: g.adapter}
}

// String implements wgsl.GPU.
func (g *GPU) String() string { return g.adapter.String() }

// Software implements wgsl.GPU.
func (g *GPU) Software() bool { return g.adapter.Software }

// Limits implements wgsl.GPU.
func (g *GPU) Limits() wgsl.Limits { return g.adapter.limits }

// failure returns the first error since it was last called, or nil. A lack of memory or a lost device wraps the error of wgsl.
func (g *GPU) failure() error {
	message := make([]C.char, 1024)
	kind := C.gpu_error(g.g, &message[0], C.size_t(len(message)))
	text := C.GoString(&message[0])
	switch kind {
	case C.GPU_OK:
		return nil
	case C.GPU_MEMORY:
		return fmt.Errorf("%w: %s", wgsl.ErrMemory, text)
	case C.GPU_LOST:
		return fmt.Errorf("%w: %s", wgsl.ErrLost, text)
	}
	return errors.New(text)
}

// newBuffer makes a buffer of so many bytes, for results if staging, for parameters if uniform. It returns an error if the device cannot.
func (g *GPU) newBuffer(bytes int, staging, uniform bool) (unsafe.Pointer, error) {
	p := C.gpu_buffer(g.g, C.uint64_t(bytes), C.bool(staging), C.bool(uniform))
	if err := g.failure(); err != nil {
		if p != nil {
			C.gpu_buffer_release(p)
		}
		return nil, err
	}
	return p, nil
}

// NewBuffer implements wgsl.GPU.
func (g *GPU) NewBuffer(bytes int) (wgsl.Buffer, error) {
	p, err := g.newBuffer(bytes, false, false)
	if err != nil {
		return 0, err
	}
	g.last++
	g.buffers[g.last] = p
	return g.last, nil
}

// Free implements wgsl.GPU. It also releases the bind groups that the buffer is in.
func (g *GPU) Free(b wgsl.Buffer) {
	for k, p := range g.groups {
		if slices.Contains(k.buffers[:], b) {
			C.gpu_group_release(p)
			delete(g.groups, k)
		}
	}
	C.gpu_buffer_release(g.buffers[b])
	delete(g.buffers, b)
}

// NewKernel implements wgsl.GPU.
func (g *GPU) NewKernel(_, code string, writable []bool) (wgsl.Kernel, error) {
	text := C.CString(code)
	defer C.free(unsafe.Pointer(text))
	flags := make([]C.bool, len(writable)+1)
	for i, w := range writable {
		flags[i] = C.bool(w)
	}
	k := C.gpu_compile(g.g, text, C.int(len(writable)), &flags[0])
	if err := g.failure(); err != nil {
		return 0, err
	}
	g.kernels = append(g.kernels, kernel{k, len(writable)})
	return wgsl.Kernel(len(g.kernels)), nil
}

// group returns the bind group of a call, and keeps it for later calls.
func (g *GPU) group(c wgsl.Call) (unsafe.Pointer, error) {
	key := group{c.Kernel, c.Buffers}
	if p, ok := g.groups[key]; ok {
		return p, nil
	}
	k := g.kernels[c.Kernel-1]
	buffers := make([]unsafe.Pointer, wgsl.MaxBindings)
	for i := range k.bindings {
		buffers[i] = g.buffers[c.Buffers[i]]
	}
	p := C.gpu_group(g.g, k.made.layout, g.uniform, wgsl.ParamBytes, C.int(k.bindings), &buffers[0])
	if err := g.failure(); err != nil {
		return nil, err
	}
	g.groups[key] = p
	return p, nil
}

// params makes room for the parameters of a submission and writes them.
func (g *GPU) params(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if g.room < len(data) {
		p, err := g.newBuffer(2*len(data), false, true)
		if err != nil {
			return err
		}
		for k, group := range g.groups { // which hold the old buffer
			C.gpu_group_release(group)
			delete(g.groups, k)
		}
		if g.uniform != nil {
			C.gpu_buffer_release(g.uniform)
		}
		g.uniform, g.room = p, 2*len(data)
	}
	C.gpu_write(g.g, g.uniform, 0, unsafe.Pointer(&data[0]), C.size_t(len(data)))
	return nil
}

// stage takes a free buffer for results of at least that many bytes, or makes one. If all free ones are too small, it
// releases one of them, so that their number does not grow.
func (g *GPU) stage(bytes int) (stage, error) {
	for i, s := range g.staging {
		if s.bytes >= bytes {
			g.staging = slices.Delete(g.staging, i, i+1)
			return s, nil
		}
	}
	if n := len(g.staging); n > 0 {
		C.gpu_buffer_release(g.staging[n-1].buffer)
		g.staging = g.staging[:n-1]
	}
	p, err := g.newBuffer(bytes, true, false)
	return stage{p, bytes}, err
}

// Submit implements wgsl.GPU.
func (g *GPU) Submit(w *wgsl.Work) (wgsl.Pending, error) {
	for _, write := range w.Writes {
		C.gpu_write(g.g, g.buffers[write.Buffer], C.uint64_t(write.Offset), unsafe.Pointer(&write.Data[0]), C.size_t(len(write.Data)))
	}
	if err := g.params(w.Params); err != nil {
		return nil, err
	}
	g.calls, g.copies = g.calls[:0], g.copies[:0]
	for i, c := range w.Calls {
		p, err := g.group(c)
		if err != nil {
			return nil, err
		}
		g.calls = append(g.calls, C.gpu_call{
			pipeline: g.kernels[c.Kernel-1].made.pipeline, group: p,
			offset: C.uint32_t(i * wgsl.ParamBytes), x: C.uint32_t(c.X), y: C.uint32_t(c.Y),
		})
	}
	p := &pending{gpu: g}
	for _, r := range w.Reads {
		p.sizes = append(p.sizes, r.Bytes)
		if r.Bytes == 0 {
			continue
		}
		g.copies = append(g.copies, C.gpu_copy{
			from: g.buffers[r.Buffer], offset: C.uint64_t(r.Offset), to: C.uint64_t(p.bytes), bytes: C.uint64_t(r.Bytes),
		})
		p.bytes += r.Bytes
	}
	if p.bytes > 0 {
		var err error
		if p.stage, err = g.stage(p.bytes); err != nil {
			return nil, err
		}
	}
	// The arrays hold addresses of the C side alone.
	p.done = C.gpu_submit(g.g, unsafe.SliceData(g.calls), C.int(len(g.calls)), unsafe.SliceData(g.copies),
		C.int(len(g.copies)), p.stage.buffer)
	if err := g.failure(); err != nil {
		if p.stage.buffer != nil {
			C.gpu_buffer_release(p.stage.buffer)
		}
		return nil, err
	}
	return p, nil
}

type pending struct {
	gpu   *GPU
	done  *C.int
	stage stage
	sizes []int
	bytes int
}

// Wait implements wgsl.Pending. It ignores the context: work that runs cannot be cancelled. After an error it
// releases the buffer of results, otherwise it keeps the buffer for later work.
func (p *pending) Wait(context.Context) ([][]byte, error) {
	data := make([]byte, max(p.bytes, 1))
	C.gpu_wait(p.gpu.g, p.done, p.stage.buffer, unsafe.Pointer(&data[0]), C.size_t(p.bytes))
	if err := p.gpu.failure(); err != nil {
		if p.stage.buffer != nil {
			C.gpu_buffer_release(p.stage.buffer)
		}
		return nil, err
	}
	if p.stage.buffer != nil {
		p.gpu.staging = append(p.gpu.staging, p.stage)
	}
	var parts [][]byte
	for _, n := range p.sizes {
		parts = append(parts, data[:n:n])
		data = data[n:]
	}
	return parts, nil
}
