package meter

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"

	"mcpbench/internal/cgroup"
)

// Host is the machine a measurement was made on. It does not say whose it is: no name, no address.
type Host struct {
	OS, Arch, Kernel string
	CPUModel         string // empty where the kernel does not tell
	LogicalCPUs      int
	MemoryTotal      int64  // bytes
	MemoryAvailable  int64  // bytes, as [AvailableMemory]
	Virtualization   string // the hypervisor or container; empty where none shows itself
	CgroupVersion    int    // of the memory controller; 0 where there is none
	CgroupLimit      *int64 // bytes, the tightest that applies; nil without one
}

// ReadHost reads the facts of the host.
func ReadHost() (Host, error) {
	info, err := host.Info()
	if err != nil {
		return Host{}, fmt.Errorf("read host: %w", err)
	}
	memory, err := mem.VirtualMemory()
	if err != nil {
		return Host{}, fmt.Errorf("read host memory: %w", err)
	}
	count, err := cpu.Counts(true)
	if err != nil {
		return Host{}, fmt.Errorf("count CPUs: %w", err)
	}
	model, err := cpuModel()
	if err != nil {
		return Host{}, err
	}
	version, bounds, err := ownBounds()
	if err != nil {
		return Host{}, err
	}
	h := Host{
		OS: info.OS, Arch: runtime.GOARCH, Kernel: info.KernelVersion,
		CPUModel: model, LogicalCPUs: count,
		MemoryTotal:     int64(memory.Total),
		MemoryAvailable: lesser(int64(memory.Available), bounds.Available),
		CgroupVersion:   version, CgroupLimit: bounds.Limit,
	}
	if info.VirtualizationRole == "guest" {
		h.Virtualization = info.VirtualizationSystem
	}
	return h, nil
}

// Label names the kind of host in a form fit for a folder, such as linux-amd64-2cpu-24gib-intel-xeon.
func (h Host) Label() string {
	gib := math.Round(float64(h.MemoryTotal) / (1 << 30))
	parts := fmt.Sprintf("%s-%s-%dcpu-%.0fgib-%s", h.OS, h.Arch, h.LogicalCPUs, gib, shortModel(h.CPUModel))
	return strings.Trim(notLabel.ReplaceAllString(strings.ToLower(parts), "-"), "-")
}

var (
	notLabel = regexp.MustCompile(`[^a-z0-9]+`)
	// What a model name holds besides the model: marks, the clock, the count of cores.
	notModel = regexp.MustCompile(`(?i)\((r|tm|c)\)|@.*$|\b(cpu|processor|\d+-core)\b`)
)

func shortModel(model string) string { return notModel.ReplaceAllString(model, " ") }

func cpuModel() (string, error) {
	cpus, err := cpu.Info()
	if err != nil {
		return "", fmt.Errorf("read CPU model: %w", err)
	}
	if len(cpus) == 0 {
		return "", nil
	}
	return strings.Join(strings.Fields(cpus[0].ModelName), " "), nil
}

// AvailableMemory returns the bytes that new work can have without swapping: what the kernel estimates
// (MemAvailable, proc_meminfo(5)), or what the memory cgroup of the calling process still allows where that
// is less.
func AvailableMemory() (int64, error) {
	memory, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("read host memory: %w", err)
	}
	_, bounds, err := ownBounds()
	if err != nil {
		return 0, err
	}
	return lesser(int64(memory.Available), bounds.Available), nil
}

// ownBounds are those of this process's memory cgroup, with the version of its interface.
func ownBounds() (version int, bounds cgroup.Bounds, err error) {
	group, err := cgroup.Own()
	if err != nil {
		return 0, bounds, err
	}
	bounds, err = group.Bounds()
	return group.Version(), bounds, err
}

func lesser(host int64, group *int64) int64 {
	if group == nil {
		return host
	}
	return min(host, *group)
}

// CPUTimes are what CPUs have done since the host's start, in steps of 10 ms a CPU (proc_stat(5)).
type CPUTimes struct {
	// Processes is the time spent in any process, in user and kernel mode; interrupts are not in it.
	Processes time.Duration
	// Steal is the time in which a CPU of this virtual machine was ready and the hypervisor ran something
	// else. A host that is not virtual steals nothing.
	Steal time.Duration
}

// HostCPU returns the times of the given CPUs of the host, summed.
func HostCPU(cpus []int) (CPUTimes, error) {
	times, err := cpu.Times(true)
	if err != nil {
		return CPUTimes{}, fmt.Errorf("read the host's CPU times: %w", err)
	}
	var sum CPUTimes
	for _, number := range cpus {
		name := "cpu" + strconv.Itoa(number)
		i := slices.IndexFunc(times, func(t cpu.TimesStat) bool { return t.CPU == name })
		if i < 0 {
			return CPUTimes{}, fmt.Errorf("read the host's CPU times: /proc/stat has no line for %s", name)
		}
		sum.Processes += seconds(times[i].User + times[i].Nice + times[i].System)
		sum.Steal += seconds(times[i].Steal)
	}
	return sum, nil
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
