#define _POSIX_C_SOURCE 199309L
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wgpu.h"

struct gpu {
	WGPUInstance instance;
	WGPUAdapter adapter;
	WGPUDevice device;
	WGPUQueue queue;
	int error;
	bool lost;
	char message[1024];
};

static void note(gpu *g, int kind, const char *message) {
	if (g->error == GPU_OK) {
		g->error = kind;
		snprintf(g->message, sizeof g->message, "%s", message ? message : "no reason given");
	}
}

static void on_error(WGPUErrorType type, char const *message, void *userdata) {
	switch (type) {
	case WGPUErrorType_NoError: return;
	case WGPUErrorType_OutOfMemory: note(userdata, GPU_MEMORY, message); return;
	case WGPUErrorType_DeviceLost: note(userdata, GPU_LOST, message); return;
	default: note(userdata, message && strstr(message, "lost") ? GPU_LOST : GPU_FAULT, message);
	}
}

static void on_lost(WGPUDeviceLostReason reason, char const *message, void *userdata) {
	gpu *g = userdata;
	g->lost = true;
	if (reason != WGPUDeviceLostReason_Destroyed) note(g, GPU_LOST, message);
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, char const *message, void *userdata) {
	gpu *g = userdata;
	if (status == WGPURequestDeviceStatus_Success) g->device = device;
	else note(g, GPU_FAULT, message);
}

static void on_done(WGPUQueueWorkDoneStatus status, void *userdata) { *(int *)userdata = 1 + (int)status; }

static void on_map(WGPUBufferMapAsyncStatus status, void *userdata) { *(int *)userdata = 1 + (int)status; }

static void describe(WGPUAdapter adapter, gpu_info *info) {
	WGPUAdapterInfo a = {0};
	wgpuAdapterGetInfo(adapter, &a);
	// The library puts the name into the description.
	snprintf(info->name, sizeof info->name, "%s", a.description ? a.description : "");
	info->backend = a.backendType;
	info->type = a.adapterType;
	wgpuAdapterInfoFreeMembers(a);
	WGPUSupportedLimits l = {0};
	wgpuAdapterGetLimits(adapter, &l);
	info->binding = l.limits.maxStorageBufferBindingSize;
	info->buffer = l.limits.maxBufferSize;
}

// adapters returns the instance and its adapters that reach WebGPU's default limits,
// or NULL.
static WGPUAdapter *adapters(WGPUInstance *instance, size_t *count) {
	wgpuSetLogLevel(WGPULogLevel_Off); // errors come through on_error
	WGPUInstanceExtras extras = {.chain = {.sType = (WGPUSType)WGPUSType_InstanceExtras}, .backends = WGPUInstanceBackend_Primary};
	WGPUInstanceDescriptor d = {.nextInChain = &extras.chain};
	*count = 0;
	*instance = wgpuCreateInstance(&d);
	if (!*instance) return NULL;
	WGPUInstanceEnumerateAdapterOptions o = {.backends = WGPUInstanceBackend_Primary};
	size_t n = wgpuInstanceEnumerateAdapters(*instance, &o, NULL);
	WGPUAdapter *list = calloc(n + 1, sizeof *list);
	if (!list) return NULL;
	n = wgpuInstanceEnumerateAdapters(*instance, &o, list);
	for (size_t i = 0; i < n; i++) {
		WGPUSupportedLimits l = {0};
		wgpuAdapterGetLimits(list[i], &l);
		if (l.limits.maxStorageBuffersPerShaderStage >= 8 && l.limits.maxComputeInvocationsPerWorkgroup >= 256 &&
			l.limits.maxComputeWorkgroupStorageSize >= 16384 && l.limits.maxComputeWorkgroupsPerDimension >= 65535)
			list[(*count)++] = list[i];
		else
			wgpuAdapterRelease(list[i]);
	}
	return list;
}

int gpu_list(gpu_info *infos, int n) {
	WGPUInstance instance;
	size_t count;
	WGPUAdapter *list = adapters(&instance, &count);
	for (size_t i = 0; i < count; i++) {
		if ((int)i < n) describe(list[i], &infos[i]);
		wgpuAdapterRelease(list[i]);
	}
	free(list);
	if (instance) wgpuInstanceRelease(instance);
	return (int)count;
}

