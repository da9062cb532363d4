package scenarios

import (
	"errors"
	"time"
)

// TLS is how a subject is told to serve HTTPS with the certificate {cert} and its {key}, and where it then does.
type TLS struct {
	Option
	// URL is the endpoint, and Ready an address that answers 200 once the process serves.
	URL   string `toml:"url"`
	Ready string `toml:"ready"`
}

func (t *TLS) validate() error {
	if t != nil && (t.URL == "" || t.Ready == "") {
		return errors.New("needs url and ready")
	}
	return nil
}

// How says how the calls of a path of a soak reach the subject.
type How string

// The ways of a path.
const (
	Kept    How = "kept"    // on connections that stay open
	Fresh   How = "fresh"   // each on a connection of its own
	OverTLS How = "tls"     // over TLS with HTTP/2
	Session How = "session" // each in a session of its own, which is opened for it and deleted after it
	Health  How = "health"  // no call at all: the address that tells whether the subject serves
)

// SoakPath is one way on which a soak loads a subject, all of them at once.
type SoakPath struct {
	Name    string // as in the record: small letters and digits, with dots
	How     How
	Surface Surface
	Method  string // of the protocol; empty of Health
	// Rate is how many calls fall due in a second. All paths together ask a fraction of what a small host serves:
	// what is looked for is what time does to the subject, and not load.
	Rate float64
}

// SoakConnections is how many connections, or sessions at once, each path has.
const SoakConnections = 16

// SoakPaths lists the paths that the subject offers, and says which it does not.
func SoakPaths(s *Subject) (paths []SoakPath, without []string) {
	surfaces := s.SurfaceNames()
	first := surfaces[0]
	if s.Sizing.SurfaceURL == "" {
		if len(surfaces) > 1 {
			without = append(without, "surfaces besides "+string(first)+", which take a process each")
		}
		surfaces = surfaces[:1]
	}
	for _, surface := range surfaces {
		paths = append(paths, surfacePaths(surface, s.Surfaces[surface].ListingBytes)...)
	}
	paths = append(paths,
		SoakPath{"fresh", Fresh, first, "tools/call", 40},
		SoakPath{"health", Health, first, "", 40})
	if s.Sessions != nil {
		paths = append(paths, SoakPath{"session", Session, first, "tools/call", 20})
	} else {
		without = append(without, "sessions")
	}
	if s.TLS != nil {
		paths = append(paths, SoakPath{"tls", OverTLS, first, "tools/call", 40})
	} else {
		without = append(without, "TLS with HTTP/2")
	}
	return paths, without
}

// surfacePaths are those of one surface. A large listing is asked for less often.
func surfacePaths(surface Surface, listing int64) []SoakPath {
	lists := 60.0
	if listing > largeListing {
		lists = 15
	}
	return []SoakPath{
		{"call." + string(surface), Kept, surface, "tools/call", 60},
		{"list." + string(surface), Kept, surface, "tools/list", lists},
		{"resources." + string(surface), Kept, surface, "resources/list", 40},
	}
}

// Soak is how long a soak takes, and what it holds the subject to.
type Soak struct {
	// Load is how long all paths are loaded at first, and Again how long once more after a rest: what has grown by then
	// and does not grow again was room that the load needed, and no leak.
	Load, Again time.Duration
	// Every is the time between readings.
	Every time.Duration
	// Share is the part of each path's rate that is called at, and Unsent the part of the calls due that may go unsent:
	// with more the load is not the one that is meant.
	Share, Unsent float64
	// Growth is how much memory may grow by, in bytes a second.
	Growth float64
	// Slack is how many bytes of live heap, and SlackShare which part of the resident set, may be more after the second
	// load than after the first, and Kept how many bytes of live heap may be more at last than when each connection had
	// been opened once and closed. In full both come to less than an object for each call, which no heap of Go's has below
	// 8 bytes, and to more than what stays of the goroutines that were there at once.
	Slack, Kept float64
	SlackShare  float64
	// Spare is how many descriptors, threads and goroutines may be more.
	Spare int
	// Slower is how many times as long as in the first fifth of the load calls may take at p99 in the last, and SlowerBy
	// how much longer if that is more; Slower of 0 holds them to nothing.
	Slower   float64
	SlowerBy time.Duration
}

// timeSlice is the longest that Linux lets a thread run by default while another waits for its processor (base_slice_ns,
// 0.75 ms by 1 + log2 of the processors, of which 8 count): one such wait in a hundred calls is nobody's fault.
const timeSlice = 3 * time.Millisecond

// SoakReadings is how many readings are taken of the first load.
const SoakReadings = 180

// NewSoak is the soak that takes a time under load, and a sixth of that once more.
func NewSoak(load time.Duration) Soak {
	return Soak{
		Load: load, Again: load / 6, Every: load / SoakReadings,
		Share: 1, Unsent: 0.01,
		Growth: 8 << 20 / time.Hour.Seconds(), Slack: 512 << 10, Kept: 1 << 20, SlackShare: 0.05, Spare: 4,
		Slower: 1.5, SlowerBy: timeSlice,
	}
}

// ShortSoak is the soak in a time in which a leak has to be a thousand times as fast to be seen. Others use the same
// processors meanwhile, so that it says nothing of how long calls take.
func ShortSoak() Soak {
	s := NewSoak(9 * time.Second)
	s.Again, s.Growth, s.Slower = 3*time.Second, 4<<20, 0
	s.Share, s.Unsent, s.SlackShare = 0.3, 0.5, 0.2
	return s
}
