package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall/js"

	"baca/algo/wgsl"
	"baca/wasm/worker/promise"
)

// A GPU is the browser's own choice of adapter. It implements wgsl.GPU, on the
// browser's one thread: whoever waits lets others run.
type GPU struct {
	name     string
	software bool
	limits   wgsl.Limits
	device   js.Value
	queue    js.Value
	lost     string // why, once the device is lost
	onLost   js.Func
	buffers  map[wgsl.Buffer]js.Value
	last     wgsl.Buffer
	kernels  []kernel // kernel 1 first
	groups   map[group]js.Value
	uniform  js.Value
	room     int // bytes of uniform
	staging  []stage
	bytes    js.Value // a Uint8Array, to pass data through
}

type kernel struct {
	pipeline, layout js.Value
	bindings         int
}

// A group is what a bind group is made of.
type group struct {
	kernel  wgsl.Kernel
	buffers [wgsl.MaxBindings]wgsl.Buffer
}

// A stage is a buffer that results are read through.
type stage struct {
	buffer js.Value
	bytes  int
}

// The usages of buffers.
const (
	mapRead  = 0x01
	copySrc  = 0x04
	copyDst  = 0x08
	uniforms = 0x40
	storages = 0x80
)

// Open returns the browser's GPU, or an error that says why there is none. It must
// not be called where nothing else can run, as in an event's callback.
func Open() (*GPU, error) {
	navigator := js.Global().Get("navigator")
	if navigator.Type() != js.TypeObject || navigator.Get("gpu").Type() != js.TypeObject {
		return nil, errors.New("this browser has no WebGPU, or not on this page")
	}
	adapter, err := promise.Await(navigator.Get("gpu").Call("requestAdapter", map[string]any{"powerPreference": "high-performance"}))
	if err != nil {
		return nil, err
	}
	if adapter.Type() != js.TypeObject {
		return nil, errors.New("this browser's WebGPU has no adapter")
	}
	l := adapter.Get("limits")
	limits := map[string]any{}
	for _, name := range []string{"maxStorageBufferBindingSize", "maxBufferSize"} {
		limits[name] = l.Get(name)
	}
	device, err := promise.Await(adapter.Call("requestDevice", map[string]any{"requiredLimits": limits}))
	if err != nil {
		return nil, err
	}
	g := &GPU{
		name:   describe(adapter),
		limits: wgsl.Limits{Binding: l.Get("maxStorageBufferBindingSize").Int(), Buffer: l.Get("maxBufferSize").Int()},
		device: device, queue: device.Get("queue"),
		buffers: map[wgsl.Buffer]js.Value{}, groups: map[group]js.Value{},
		bytes: js.Global().Get("Uint8Array").New(1 << 16),
	}
	info := adapter.Get("info")
	g.software = adapter.Get("isFallbackAdapter").Truthy() ||
		info.Type() == js.TypeObject && (info.Get("isFallbackAdapter").Truthy() || info.Get("architecture").String() == "swiftshader")
	g.onLost = js.FuncOf(func(_ js.Value, args []js.Value) any {
		g.lost = args[0].Get("reason").String() + " " + args[0].Get("message").String()
		return nil
	})
	device.Get("lost").Call("then", g.onLost)
	return g, nil
}

// describe names an adapter by what the browser tells of it.
func describe(adapter js.Value) string {
	var parts []string
	if info := adapter.Get("info"); info.Type() == js.TypeObject {
		for _, name := range []string{"description", "device", "vendor", "architecture"} {
			if v := info.Get(name); v.Type() == js.TypeString && v.String() != "" && !slices.Contains(parts, v.String()) {
				parts = append(parts, v.String())
			}
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "GPU")
	}
	return strings.Join(parts, " ") + ", WebGPU in the browser"
}

// Software implements wgsl.GPU, as far as the browser says.
func (g *GPU) Software() bool { return g.software }

// Close gives everything back.
func (g *GPU) Close() { g.device.Call("destroy") }

// String implements wgsl.GPU.
func (g *GPU) String() string { return g.name }

// Limits implements wgsl.GPU.
func (g *GPU) Limits() wgsl.Limits { return g.limits }

// scope begins to gather errors of the kinds "validation" and "out-of-memory".
func (g *GPU) scope() {
	g.device.Call("pushErrorScope", "validation")
	g.device.Call("pushErrorScope", "out-of-memory")
}

