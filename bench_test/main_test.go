// Package bench_test is the suite: benchmarks that measure a real server process, and tests that
// check it. It is the one place that wires the mechanics together; what it measures is described in
// package scenarios, and what it found is written by package record.
//
//	go test -bench . -benchtime=1x ./bench_test
package bench_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// options are the suite's own flags.
type options struct {
	subject, binary, record, cpus, creds, profiles string
	rounds                                         int
	memoryBudget                                   int64
	answerBytes                                    int
	gitlabLatency, stepDuration, latencyCeiling    time.Duration
	gitlabFault                                    gitlabFault
	returnWait, restWindow, readyTimeout           time.Duration
	resume, gate                                   bool
}

func (o *options) register(fs *flag.FlagSet) {
	fs.StringVar(&o.subject, "subject", scenarios.Default, "what is measured: the `name` of an embedded subject, or the path of a .toml file")
	fs.StringVar(&o.binary, "binary", "", "`path` of the subject's binary; built from the checkout, or found in PATH, when empty")
	fs.StringVar(&o.record, "record", "", "`file` that results are written to, which must not exist; a new one under out/ when empty")
	fs.StringVar(&o.cpus, "cpus", "", "`list` of CPUs to use, such as 0-3; the first half is the suite's, the rest the subject's")
	fs.IntVar(&o.rounds, "rounds", 1, "how often all selected scenarios are measured, one whole pass after another")
	fs.BoolVar(&o.resume, "resume", false, "continue the file named by -record, skipping what it holds of the same build and host")
	fs.BoolVar(&o.gate, "gate", false, "run the gates that -run chooses in full, on CPUs of their own, and record them")
	fs.StringVar(&o.creds, "creds", "", "`list` of populations of each series, such as 1,10,100, instead of the published ones")
	fs.DurationVar(&o.stepDuration, "step-duration", scenarios.DefaultStepDuration, "how long the mixed load of a step of a series lasts")
	fs.Int64Var(&o.memoryBudget, "memory-budget", 0, "`bytes` that the subject may take; 80% of what is available when 0")
	fs.DurationVar(&o.latencyCeiling, "latency-ceiling", defaultCeiling, "p99 of tools/call above which a step is the last of its series; an answer is waited for three times as long")
	fs.StringVar(&o.profiles, "profiles", "", "`folder` for a CPU and a heap profile of each step; where -artifacts says when empty")
	fs.Var(&o.gitlabFault, "gitlab-fault", gitlabFaultUsage)
	fs.IntVar(&o.answerBytes, "answer-bytes", scenarios.DownloadBytes, "`bytes` of GitLab's answer to each call of the ladder")
	fs.DurationVar(&o.returnWait, "return-wait", 8*time.Minute, "how long a rung of the ladder waits for the resident set to come back by itself")
	fs.DurationVar(&o.restWindow, "rest-window", defaultRestWindow, "how long the resident set has to keep still to be at rest")
	fs.DurationVar(&o.readyTimeout, "ready-timeout", spawn.DefaultReadyTimeout, "how long a process may take until it answers")
	fs.DurationVar(&o.gitlabLatency, "gitlab-latency", 0, "time the GitLab stand-in waits before each answer")
}

// opts are the values of the flags, and bench what benchmarks, and gates in full, share.
var (
	opts  options
	bench *suite
)

// Exit codes of the suite that package testing does not have.
const (
	exitUsage        = 2
	exitInconclusive = 3
	exitInterrupted  = 130
)

func TestMain(m *testing.M) {
	opts.register(flag.CommandLine)
	flag.Parse()
	os.Exit(runSuite(m))
}

func runSuite(m *testing.M) int {
	alignFlag("test.run", testKeys)
	alignFlag("test.bench", benchmarkKeys)
	code := 0
	switch {
	case benchmarking():
		code = runBenchmarks(m)
	case opts.gate:
		code = runGates(m)
	default:
		code = m.Run()
	}
	left, err := spawn.Leftovers()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench_test:", err)
	}
	if len(left) > 0 {
		fmt.Fprintf(os.Stderr, "bench_test: processes %v were started and never stopped\n", left)
	}
	if (len(left) > 0 || err != nil) && (code == 0 || code == exitInconclusive) {
		code = 1
	}
	return code
}

// runBenchmarks runs whole passes, so that no scenario follows itself and slow changes of the host
// fall on all of them alike.
func runBenchmarks(m *testing.M) int {
	code := openUnlessSignalled(openSuite)
	if code != 0 {
		return code
	}
	defer bench.close()
	for bench.round = 1; bench.round <= opts.rounds; bench.round++ {
		code = max(code, m.Run())
		// The tests chosen by -run belong to the first pass only.
		_ = flag.Set("test.run", "^$")
	}
	return code
}

func openSuite(ctx context.Context) error {
	if err := onceEach(); err != nil {
		return err
	}
	var err error
	if bench, err = newSuite(ctx, opts); err != nil {
		return err
	}
	return bench.beginRecord(opts)
}

// onceEach makes every benchmark's body run once. A body is a whole scenario with its own number of
// calls; repeating it is what -rounds is for.
func onceEach() error {
	once := map[string]string{"test.benchtime": "1x", "test.count": "1", "test.cpu": ""}
	var wrong error
	flag.Visit(func(f *flag.Flag) {
		if want, ok := once[f.Name]; ok && f.Value.String() != want {
			wrong = fmt.Errorf("-%s=%s: each scenario sets its own number of calls and CPUs, use -benchtime=1x, and -rounds to repeat",
				strings.TrimPrefix(f.Name, "test."), f.Value)
		}
	})
	if wrong != nil {
		return wrong
	}
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("%q is not a flag: flags after it would go unread", flag.Arg(0))
	case opts.rounds < 1:
		return errors.New("-rounds must be at least 1")
	case opts.resume && opts.record == "":
		return errors.New("-resume needs the file to continue: name it with -record")
	case opts.stepDuration < time.Second:
		return errors.New("-step-duration must be at least 1s")
	}
	return flag.Set("test.benchtime", "1x")
}

// benchmarking reports whether benchmarks were asked for, and not just a list of them.
func benchmarking() bool {
	return flag.Lookup("test.bench").Value.String() != "" && flag.Lookup("test.list").Value.String() == ""
}

func alignFlag(name string, keys []string) {
	f := flag.Lookup(name)
	// The value was accepted when it was parsed, and only gains empty elements.
	_ = f.Value.Set(alignFilter(f.Value.String(), keys))
}
