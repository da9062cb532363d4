package fakegitlab

import "sync"

// cacheBytes bounds what rendered answers may hold.
const cacheBytes = 4 << 20

// cache keeps rendered answers by request until something is written. When it is full it starts anew:
// what is hot is back with the next request.
type cache struct {
	mu      sync.RWMutex
	answers map[cacheKey]*answer
	bytes   int
}

type cacheKey struct {
	route *route
	uri   string
	user  int64
}

func (c *cache) get(k cacheKey) *answer {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.answers[k]
}

func (c *cache) put(k cacheKey, a *answer) {
	size := len(a.body) + len(k.uri) + 256
	if size > cacheBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil || c.bytes+size > cacheBytes {
		c.answers, c.bytes = map[cacheKey]*answer{}, 0
	}
	c.answers[k] = a
	c.bytes += size
}

func (c *cache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers, c.bytes = nil, 0
}