// scoped ends what scope began, and returns what to wait for.
func (g *GPU) scoped() [2]js.Value {
	return [2]js.Value{g.device.Call("popErrorScope"), g.device.Call("popErrorScope")}
}

// failure waits for the errors of a scope.
func (g *GPU) failure(scopes [2]js.Value) error {
	for i, kind := range []error{wgsl.ErrMemory, nil} {
		e, err := promise.Await(scopes[i])
		switch {
		case g.lost != "":
			return fmt.Errorf("%w: %s", wgsl.ErrLost, g.lost)
		case err != nil:
			return fmt.Errorf("%w: %w", wgsl.ErrLost, err)
		case e.Type() != js.TypeObject:
		case kind != nil:
			return fmt.Errorf("%w: %s", kind, e.Get("message").String())
		default:
			return errors.New(e.Get("message").String())
		}
	}
	return nil
}

func (g *GPU) newBuffer(bytes, usage int) (js.Value, error) {
	g.scope()
	b := g.device.Call("createBuffer", map[string]any{"size": bytes, "usage": usage})
	return b, g.failure(g.scoped())
}

// NewBuffer implements wgsl.GPU.
func (g *GPU) NewBuffer(bytes int) (wgsl.Buffer, error) {
	b, err := g.newBuffer(bytes, storages|copySrc|copyDst)
	if err != nil {
		return 0, err
	}
	g.last++
	g.buffers[g.last] = b
	return g.last, nil
}

// Free implements wgsl.GPU.
func (g *GPU) Free(b wgsl.Buffer) {
	for k := range g.groups {
		if slices.Contains(k.buffers[:], b) {
			delete(g.groups, k)
		}
	}
	g.buffers[b].Call("destroy")
	delete(g.buffers, b)
}

// NewKernel implements wgsl.GPU.
func (g *GPU) NewKernel(name, code string, writable []bool) (wgsl.Kernel, error) {
	g.scope()
	entries := []any{map[string]any{
		"binding": 0, "visibility": 4, "buffer": map[string]any{"type": "uniform", "hasDynamicOffset": true},
	}}
	for i, w := range writable {
		kind := "read-only-storage"
		if w {
			kind = "storage"
		}
		entries = append(entries, map[string]any{"binding": i + 1, "visibility": 4, "buffer": map[string]any{"type": kind}})
	}
	layout := g.device.Call("createBindGroupLayout", map[string]any{"entries": entries})
	pipeline := g.device.Call("createComputePipeline", map[string]any{
		"label":  name,
		"layout": g.device.Call("createPipelineLayout", map[string]any{"bindGroupLayouts": []any{layout}}),
		"compute": map[string]any{
			"module":     g.device.Call("createShaderModule", map[string]any{"label": name, "code": code}),
			"entryPoint": "main",
		},
	})
	if err := g.failure(g.scoped()); err != nil {
		return 0, err
	}
	g.kernels = append(g.kernels, kernel{pipeline, layout, len(writable)})
	return wgsl.Kernel(len(g.kernels)), nil
}

// group returns the bind group of a call.
func (g *GPU) group(c wgsl.Call) js.Value {
	key := group{c.Kernel, c.Buffers}
	if v, ok := g.groups[key]; ok {
		return v
	}
	k := g.kernels[c.Kernel-1]
	entries := []any{map[string]any{"binding": 0, "resource": map[string]any{"buffer": g.uniform, "size": wgsl.ParamBytes}}}
	for i := range k.bindings {
		entries = append(entries, map[string]any{"binding": i + 1, "resource": map[string]any{"buffer": g.buffers[c.Buffers[i]]}})
	}
	v := g.device.Call("createBindGroup", map[string]any{"layout": k.layout, "entries": entries})
	g.groups[key] = v
	return v
}

// write copies data to a buffer.
func (g *GPU) write(b js.Value, offset int, data []byte) {
	if n := g.bytes.Get("length").Int(); n < len(data) {
		g.bytes = js.Global().Get("Uint8Array").New(max(2*n, len(data)))
	}
	js.CopyBytesToJS(g.bytes, data)
	g.queue.Call("writeBuffer", b, offset, g.bytes, 0, len(data))
}

