package meter

import (
	"math"
	"time"
)

// Summary is what a [Sampler] saw.
type Summary struct {
	Mean, Max int64 // resident bytes; the mean is weighted by time
	// First and Last are the readings at the start and at Stop. The CPU of the phase is their difference.
	First, Last Reading

	MaxThreads, MaxDescriptors, MaxProcesses int

	N    int           // readings taken
	Late int           // readings taken more than an interval after they were due
	Gap  time.Duration // the longest time between two readings
}

// CPU returns what the tree consumed between the first reading and the last.
func (s Summary) CPU() time.Duration { return s.Last.CPU - s.First.CPU }

// Elapsed returns the time between the first reading and the last.
func (s Summary) Elapsed() time.Duration { return s.Last.At.Sub(s.First.At) }

// Cores returns the CPU consumed per time elapsed.
func (s Summary) Cores() float64 { return float64(s.CPU()) / float64(s.Elapsed()) }

// Sampler reads a tree at regular intervals until it is stopped. Peaks shorter than the interval are not
// its business: see [Tree.Peak].
type Sampler struct {
	tree  *Tree
	every time.Duration
	quit  chan struct{}
	done  chan struct{}
	sum   integral
	err   error
}

// StartSampler takes a first reading and goes on every interval.
func StartSampler(t *Tree, every time.Duration) *Sampler {
	s := &Sampler{tree: t, every: every, quit: make(chan struct{}), done: make(chan struct{})}
	s.read()
	go s.run()
	return s
}

// Stop takes a last reading and returns what was seen. The error is that of the first reading that failed,
// which was also the last; the summary is then of the readings before it. Stop is called once.
func (s *Sampler) Stop() (Summary, error) {
	close(s.quit)
	<-s.done
	s.read()
	return s.sum.summary(), s.err
}

func (s *Sampler) run() {
	defer close(s.done)
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for s.err == nil {
		select {
		case <-s.quit:
			return
		case due := <-tick.C:
			if time.Since(due) > s.every {
				s.sum.seen.Late++
			}
			s.read()
		}
	}
}

func (s *Sampler) read() {
	if s.err != nil {
		return
	}
	r, err := s.tree.Read()
	if err != nil {
		s.err = err
		return
	}
	s.sum.add(r)
}

// integral gathers readings into a summary. The resident set is taken to change linearly between two.
type integral struct {
	seen  Summary
	total float64 // byte-seconds
}

func (i *integral) add(r Reading) {
	s := &i.seen
	if s.N == 0 {
		s.First = r
	} else {
		gap := r.At.Sub(s.Last.At)
		s.Gap = max(s.Gap, gap)
		i.total += float64(s.Last.RSS+r.RSS) / 2 * gap.Seconds()
	}
	s.N++
	s.Last = r
	s.Max = max(s.Max, r.RSS)
	s.MaxThreads = max(s.MaxThreads, r.Threads)
	s.MaxDescriptors = max(s.MaxDescriptors, r.Descriptors)
	s.MaxProcesses = max(s.MaxProcesses, r.Processes)
}

func (i *integral) summary() Summary {
	s := i.seen
	s.Mean = s.Last.RSS // of a single instant
	if elapsed := s.Elapsed().Seconds(); elapsed > 0 {
		s.Mean = int64(math.Round(i.total / elapsed))
	}
	return s
}
