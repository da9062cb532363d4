package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/scenarios"
)

// faultBench is what the trials of faults share: a server, and a record that holds a result already.
type faultBench struct{ binary, held string }

// What the record holds before anything fails.
const (
	heldPattern  = "Point/transport=stdio/surface=upstream/telemetry=off"
	heldOfServer = "Point/transport=stdio/surface=dynamic/telemetry=off"
)

func newFaultBench(t *testing.T, name, held string) *faultBench {
	t.Helper()
	subject, err := loadSubject(name)
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	b := &faultBench{binary: filepath.Join(t.TempDir(), name)}
	copyFile(t, built.path, b.binary)
	path := filepath.Join(t.TempDir(), "record.txt")
	out, err := measuring(t, held, "-subject="+name, "-binary="+b.binary, "-record="+path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b.held = readFile(t, path)
	return b
}

// faultTrial is a run of the suite in which something fails, and the one that goes on with it, if one does.
type faultTrial struct {
	// binary is a name of its own for the server, by which its processes are told from others.
	binary string
	// subject is its subject file, and record the path of the record, which begins as text and must keep held.
	subject, record, text, held string
	// limit is an option of the shell's ulimit, such as "-n 60", that the suite runs under; empty for none.
	limit string
	// skip is why this cannot be tried here.
	skip string

	first, again *suiteRun
	// over is closed when all has ended. between is what the record held before it was gone on with.
	over    chan struct{}
	between string
}

// trial prepares the runs.
func (b *faultBench) trial(t *testing.T, c *faultCase) *faultTrial {
	t.Helper()
	dir := t.TempDir()
	f := &faultTrial{
		binary: filepath.Join(dir, "subject"), subject: scenarios.Default, record: filepath.Join(dir, "record.txt"),
		text: b.held, held: b.held, over: make(chan struct{}),
	}
	if !c.server {
		f.subject = variant(t, c.args...)
	}
	require.NoError(t, os.Link(b.binary, f.binary))
	if c.prepare != nil {
		c.prepare(t, f)
	}
	require.NoError(t, os.WriteFile(f.record, []byte(f.text), 0o600))
	f.first, f.again = f.newRun(t, c), f.newRun(t, c)
	return f
}

// newRun is a run of the suite that goes on with the record. The window of rest is short, since the figures are not
// looked at.
func (f *faultTrial) newRun(t *testing.T, c *faultCase) *suiteRun {
	t.Helper()
	flags := append([]string{
		"-subject=" + f.subject, "-binary=" + f.binary, "-record=" + f.record, "-resume", "-rest-window=500ms", "-test.v",
	}, c.flags...)
	return newSuiteRun(measuring(t, c.pattern, flags...), f.limit)
}

// edit changes the subject file.
func (f *faultTrial) edit(t *testing.T, was, is string) {
	t.Helper()
	text := readFile(t, f.subject)
	require.Contains(t, text, was)
	require.NoError(t, os.WriteFile(f.subject, []byte(strings.ReplaceAll(text, was, is)), 0o600))
}

// run runs the suite, once there is a place for it.
func (f *faultTrial) run(c *faultCase, places chan struct{}) {
	defer close(f.over)
	if f.skip != "" {
		return
	}
	places <- struct{}{}
	defer func() { <-places }()
	f.first.run(c.within, c.moment)
	if !c.resumed {
		return
	}
	// What cannot be read is empty, and then lacks what it must hold.
	between, _ := os.ReadFile(f.record)
	f.between = string(between)
	f.again.run(everyWithin, nil)
}
