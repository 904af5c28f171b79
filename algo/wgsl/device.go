// Package wgsl runs the encoder, its losses and its training as WebGPU compute shaders, natively
// and in a browser. New makes a gin.Device of a [GPU], a thin layer outside of algo.
//
// A batch is one submission: its graphs, as one CSR, are uploaded while the previous batch
// computes; weights, activations and Adam's state stay on the device. Results do not depend on
// thread order: they repeat to the bit on one machine and match the processor up to rounding.
package wgsl

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"baca/algo/gin"
)

//go:embed *.wgsl
var shaders embed.FS

// DefaultMemory bounds a batch's device memory in bytes. Larger batches are divided; training then
// computes activations twice.
const DefaultMemory = 1 << 30

// A Device runs encoders on a GPU. It implements gin.Device.
type Device struct {
	mu     sync.Mutex
	gpu    GPU
	limits Limits
	memory int

	kernels  map[string]kernel
	buffers  map[string]*buffer
	had      int       // bytes of all buffers
	uploaded []float32 // the device's copy of the parameters for Encode
	lost     error

	training *training // the latest, which owns the buffers of its state
}

type kernel struct {
	id       Kernel
	bindings int
}

type buffer struct {
	id    Buffer
	bytes int
}

// New returns a Device with that many bytes of device memory for a batch, or DefaultMemory for 0.
// Devices of one GPU must not be used concurrently.
func New(g GPU, memory int) *Device {
	if memory <= 0 {
		memory = DefaultMemory
	}
	l := g.Limits()
	l.Binding = min(l.Binding, l.Buffer)
	return &Device{
		gpu: g, limits: l, memory: memory,
		kernels: map[string]kernel{}, buffers: map[string]*buffer{},
	}
}

var _ gin.Device = (*Device)(nil)

// String implements gin.Device.
func (d *Device) String() string { return d.gpu.String() }

// kernel returns a compiled shader. Its name may end in constants, as in "gemm TM=64 TN=16".
func (d *Device) kernel(name string) (kernel, error) {
	if k, ok := d.kernels[name]; ok {
		return k, nil
	}
	fields := strings.Fields(name)
	text, err := shaders.ReadFile(fields[0] + ".wgsl")
	if err != nil {
		return kernel{}, err
	}
	var code strings.Builder
	for _, constant := range fields[1:] {
		fmt.Fprintf(&code, "const %su;\n", constant)
	}
	code.Write(text)
	// Bindings in order. A regular expression would add a tenth of a megabyte to the page.
	var writable []bool
	for _, binding := range strings.Split(code.String(), " var<storage, ")[1:] {
		writable = append(writable, strings.HasPrefix(binding, "read_write>"))
	}
	id, err := d.gpu.NewKernel(name, code.String(), writable)
	if err != nil {
		return kernel{}, fmt.Errorf("shader %s: %w", name, err)
	}
	k := kernel{id, len(writable)}
	d.kernels[name] = k
	return k, nil
}

// A SizeError says what does not fit on a device, and what would.
type SizeError struct {
	Device string
	What   string // what does not fit
	Need   int    // bytes
	Have   int    // bytes of one buffer, or of all that could be had
	Fits   string // what would, empty if that is not known
	Err    error  // ErrMemory, or nil for a limit of the adapter
}

// Error says that e.What is too large for one buffer of the device or, with e.Err, for its memory.
func (e *SizeError) Error() string {
	text := fmt.Sprintf("%s needs %s at once, and %s has buffers of at most %s", e.What, size(e.Need), e.Device, size(e.Have))
	if e.Err != nil {
		text = fmt.Sprintf("%s needs %s at once, and %s is out of memory after %s", e.What, size(e.Need), e.Device, size(e.Have))
	}
	if e.Fits != "" {
		text += ": " + e.Fits + " fit"
	}
	return text
}

func (e *SizeError) Unwrap() error { return e.Err }

// size returns a number of bytes in MiB or KiB.
func size(bytes int) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
}