// stage takes a free buffer for results of at least that many bytes, or makes one. If all free ones are too small, it
// destroys one of them, so that their number does not grow.
func (g *GPU) stage(bytes int) (stage, error) {
	for i, s := range g.staging {
		if s.bytes >= bytes {
			g.staging = slices.Delete(g.staging, i, i+1)
			return s, nil
		}
	}
	if n := len(g.staging); n > 0 {
		g.staging[n-1].buffer.Call("destroy")
		g.staging = g.staging[:n-1]
	}
	b, err := g.newBuffer(bytes, mapRead|copyDst)
	return stage{b, bytes}, err
}

// Submit implements wgsl.GPU.
func (g *GPU) Submit(w *wgsl.Work) (wgsl.Pending, error) {
	if g.lost != "" {
		return nil, fmt.Errorf("%w: %s", wgsl.ErrLost, g.lost)
	}
	p := &pending{gpu: g}
	for _, r := range w.Reads {
		p.sizes = append(p.sizes, r.Bytes)
		p.bytes += r.Bytes
	}
	var err error
	if p.bytes > 0 {
		if p.stage, err = g.stage(p.bytes); err != nil {
			return nil, err
		}
	}
	if g.room < len(w.Params) {
		if g.uniform, err = g.newBuffer(2*len(w.Params), uniforms|copyDst); err != nil {
			return nil, err
		}
		g.room = 2 * len(w.Params)
		clear(g.groups)
	}
	g.scope()
	for _, write := range w.Writes {
		g.write(g.buffers[write.Buffer], write.Offset, write.Data)
	}
	if len(w.Params) > 0 {
		g.write(g.uniform, 0, w.Params)
	}
	encoder := g.device.Call("createCommandEncoder")
	if len(w.Calls) > 0 {
		pass := encoder.Call("beginComputePass")
		last := wgsl.Kernel(0)
		for i, c := range w.Calls {
			if c.Kernel != last {
				pass.Call("setPipeline", g.kernels[c.Kernel-1].pipeline)
				last = c.Kernel
			}
			pass.Call("setBindGroup", 0, g.group(c), []any{i * wgsl.ParamBytes})
			pass.Call("dispatchWorkgroups", c.X, c.Y)
		}
		pass.Call("end")
	}
	at := 0
	for _, r := range w.Reads {
		if r.Bytes > 0 {
			encoder.Call("copyBufferToBuffer", g.buffers[r.Buffer], r.Offset, p.stage.buffer, at, r.Bytes)
			at += r.Bytes
		}
	}
	g.queue.Call("submit", []any{encoder.Call("finish")})
	p.scopes = g.scoped()
	if p.bytes > 0 {
		p.done = p.stage.buffer.Call("mapAsync", 1, 0, p.bytes)
	} else {
		p.done = g.queue.Call("onSubmittedWorkDone")
	}
	return p, nil
}

type pending struct {
	gpu    *GPU
	scopes [2]js.Value
	done   js.Value // a promise
	stage  stage
	sizes  []int
	bytes  int
}

// Wait implements wgsl.Pending. Work that runs cannot be called off.
func (p *pending) Wait(context.Context) ([][]byte, error) {
	g := p.gpu
	if err := g.failure(p.scopes); err != nil {
		p.done.Call("catch", js.Global().Get("Function").New()) // it fails too
		return nil, err
	}
	if _, err := promise.Await(p.done); err != nil {
		if g.lost != "" {
			err = fmt.Errorf("%s: %w", g.lost, err)
		}
		return nil, fmt.Errorf("%w: %w", wgsl.ErrLost, err)
	}
	if g.lost != "" {
		return nil, fmt.Errorf("%w: %s", wgsl.ErrLost, g.lost)
	}
	if p.bytes == 0 {
		return make([][]byte, len(p.sizes)), nil
	}
	data := make([]byte, p.bytes)
	js.CopyBytesToGo(data, js.Global().Get("Uint8Array").New(p.stage.buffer.Call("getMappedRange", 0, p.bytes)))
	p.stage.buffer.Call("unmap")
	g.staging = append(g.staging, p.stage)
	var parts [][]byte
	for _, n := range p.sizes {
		parts = append(parts, data[:n:n])
		data = data[n:]
	}
	return parts, nil
}
