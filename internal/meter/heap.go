package meter

import (
	"context"
	"io"
	"time"
)

// Heap looks into the runtime of a process. Looking costs the process CPU and garbage, so none of it belongs
// into a phase whose CPU or latency is published. A reader answers what its runtime cannot do with
// [errors.ErrUnsupported].
type Heap interface {
	// Collect forces one garbage collection and returns when it is done.
	Collect(ctx context.Context) error
	// Live reads the heap as it is; only after Collect is what is no longer reachable out of it.
	Live(ctx context.Context) (HeapReading, error)
	// Collected forces a collection and reads what it left, in one question: what the answer takes to make is not in it.
	// After Collect, Live has the garbage of Collect's answer too, which for a process that has done much may be a MiB.
	Collected(ctx context.Context) (HeapReading, error)
	// Goroutines counts the runtime's units of concurrency, without those that serve the question.
	Goroutines(ctx context.Context) (int, error)
	// CPUProfile writes a profile of the next d, in pprof's format.
	CPUProfile(ctx context.Context, d time.Duration, w io.Writer) error
	// HeapProfile forces a collection and writes a profile of the heap, in pprof's format.
	HeapProfile(ctx context.Context, w io.Writer) error
}

// HeapReading is a runtime's own account of its memory, in bytes. What it does not keep account of is nil.
// The words are those of Go's [runtime.MemStats].
type HeapReading struct {
	Live     *int64 // allocated objects: reachable, or not yet swept (HeapAlloc)
	InUse    *int64 // spans that hold objects (HeapInuse)
	Idle     *int64 // spans that hold none, Released included (HeapIdle)
	Released *int64 // the part of Idle that was given back to the system (HeapReleased)
	Stacks   *int64 // of goroutines (StackInuse)
	Runtime  *int64 // the runtime's own structures (MSpanSys, MCacheSys, BuckHashSys, GCSys, OtherSys)
	Sys      *int64 // address space obtained from the system, all of the above (Sys)

	// Goal is the size of the heap at which the next collection ends (NextGC). It is made of what the last one found
	// alive, about twice that as Go comes, so that it moves with the live heap and no collection has to be forced.
	Goal *int64

	Allocated   *int64 // bytes allocated since the start, freed ones included (TotalAlloc)
	Allocations *int64 // objects allocated since the start (Mallocs)
	Collections *int64 // completed since the start (NumGC)
}
