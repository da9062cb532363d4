package main

import (
	"runtime"
	"unsafe"
)

// holding is memory of an exact size in the runtime's own account (runtime.MemStats.HeapAlloc): itself, of 64
// bytes, and blocks whose sizes are size classes of the allocator or whole pages, so that nothing is rounded
// up behind the back of who asked. It and its blocks are freed together.
type holding struct {
	next   *holding // of those that leaked
	blocks [maxBlocks]*byte
}

const (
	maxBlocks = 7
	// grain is what sizes are rounded up to. The runtime packs smaller objects together.
	grain = 16
	// smallestHolding is a holding without blocks.
	smallestHolding = int64(unsafe.Sizeof(holding{}))
	// heapPage is what the runtime rounds large objects up to (runtime, malloc.go).
	heapPage = 8192
	// largeObject is a size from which objects are large.
	largeObject = 32768
)

// exactly returns the size of the holding that is made for n bytes: n rounded up to 16, and at least 64.
func exactly(n int64) int64 { return max(smallestHolding, (n+grain-1)/grain*grain) }

// classes are the sizes that the runtime allocates without rounding, in ascending order, pages excluded.
type classes []int64

// sizeClasses asks the runtime, whose classes differ between versions. It keeps account by size of all but
// the largest classes, which are not needed.
func sizeClasses() classes {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	var c classes
	for _, class := range stats.BySize {
		if class.Size >= grain {
			c = append(c, int64(class.Size))
		}
	}
	return c
}

// split divides n, a multiple of the grain, into blocks that are allocated without rounding.
func (c classes) split(n int64) []int64 {
	var blocks []int64
	for n > 0 {
		b := c.largest(n)
		blocks = append(blocks, b)
		n -= b
	}
	return blocks
}

// largest is the largest block of at most n bytes that leaves nothing, or enough for another.
func (c classes) largest(n int64) int64 {
	if n >= largeObject+heapPage {
		b := n / heapPage * heapPage
		if rest := n - b; rest > 0 && rest < grain {
			b -= heapPage
		}
		return b
	}
	for i := len(c) - 1; i > 0; i-- {
		if rest := n - c[i]; rest == 0 || rest >= grain {
			return c[i]
		}
	}
	return c[0]
}

// mould makes holdings of one size.
type mould struct {
	size   int64 // of one, 0 where none is made
	blocks []int64
}

// newMould returns a mould for n bytes as exactly says; for 0 it makes nothing.
func newMould(c classes, n int64) mould {
	if n <= 0 {
		return mould{}
	}
	size := exactly(n)
	return mould{size: size, blocks: c.split(size - smallestHolding)}
}

// make returns a holding whose memory has been written to, so that it is resident, or nil.
//
//go:noinline
func (m mould) make() *holding {
	if m.size == 0 {
		return nil
	}
	h := new(holding)
	for i, n := range m.blocks {
		block := make([]byte, n)
		for at := 0; at < len(block); at += osPage {
			block[at] = 1
		}
		h.blocks[i] = unsafe.SliceData(block)
	}
	return h
}

// osPage is at most the size of a page of the operating system.
const osPage = 4096
