// Package gpu is wgsl.GPU over a browser's navigator.gpu.
package gpu
