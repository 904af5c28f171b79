package native

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The few declarations of Vulkan 1.2 that it takes to ask for the driver, which the
// library does not tell.
typedef struct { uint32_t type; const void *next; const char *name; uint32_t version; const char *engine; uint32_t engineVersion, api; } app_info;
typedef struct { uint32_t type; const void *next; uint32_t flags; const app_info *app; uint32_t layers; const char *const *layerNames; uint32_t extensions; const char *const *extensionNames; } instance_info;
typedef struct { uint32_t type; void *next; uint32_t id; char name[256], info[256]; uint8_t conformance[4]; } driver_properties;
typedef struct {
	uint32_t type;
	void *next;
	uint32_t api, driver, vendor, device, kind;
	char name[256];
	char rest[4096]; // more than the limits of all versions
} device_properties;

// driver writes the driver of the first Vulkan device of that name to text.
static void driver(const char *device, char *text, size_t size) {
	void *lib = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib) return;
	int (*create)(const instance_info *, const void *, void **) = dlsym(lib, "vkCreateInstance");
	int (*list)(void *, uint32_t *, void **) = dlsym(lib, "vkEnumeratePhysicalDevices");
	void (*properties)(void *, device_properties *) = dlsym(lib, "vkGetPhysicalDeviceProperties2");
	void (*destroy)(void *, const void *) = dlsym(lib, "vkDestroyInstance");
	app_info app = {.api = 1u << 22 | 2u << 12};
	instance_info info = {.type = 1, .app = &app};
	void *instance = NULL;
	if (create && list && properties && destroy && create(&info, NULL, &instance) == 0) {
		void *devices[64];
		uint32_t n = 64;
		if (list(instance, &n, devices) >= 0) {
			for (uint32_t i = 0; i < n; i++) {
				driver_properties d = {.type = 1000196000};
				device_properties p = {.type = 1000059001, .next = &d};
				properties(devices[i], &p);
				if (strcmp(p.name, device) == 0) {
					snprintf(text, size, "%s %s", d.name, d.info);
					break;
				}
			}
		}
		destroy(instance, NULL);
	}
	dlclose(lib);
}
*/
import "C"

import (
	"os"
	"strings"
	"unsafe"
)

func init() {
	// Mesa's drivers look for a display even where nothing is to be shown, and print
	// an error every time if this is not set.
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		os.Setenv("XDG_RUNTIME_DIR", os.TempDir())
	}
}

// driverOf returns the name and version of the driver of a Vulkan device, empty if
// they cannot be found.
func driverOf(device string) string {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	text := make([]C.char, 512)
	C.driver(name, &text[0], C.size_t(len(text)))
	return strings.TrimSpace(C.GoString(&text[0]))
}
