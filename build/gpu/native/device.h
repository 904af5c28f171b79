// What native.go calls: WebGPU devices through wgpu-native, with all callbacks on
// this side of cgo.
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

typedef struct gpu gpu;

typedef struct {
	char name[256];
	int backend, type; // WGPUBackendType, WGPUAdapterType
	uint64_t binding, buffer;
} gpu_info;

enum { GPU_OK, GPU_FAULT, GPU_MEMORY, GPU_LOST };

// gpu_list writes at most n adapters that can compute and returns their number.
int gpu_list(gpu_info *infos, int n);
// gpu_open opens an adapter of that list; NULL and a message if it cannot.
gpu *gpu_open(int index, char *message, size_t size);
void gpu_close(gpu *g);
// gpu_error takes the first error since the last call: its kind and message.
int gpu_error(gpu *g, char *message, size_t size);

void *gpu_buffer(gpu *g, uint64_t bytes, bool staging, bool uniform);
void gpu_buffer_release(void *buffer);
void gpu_write(gpu *g, void *buffer, uint64_t offset, const void *data, size_t bytes);

typedef struct {
	void *pipeline, *layout;
} gpu_kernel;
// gpu_compile makes a kernel of one uniform and n storage buffers.
gpu_kernel gpu_compile(gpu *g, const char *code, int n, const bool *writable);
void gpu_kernel_release(gpu_kernel k);
void *gpu_group(gpu *g, void *layout, void *uniform, uint64_t params, int n, void *const *buffers);
void gpu_group_release(void *group);

typedef struct {
	void *pipeline, *group;
	uint32_t offset, x, y;
} gpu_call;
typedef struct {
	void *from;
	uint64_t offset, to, bytes;
} gpu_copy;
// gpu_submit runs the calls and then copies to staging. It returns what gpu_wait
// waits for, NULL after an error.
int *gpu_submit(gpu *g, const gpu_call *calls, int n, const gpu_copy *copies, int m, void *staging);
// gpu_wait waits for a submission and copies its staging buffer to data.
void gpu_wait(gpu *g, int *done, void *staging, void *data, size_t bytes);
