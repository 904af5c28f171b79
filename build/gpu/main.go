// Command baca-gpu is the command baca with GPUs for --device: over Vulkan on Linux,
// Metal on macOS, Direct3D 12 on Windows.
package main

import (
	"baca/algo/wgsl"
	"baca/build/baca/command"
	"baca/build/device"
	"baca/build/gpu/native"
)

func main() { command.Main(gpus) }

var gpus = &device.GPUs{
	List: func() []string {
		var names []string
		for _, a := range native.Adapters() {
			names = append(names, a.String())
		}
		return names
	},
	Open: func(number int) (wgsl.GPU, error) { return native.Open(number) },
}
