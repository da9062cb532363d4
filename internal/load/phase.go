package load

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcpbench/internal/mcp"
)

const (
	// Latencies are kept to 3 significant figures, from below a microsecond
	// to five minutes; what is longer counts as the longest.
	latencyUnit    = 512 * time.Nanosecond
	latencyLongest = 5 * time.Minute
	latencyFigures = 3

	// maxReasons is how many different reasons a method keeps apart.
	maxReasons = 32
)

// Phase is what a load came to.
type Phase struct {
	// Start is when the first call was due, and End when the last was over.
	Start, End time.Time
	// Begun is how long calls were begun, and Steady the part of that in which
	// the load was even. Both are zero where a number of calls was given.
	Begun  time.Duration
	Steady Window
	// Methods are the results by the requests' labels.
	Methods map[string]*Method
	// Cut counts the calls in flight that the end of the phase cut short. They
	// are in no method's counts.
	Cut int64
	// Unsent counts calls of an open loop that fell due and were never sent.
	Unsent int64
	// Late counts calls of an open loop that a free worker sent more than
	// LateAfter behind the time they were due: the suite's own tardiness.
	Late int64
	// Queued counts calls of an open loop that fell due while every worker
	// was busy. Their latency includes the wait.
	Queued int64
}

// Window is the part of a phase from when every worker had its first answer, in
// an open loop from its start, until no call was begun any more. Before it the
// workers are still setting off, and after it fewer and fewer are at work.
type Window struct {
	Start, End time.Time
	Calls      int64 // that ended in it
}

// PerSecond is the calls that ended in each second of the window, and whether
// there is one.
func (w Window) PerSecond() (float64, bool) {
	d := w.End.Sub(w.Start)
	if d <= 0 {
		return 0, false
	}
	return float64(w.Calls) / d.Seconds(), true
}

// Calls is the number of calls that ended, whatever their outcome.
func (p *Phase) Calls() int64 {
	var n int64
	for _, m := range p.Methods {
		n += m.Calls()
	}
	return n
}

// Failed is the number of calls that failed.
func (p *Phase) Failed() int64 {
	var n int64
	for _, m := range p.Methods {
		n += m.Failed
	}
	return n
}

// Refused is the number of calls that were refused.
func (p *Phase) Refused() int64 {
	var n int64
	for _, m := range p.Methods {
		n += m.Refused
	}
	return n
}

// Add adds to p's methods what another phase came to.
func (p *Phase) Add(other *Phase) {
	for label, m := range other.Methods {
		p.method(label).merge(m)
	}
}

// Elapsed is the time from Start to End.
func (p *Phase) Elapsed() time.Duration { return p.End.Sub(p.Start) }

// method returns the method of a label, a new one the first time.
func (p *Phase) method(label string) *Method {
	m := p.Methods[label]
	if m == nil {
		m = newMethod()
		p.Methods[label] = m
	}
	return m
}

// Method is what the calls of one label came to.
type Method struct {
	// OK, Refused and Failed count calls by outcome.
	OK, Refused, Failed int64
	// Bytes is the sum of the JSON-RPC messages of the OK calls.
	Bytes int64
	// Reasons counts refused and failed calls by reason. Once 32 different
	// reasons have been seen, further ones are counted by category.
	Reasons map[string]int64
	// Latency holds the OK calls, in ns.
	Latency *hdrhistogram.Histogram
	// Min and Max are the exact extremes of the OK calls; 0 where none was.
	Min, Max time.Duration
}

// Calls is the number of calls that ended, whatever their outcome.
func (m *Method) Calls() int64 { return m.OK + m.Refused + m.Failed }

func newMethod() *Method {
	return &Method{
		Reasons: map[string]int64{},
		Latency: hdrhistogram.New(int64(latencyUnit), int64(latencyLongest), latencyFigures),
	}
}

// record counts one call.
func (m *Method) record(reply *mcp.Reply, latency time.Duration) {
	switch reply.Outcome {
	case mcp.OK:
		m.recordOK(reply.Bytes, latency)
		return
	case mcp.Refused:
		m.Refused++
	default:
		m.Failed++
	}
	m.count(reply.Reason, 1)
}

// recordOK counts one call that was answered as it should be.
func (m *Method) recordOK(bytes int64, latency time.Duration) {
	if m.OK == 0 || latency < m.Min {
		m.Min = latency
	}
	m.Max = max(m.Max, latency)
	m.OK++
	m.Bytes += bytes
	_ = m.Latency.RecordValue(int64(min(latency, latencyLongest))) // within the range it was made for
}

// count counts n calls under a reason, or under its category when there are too
// many reasons already.
func (m *Method) count(reason string, n int64) {
	if _, known := m.Reasons[reason]; !known && len(m.Reasons) >= maxReasons {
		reason = mcp.Category(reason)
	}
	m.Reasons[reason] += n
}

// merge adds what another part of the load came to.
func (m *Method) merge(o *Method) {
	if o.OK > 0 && (m.OK == 0 || o.Min < m.Min) {
		m.Min = o.Min
	}
	m.Max = max(m.Max, o.Max)
	m.OK += o.OK
	m.Refused += o.Refused
	m.Failed += o.Failed
	m.Bytes += o.Bytes
	m.Latency.Merge(o.Latency)
	for _, reason := range o.commonest() {
		m.count(reason, o.Reasons[reason])
	}
}

// commonest returns the reasons by falling count, so that when there are too
// many it is the rare ones that are counted by category.
func (m *Method) commonest() []string {
	return slices.SortedFunc(maps.Keys(m.Reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.Reasons[b], m.Reasons[a]), cmp.Compare(a, b))
	})
}

// shard is where some of the workers record. A histogram for each worker would
// be hundreds of megabytes; one for all of them would be a queue.
type shard struct {
	mu      sync.Mutex
	methods map[string]*Method
}

// record counts one call under its label.
func (s *shard) record(label string, reply *mcp.Reply, latency time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.methods[label]
	if m == nil {
		m = newMethod()
		s.methods[label] = m
	}
	m.record(reply, latency)
}