// reserve returns the named buffer with room for n four-byte values. If it was too small, its content is lost.
func (d *Device) reserve(name string, n int) (Buffer, error) {
	bytes := max(4*n, 256)
	b := d.buffers[name]
	if b != nil && b.bytes >= bytes {
		return b.id, nil
	}
	if bytes > d.limits.Binding {
		return 0, &SizeError{Device: d.String(), What: "the buffer " + name, Need: bytes, Have: d.limits.Binding}
	}
	if b != nil {
		// Slack, so that similar batches do not reallocate.
		bytes = min(bytes+bytes/8, d.limits.Binding) &^ 3
		d.release(name)
	}
	id, err := d.gpu.NewBuffer(bytes)
	if err != nil {
		if errors.Is(err, ErrMemory) {
			return 0, &SizeError{Device: d.String(), What: "the buffer " + name, Need: d.had + bytes, Have: d.had, Err: err}
		}
		return 0, err
	}
	d.had += bytes
	d.buffers[name] = &buffer{id, bytes}
	return id, nil
}

// release frees the buffer with that name, if there is one.
func (d *Device) release(name string) {
	if b := d.buffers[name]; b != nil {
		d.gpu.Free(b.id)
		d.had -= b.bytes
		delete(d.buffers, name)
	}
}

// Close releases all memory; trainings cannot continue. The GPU stays open.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.buffers {
		d.release(name)
	}
	d.uploaded, d.training = nil, nil
}

// A job collects work. After an error it accepts none.
type job struct {
	d    *Device
	work Work
	err  error
}

// buffer is reserve.
func (j *job) buffer(name string, n int) Buffer {
	if j.err != nil {
		return 0
	}
	b, err := j.d.reserve(name, n)
	if err != nil {
		j.err = err
	}
	return b
}

// write adds an upload of data to a buffer.
func (j *job) write(b Buffer, data []byte) {
	if len(data) > 0 {
		j.work.Writes = append(j.work.Writes, Write{Buffer: b, Data: data})
	}
}

// read reads the first n values of a buffer.
func (j *job) read(b Buffer, n int) {
	j.work.Reads = append(j.work.Reads, Read{Buffer: b, Bytes: 4 * n})
}

// maxGroups is the number of workgroups in a direction that every WebGPU allows.
const maxGroups = 65535

// call runs a kernel on groups workgroups. The parameters are the words of the uniform P of the shader.
func (j *job) call(name string, groups int, params []uint32, buffers ...Buffer) {
	if j.err != nil || groups == 0 {
		return
	}
	k, err := j.d.kernel(name)
	if err != nil {
		j.err = err
		return
	}
	if len(buffers) != k.bindings {
		panic(fmt.Sprintf("wgsl: %s got %d buffers, has %d bindings", name, len(buffers), k.bindings))
	}
	c := Call{Kernel: k.id, X: min(groups, maxGroups), Y: (groups + maxGroups - 1) / maxGroups} // shaders skip surplus groups
	copy(c.Buffers[:], buffers)
	j.work.Calls = append(j.work.Calls, c)
	start := len(j.work.Params)
	j.work.Params = append(j.work.Params, make([]byte, ParamBytes)...)
	for i, p := range params {
		binary.LittleEndian.PutUint32(j.work.Params[start+4*i:], p)
	}
}

// each runs a kernel with one thread for each of n values, 256 in a workgroup.
func (j *job) each(name string, n int, params []uint32, buffers ...Buffer) {
	j.call(name, (n+255)/256, params, buffers...)
}

// submit starts the work. After a lost device everything fails.
func (j *job) submit() (Pending, error) {
	if j.err != nil {
		return nil, j.err
	}
	if j.d.lost != nil {
		return nil, j.d.lost
	}
	p, err := j.d.gpu.Submit(&j.work)
	return p, j.d.failed(err)
}

// failed returns err, or the loss of the device if that has been lost. It records a loss.
func (d *Device) failed(err error) error {
	if errors.Is(err, ErrLost) && d.lost == nil {
		d.lost = fmt.Errorf("%s: %w", d.String(), err)
	}
	if d.lost != nil {
		return d.lost
	}
	return err
}

// words returns numbers as the words of a uniform.
func words[T int | uint32](x ...T) []uint32 {
	w := make([]uint32, len(x))
	for i, v := range x {
		w[i] = uint32(v)
	}
	return w
}

// flag returns 1 for true and 0 for false, as shaders read it.
func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// bits returns x as the word of a float32.
func bits(x float64) uint32 { return math.Float32bits(float32(x)) }

// none stands for no table or no weights.
const none = math.MaxUint32

// bytesOf returns values as the device stores them.
func bytesOf[T uint32 | float32](values []T) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		switch v := any(v).(type) {
		case uint32:
			data = binary.LittleEndian.AppendUint32(data, v)
		case float32:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	return data
}

// floats decodes what a device stored.
func floats(dst []float32, data []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}
