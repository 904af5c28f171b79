// Package machine describes the machine in reports.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Processor returns the name of the processor and the number of cores.
func Processor() string {
	name := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores", name, runtime.NumCPU())
}
