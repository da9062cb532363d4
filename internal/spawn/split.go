package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Split is how a host's CPUs are divided between the suite and the subject.
type Split struct {
	Suite, Subject []int // CPUs, in ascending order
	Sharing        Sharing
}

// Sharing says how far the suite and the subject get in each other's way.
type Sharing int

// How CPUs are shared. Two hardware threads of a core are CPUs of their own to
// the kernel, but take turns at its execution units and share its caches.
const (
	Apart    Sharing = iota // different cores
	SameCore                // different threads of one core
	SameCPU                 // the one CPU that there is
)

// SplitCPUs gives the suite the first half of the cores that cpus belong to,
// and the subject the rest, which is the larger half of an odd number. Where
// all are threads of one core, the threads are split.
func SplitCPUs(cpus []int) Split { return splitCores(cores(topology, cpus)) }

func splitCores(cores [][]int) Split {
	if len(cores) > 1 {
		half := len(cores) / 2
		return Split{joined(cores[:half]), joined(cores[half:]), Apart}
	}
	cpus := joined(cores)
	if len(cpus) < 2 {
		return Split{slices.Clone(cpus), cpus, SameCPU}
	}
	half := len(cpus) / 2
	return Split{cpus[:half:half], cpus[half:], SameCore}
}

func joined(cores [][]int) []int {
	cpus := slices.Concat(cores...)
	slices.Sort(cpus)
	return cpus
}

// topology is where the kernel says what CPUs are parts of
// (Documentation/ABI/stable/sysfs-devices-system-cpu).
const topology = "/sys/devices/system/cpu"

// cores groups cpus, given in ascending order, by core. A CPU of which the
// kernel does not tell is a core of its own.
func cores(dir string, cpus []int) [][]int {
	var all [][]int
	at := make(map[string]int) // index in all by the list of a core's threads
	for _, cpu := range cpus {
		threads := siblings(dir, cpu)
		i, known := at[threads]
		if !known {
			i = len(all)
			at[threads] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], cpu)
	}
	return all
}

// siblings is the kernel's list of the threads of a CPU's core.
func siblings(dir string, cpu int) string {
	file := filepath.Join(dir, fmt.Sprintf("cpu%d", cpu), "topology", "thread_siblings_list")
	data, err := os.ReadFile(file)
	list := strings.TrimSpace(string(data))
	if threads, parsed := ParseCPUs(list); err != nil || parsed != nil || !slices.Contains(threads, cpu) {
		return fmt.Sprint(cpu)
	}
	return list
}
