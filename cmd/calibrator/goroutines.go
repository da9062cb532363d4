package main

import (
	"runtime/debug"
	"sync"
)

// readyGoroutines has n goroutines be there at once, and end. The runtime keeps what describes a goroutine, some
// hundred bytes of the heap, for the next one and never gives it back (runtime, proc.go, gfput): after this, up to n
// at once take no more of it. Their stacks are given back.
func readyGoroutines(n int) {
	if n == 0 {
		return
	}
	var there, ended sync.WaitGroup
	over := make(chan struct{})
	for range n {
		there.Add(1)
		ended.Go(func() {
			there.Done()
			<-over
		})
	}
	there.Wait()
	close(over)
	ended.Wait()
	debug.FreeOSMemory()
}
