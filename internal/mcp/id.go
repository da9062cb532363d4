package mcp

import (
	"strconv"
	"sync/atomic"
)

// Ids have nine digits: as many as a signed 32-bit integer always holds, and
// always as many, so that patching one in moves nothing.
const (
	idDigits = 9
	firstID  = 100_000_000
	idCount  = 900_000_000
)

// sequence hands out ids to every connection of one session, where two
// requests in flight must not share one.
type sequence struct{ n atomic.Int64 }

// next returns an id of exactly idDigits digits. It starts over after
// 900 million.
func (s *sequence) next() int64 { return firstID + (s.n.Add(1)-1)%idCount }

// putID writes the digits of id over the first idDigits bytes of b.
func putID(b []byte, id int64) { strconv.AppendInt(b[:0:idDigits], id, 10) }

// isID reports whether raw is exactly the digits of id.
func isID(raw []byte, id int64) bool {
	if len(raw) != idDigits {
		return false
	}
	for i := idDigits - 1; i >= 0; i-- {
		if raw[i] != byte('0'+id%10) {
			return false
		}
		id /= 10
	}
	return true
}
