package mcp

import (
	"hash/crc32"
	"sync"
	"sync/atomic"
)

const (
	// smallReply is the size up to which a message is held until it is
	// whole, so that one unlike those before can still be scanned.
	smallReply = 16 << 10
	// smallShapes is how many different small replies a request remembers.
	smallShapes = 8
	// largeLessons is how many large replies are scanned in full, and must
	// have been alike, before a likeness is enough.
	largeLessons = 4
)

// castagnoli is the polynomial that processors compute by themselves.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// shape is what is remembered of a reply that a full scan found right: enough
// to know one like it again by its size, its checksum and its id alone.
type shape struct {
	size  int64
	idAt  int64  // offset of the id's digits
	crc   uint32 // of everything but those
	tools int
	more  bool
}

// memory is what a request has learned from the replies to it.
type memory struct {
	varies atomic.Bool
	small  atomic.Pointer[[]shape]
	large  atomic.Pointer[shape] // set once it can be relied upon

	mu      sync.Mutex
	lesson  shape
	lessons int
}

// know returns the remembered shape of a whole small message with this id.
func (m *memory) know(body []byte, id int64) (shape, bool) {
	shapes := m.small.Load()
	if shapes == nil {
		return shape{}, false
	}
	for _, s := range *shapes {
		if s.size == int64(len(body)) && s.idAt+idDigits <= s.size &&
			isID(body[s.idAt:s.idAt+idDigits], id) && checksum(body, s.idAt) == s.crc {
			return s, true
		}
	}
	return shape{}, false
}

// trusted returns the shape that every large reply must be like, nil when each
// is to be scanned.
func (m *memory) trusted() *shape {
	if m.varies.Load() {
		return nil
	}
	return m.large.Load()
}

// learn remembers the shape of a reply that was found right.
func (m *memory) learn(s shape) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.size <= smallReply {
		m.learnSmall(s)
		return
	}
	switch {
	case m.lessons == 0:
		m.lesson = s
	case m.lesson != s:
		m.varies.Store(true)
		return
	}
	if m.lessons++; m.lessons == largeLessons {
		m.large.Store(&s)
	}
}

// learnSmall puts s in front of the small shapes and forgets the oldest.
func (m *memory) learnSmall(s shape) {
	shapes := []shape{s}
	if old := m.small.Load(); old != nil {
		for _, o := range *old {
			if o != s && len(shapes) < smallShapes {
				shapes = append(shapes, o)
			}
		}
	}
	m.small.Store(&shapes)
}

// checksum is the checksum of body less the id's digits at idAt.
func checksum(body []byte, idAt int64) uint32 {
	sum := crc32.Update(0, castagnoli, body[:idAt])
	return crc32.Update(sum, castagnoli, body[idAt+idDigits:])
}
