package config

import (
	"os"
	"strconv"
	"strings"
)

// fallbackMemory is assumed when the memory of the machine cannot be read.
const fallbackMemory = 4 << 30

// MemoryBudget returns the memory that the node may use: the variable, otherwise
// the limit of its container, otherwise the memory of the machine.
func (c *Config) MemoryBudget() int64 {
	if c.Node.MemoryBudget > 0 {
		return c.Node.MemoryBudget
	}
	machine := machineMemory()
	if bound := containerMemory(); bound > 0 && bound < machine {
		return bound
	}
	return machine
}

func containerMemory() int64 {
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

func machineMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return fallbackMemory
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		rest, ok := strings.CutPrefix(line, "MemTotal:")
		if !ok {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err == nil {
			return kilobytes << 10
		}
	}
	return fallbackMemory
}