gpu *gpu_open(int index, char *message, size_t size) {
	gpu *g = calloc(1, sizeof *g);
	if (!g) return NULL;
	size_t count;
	WGPUAdapter *list = adapters(&g->instance, &count);
	for (size_t i = 0; i < count; i++) {
		if ((int)i == index) g->adapter = list[i];
		else wgpuAdapterRelease(list[i]);
	}
	free(list);
	if (!g->adapter) note(g, GPU_FAULT, "no such adapter");
	else {
		// All that the adapter has: the limits of buffers above all.
		WGPUSupportedLimits have = {0};
		wgpuAdapterGetLimits(g->adapter, &have);
		WGPURequiredLimits want = {.limits = have.limits};
		WGPUDeviceDescriptor d = {
			.label = "baca", .requiredLimits = &want,
			.deviceLostCallback = on_lost, .deviceLostUserdata = g,
			.uncapturedErrorCallbackInfo = {.callback = on_error, .userdata = g},
		};
		wgpuAdapterRequestDevice(g->adapter, &d, on_device, g);
		if (g->device) g->queue = wgpuDeviceGetQueue(g->device);
	}
	if (g->queue) return g;
	snprintf(message, size, "%s", g->error ? g->message : "no device");
	gpu_close(g);
	return NULL;
}

void gpu_close(gpu *g) {
	if (g->queue) wgpuQueueRelease(g->queue);
	if (g->device) wgpuDeviceRelease(g->device);
	if (g->adapter) wgpuAdapterRelease(g->adapter);
	if (g->instance) wgpuInstanceRelease(g->instance);
	free(g);
}

int gpu_error(gpu *g, char *message, size_t size) {
	int kind = g->error;
	if (kind != GPU_OK) snprintf(message, size, "%s", g->message);
	g->error = GPU_OK;
	return kind;
}

void *gpu_buffer(gpu *g, uint64_t bytes, bool staging, bool uniform) {
	WGPUBufferUsageFlags usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
	if (staging) usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
	if (uniform) usage = WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst;
	WGPUBufferDescriptor d = {.size = bytes, .usage = usage};
	return wgpuDeviceCreateBuffer(g->device, &d);
}

void gpu_buffer_release(void *buffer) { wgpuBufferRelease(buffer); }

void gpu_write(gpu *g, void *buffer, uint64_t offset, const void *data, size_t bytes) {
	wgpuQueueWriteBuffer(g->queue, buffer, offset, data, bytes);
}

gpu_kernel gpu_compile(gpu *g, const char *code, int n, const bool *writable) {
	gpu_kernel k = {0};
	WGPUShaderModuleWGSLDescriptor text = {.chain = {.sType = WGPUSType_ShaderModuleWGSLDescriptor}, .code = code};
	WGPUShaderModuleDescriptor md = {.nextInChain = &text.chain};
	WGPUShaderModule module = wgpuDeviceCreateShaderModule(g->device, &md);
	if (g->error) {
		if (module) wgpuShaderModuleRelease(module);
		return k;
	}
	WGPUBindGroupLayoutEntry entries[9] = {0};
	for (int i = 0; i <= n && i < 9; i++) {
		entries[i].binding = (uint32_t)i;
		entries[i].visibility = WGPUShaderStage_Compute;
		if (i == 0) {
			entries[i].buffer.type = WGPUBufferBindingType_Uniform;
			entries[i].buffer.hasDynamicOffset = true;
		} else
			entries[i].buffer.type = writable[i - 1] ? WGPUBufferBindingType_Storage : WGPUBufferBindingType_ReadOnlyStorage;
	}
	WGPUBindGroupLayoutDescriptor ld = {.entryCount = (size_t)n + 1, .entries = entries};
	WGPUBindGroupLayout layout = wgpuDeviceCreateBindGroupLayout(g->device, &ld);
	WGPUPipelineLayoutDescriptor pd = {.bindGroupLayoutCount = 1, .bindGroupLayouts = &layout};
	WGPUPipelineLayout pipelines = wgpuDeviceCreatePipelineLayout(g->device, &pd);
	WGPUComputePipelineDescriptor cd = {.layout = pipelines, .compute = {.module = module, .entryPoint = "main"}};
	k.pipeline = wgpuDeviceCreateComputePipeline(g->device, &cd);
	k.layout = layout;
	wgpuPipelineLayoutRelease(pipelines);
	wgpuShaderModuleRelease(module);
	return k;
}

