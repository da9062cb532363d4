package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// suite is what the benchmarks share: what is measured, where, and where it is written to.
type suite struct {
	subject       *scenarios.Subject
	build         build
	host          meter.Host
	cpus          cpuPlan
	gitlabLatency time.Duration
	round         int

	recordPath string
	writer     *record.Writer
	progress   *progress
	// results are those of this run, in order.
	results []record.Result
}

// cpuPlan says which CPUs the suite and the subject run on.
type cpuPlan struct {
	suite, subject []int
	// shared says that there were too few to keep the two apart.
	shared bool
}

// newSuite confines the suite to its CPUs, resolves the subject's binary, and begins the record.
func newSuite(o options) (*suite, error) {
	plan, err := confine(o.cpus)
	if err != nil {
		return nil, err
	}
	s := &suite{cpus: plan, gitlabLatency: o.gitlabLatency}
	if s.subject, err = scenarios.Load(o.subject); err != nil {
		return nil, err
	}
	if s.host, err = meter.ReadHost(); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "bench_test: subject %s", s.subject.Name)
	if s.build, err = resolveBuild(context.Background(), s.subject, o.binary); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, ", build %s (%s), on CPU %s; suite on CPU %s\n", s.build.version, s.build.commit,
		spawn.FormatCPUs(plan.subject), spawn.FormatCPUs(plan.suite))
	return s, s.beginRecord(o)
}

// confine splits the CPUs and runs the suite again, with the same arguments, on its share of them.
func confine(list string) (cpuPlan, error) {
	if list == "" {
		cpus, err := spawn.CPUs()
		if err != nil {
			return cpuPlan{}, err
		}
		// In its second life the suite sees only its own share.
		list = spawn.FormatCPUs(cpus)
		os.Args = slices.Insert(os.Args, 1, "-cpus="+list)
	}
	cpus, err := spawn.ParseCPUs(list)
	if err != nil {
		return cpuPlan{}, err
	}
	var plan cpuPlan
	plan.suite, plan.subject, plan.shared = spawn.SplitCPUs(cpus)
	return plan, spawn.PinSelf(plan.suite)
}

func (s *suite) beginRecord(o options) error {
	names := s.pointNames()
	chosen := selected(flag.Lookup("test.bench").Value.String(), names)
	s.progress = newProgress(os.Stderr, chosen*o.rounds)
	plan := make(record.Plan, len(names))
	for _, name := range names {
		plan[name] = o.rounds
	}
	var err error
	if s.recordPath, err = recordPath(o.record); err != nil {
		return err
	}
	s.writer, err = record.Create(s.recordPath, plan)
	return err
}

// recordPath is where the record goes: the path given, or a new name under out/ of the checkout, or
// in the working directory where there is no checkout.
func recordPath(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	name := "record-" + time.Now().UTC().Format("20060102T150405Z") + ".txt"
	root, err := moduleRoot()
	if err != nil {
		return filepath.Abs(name)
	}
	dir := filepath.Join(root, "out")
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o755)
}

func (s *suite) pointNames() []string {
	var names []string
	for _, p := range scenarios.Points() {
		names = append(names, "Point/"+p.Name(s.subject.Name))
	}
	return names
}

// keep puts a result on disk, and in mind for those that build on it.
func (s *suite) keep(r record.Result) error {
	s.results = append(s.results, r)
	return s.writer.Write(r)
}

func (s *suite) close() {
	fmt.Fprintln(os.Stderr, "bench_test: record in", s.recordPath)
	if err := s.writer.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "bench_test:", err)
	}
}

// config holds what makes two results incomparable.
func (s *suite) config() map[string]string {
	return map[string]string{
		record.KeyGOOS:        runtime.GOOS,
		record.KeyGOARCH:      runtime.GOARCH,
		record.KeyHost:        s.host.Label(),
		record.KeyCPU:         fmt.Sprintf("%s, %d logical", s.host.CPUModel, s.host.LogicalCPUs),
		record.KeyKernel:      s.host.Kernel,
		record.KeyMemory:      fmt.Sprintf("%.1f GiB", float64(s.host.MemoryTotal)/(1<<30)),
		record.KeySuiteCPUs:   spawn.FormatCPUs(s.cpus.suite),
		record.KeySubjectCPUs: spawn.FormatCPUs(s.cpus.subject),
		record.KeyGoSuite:     runtime.Version(),
	}
}

// identity holds what tells a result from a comparable one.
func (s *suite) identity() map[string]string {
	return map[string]string{
		record.KeyBuild:     s.build.version,
		record.KeySHA256:    s.build.sha256,
		record.KeyCommit:    s.build.commit,
		record.KeyDate:      time.Now().UTC().Format(time.RFC3339),
		record.KeyRound:     fmt.Sprint(s.round),
		record.KeyGoSubject: s.build.toolchain,
	}
}

// tested is the subject and the build that tests use. They resolve it once, and only if they need it.
var tested = sync.OnceValues(func() (*suite, error) {
	subject, err := scenarios.Load(opts.subject)
	if err != nil {
		return nil, err
	}
	s := &suite{subject: subject}
	s.build, err = resolveBuild(context.Background(), subject, opts.binary)
	return s, err
})

// requireSuite returns the suite for a test.
func requireSuite(t *testing.T) *suite {
	t.Helper()
	s, err := tested()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
