package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// progress tells a person what runs, how far it is and how long it will still take: one line that
// is rewritten on a terminal, plain lines elsewhere. A nil progress is silent.
type progress struct {
	out      io.Writer
	terminal bool
	verbose  bool
	total    int
	now      func() time.Time

	mu      sync.Mutex
	started time.Time
	begun   time.Time
	done    int
	name    string
}

func newProgress(out *os.File, total int) *progress {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return &progress{out: out, terminal: terminal, verbose: testing.Verbose(), total: total, now: time.Now, started: time.Now()}
}

// more says that an item of the total turned out to be n more.
func (p *progress) more(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += n
}

// begin says that the next item runs.
func (p *progress) begin(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.begun = name, p.now()
	if p.terminal {
		p.rewrite("")
		return
	}
	p.line("%s %s: started, %s", p.position(), p.name, p.clock())
}

// enter says which phase of the item begins. Elsewhere than on a terminal, only -test.v shows it.
func (p *progress) enter(phase string) {
	p.phase("%s", phase)
	if p == nil || p.terminal || !p.verbose {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("%s %s: %s", p.position(), p.name, phase)
}

// phase says what the item is doing now. Only a terminal shows it: elsewhere it would be noise.
func (p *progress) phase(format string, args ...any) {
	if p == nil || !p.terminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rewrite(": " + fmt.Sprintf(format, args...))
}

// end says how the item went.
func (p *progress) end(verdict string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.line("%s %s: %s after %s", p.position(), p.name, verdict, p.now().Sub(p.begun).Round(100*time.Millisecond))
	p.done++
}

// tell says what else there is to know.
func (p *progress) tell(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.line(format, args...)
}

// leaveOut says why an item is not measured.
func (p *progress) leaveOut(name, why string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total--
	p.clear()
	p.line("%s: left out, %s", name, why)
}

func (p *progress) rewrite(what string) {
	p.write("\r\x1b[K%s %s%s, %s", p.position(), p.name, what, p.clock())
}

// clear takes the line back that is rewritten.
func (p *progress) clear() {
	if p.terminal {
		p.write("\r\x1b[K")
	}
}

func (p *progress) line(format string, args ...any) { p.write(format+"\n", args...) }

// write drops an error: a terminal that went away is no reason to stop measuring.
func (p *progress) write(format string, args ...any) { _, _ = fmt.Fprintf(p.out, format, args...) }

func (p *progress) position() string { return fmt.Sprintf("[%d/%d]", p.done+1, p.total) }

// clock tells the time gone and, once an item has ended, the time left if the others take as long.
func (p *progress) clock() string {
	gone := p.now().Sub(p.started)
	if p.done == 0 {
		return gone.Round(time.Second).String() + " gone"
	}
	left := p.begun.Sub(p.started) / time.Duration(p.done) * time.Duration(max(0, p.total-p.done))
	left = max(0, left-p.now().Sub(p.begun))
	return fmt.Sprintf("%s gone, about %s left", gone.Round(time.Second), left.Round(time.Second))
}

// selected counts the names that a -bench pattern chooses, by the rules of package testing: elements
// are matched one by one, and a name may have more elements than the pattern.
func selected(pattern string, names []string) int {
	count := 0
	for _, name := range names {
		for _, alternative := range splitOutsideBrackets(pattern, '|') {
			if matchesElements(splitOutsideBrackets(alternative, '/'), strings.Split(name, "/")) {
				count++
				break
			}
		}
	}
	return count
}

func matchesElements(patterns, elements []string) bool {
	for i, pattern := range patterns {
		if i >= len(elements) {
			return false
		}
		if ok, err := regexp.MatchString(pattern, elements[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

func TestProgressPlain(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &progress{out: &out, total: 3, now: func() time.Time { return now }, started: now}
	p.total++
	for _, name := range []string{"first", "second"} {
		p.begin(name)
		p.phase("never shown")
		now = now.Add(20 * time.Second)
		p.end("ok")
	}
	p.leaveOut("nobody", "for a reason")
	p.enter("never shown")
	p.begin("third")
	p.verbose = true
	p.enter("load")
	p.tell("last %s", "lines")
	assert.Equal(t, strings.Join([]string{
		"[1/4] first: started, 0s gone",
		"[1/4] first: ok after 20s",
		"[2/4] second: started, 20s gone, about 1m0s left",
		"[2/4] second: ok after 20s",
		"nobody: left out, for a reason",
		"[3/3] third: started, 40s gone, about 20s left",
		"[3/3] third: load",
		"last lines",
		"",
	}, "\n"), out.String())
}

func TestProgressOnTerminal(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &progress{out: &out, terminal: true, total: 1, now: func() time.Time { return now }, started: now}
	p.begin("only")
	p.phase("admit %d/%d", 3, 64)
	p.tell("more")
	p.enter("load")
	p.end("ok")
	assert.Equal(t, "\r\x1b[K[1/1] only, 0s gone\r\x1b[K[1/1] only: admit 3/64, 0s gone\r\x1b[Kmore\n\r\x1b[K[1/1] only: load, 0s gone\r\x1b[K[1/1] only: ok after 0s\n", out.String())
	(*progress)(nil).begin("silent")
}

func TestSelected(t *testing.T) {
	names := []string{"Point/subject=a/transport=http/surface=meta", "Point/subject=a/transport=stdio/surface=dynamic"}
	for _, tt := range []struct {
		pattern string
		want    int
	}{
		{".", 2}, {"Series", 0}, {"Point///surface=meta", 1}, {"Point//stdio|Point//http", 2}, {"Point////creds=1", 0}, {"(", 0},
	} {
		assert.Equal(t, tt.want, selected(tt.pattern, names), tt.pattern)
	}
}