void gpu_kernel_release(gpu_kernel k) {
	wgpuComputePipelineRelease(k.pipeline);
	wgpuBindGroupLayoutRelease(k.layout);
}

void *gpu_group(gpu *g, void *layout, void *uniform, uint64_t params, int n, void *const *buffers) {
	WGPUBindGroupEntry entries[9] = {0};
	entries[0].buffer = uniform;
	entries[0].size = params;
	for (int i = 1; i <= n && i < 9; i++) {
		entries[i].binding = (uint32_t)i;
		entries[i].buffer = buffers[i - 1];
		entries[i].size = WGPU_WHOLE_SIZE;
	}
	WGPUBindGroupDescriptor d = {.layout = layout, .entryCount = (size_t)n + 1, .entries = entries};
	return wgpuDeviceCreateBindGroup(g->device, &d);
}

void gpu_group_release(void *group) { wgpuBindGroupRelease(group); }

int *gpu_submit(gpu *g, const gpu_call *calls, int n, const gpu_copy *copies, int m, void *staging) {
	WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(g->device, NULL);
	if (n > 0) {
		WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
		void *pipeline = NULL;
		for (int i = 0; i < n; i++) {
			if (calls[i].pipeline != pipeline) wgpuComputePassEncoderSetPipeline(pass, pipeline = calls[i].pipeline);
			wgpuComputePassEncoderSetBindGroup(pass, 0, calls[i].group, 1, &calls[i].offset);
			wgpuComputePassEncoderDispatchWorkgroups(pass, calls[i].x, calls[i].y, 1);
		}
		wgpuComputePassEncoderEnd(pass);
		wgpuComputePassEncoderRelease(pass);
	}
	for (int i = 0; i < m; i++)
		wgpuCommandEncoderCopyBufferToBuffer(encoder, copies[i].from, copies[i].offset, staging, copies[i].to, copies[i].bytes);
	WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
	wgpuCommandEncoderRelease(encoder);
	int *done = g->error ? NULL : calloc(1, sizeof *done);
	// What is not valid is not submitted: that would end the process.
	if (done) {
		wgpuQueueSubmit(g->queue, 1, &commands);
		wgpuQueueOnSubmittedWorkDone(g->queue, on_done, done);
	} else
		note(g, GPU_FAULT, "no memory");
	if (commands) wgpuCommandBufferRelease(commands);
	return done;
}

// until waits for a callback to set done. The library's own wait takes work that
// runs for more than some seconds for finished, and frees what it still uses.
static void until(gpu *g, const int *done) {
	for (int i = 0; !*done && !g->lost; i++) {
		wgpuDevicePoll(g->device, false, NULL);
		if (i < 100) continue;
		struct timespec pause = {.tv_nsec = i < 1000 ? 20000 : 200000};
		nanosleep(&pause, NULL);
	}
}

void gpu_wait(gpu *g, int *done, void *staging, void *data, size_t bytes) {
	until(g, done);
	if (g->lost) { // then done may still be written to
		note(g, GPU_LOST, "no reason given");
		return;
	}
	int ok = *done == 1 + (int)WGPUQueueWorkDoneStatus_Success;
	free(done);
	if (ok && staging) {
		int *mapped = calloc(1, sizeof *mapped);
		if (!mapped) abort();
		wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, bytes, on_map, mapped);
		until(g, mapped);
		if (g->lost) {
			note(g, GPU_LOST, "no reason given");
			return;
		}
		ok = *mapped == 1 + (int)WGPUBufferMapAsyncStatus_Success;
		free(mapped);
	}
	if (!ok) {
		note(g, GPU_FAULT, "the result could not be read back");
		return;
	}
	if (staging) {
		memcpy(data, wgpuBufferGetConstMappedRange(staging, 0, bytes), bytes);
		wgpuBufferUnmap(staging);
	}
}
