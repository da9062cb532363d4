package fakegitlab

import (
	"strconv"
	"time"
)

// Options say how large the instance is and how it behaves. The zero value works: each field says what
// zero stands for.
type Options struct {
	// Seed chooses the data; servers with equal seeds and sizes hold equal data.
	Seed uint64
	// Projects, Groups and Users are how many there are: 300, 40 and 2000 when zero.
	Projects, Groups, Users int
	// PerProject is how many issues and how many merge requests each project has: 40 when zero, so
	// that the instance-wide lists exceed the 10,000 rows above which GitLab gives no totals.
	PerProject int
	// Tokens are accepted besides those of Token, each as a user of its own.
	Tokens []string
	// Latency is added to every answer; SetLatency changes it while running.
	Latency time.Duration
	// Download is how many bytes exports and archives have: 2000 when zero. They are binary and all the same.
	Download int
	// ETag makes successful reads carry an entity tag and answers a matching If-None-Match with 304.
	ETag bool
	// Gzip compresses bodies of 1 KiB and more for clients that accept it.
	Gzip bool
	// RateLimit, in requests a minute, makes every answer carry RateLimit headers. The client slows
	// itself down when it sees them, so zero sends none. The limit is announced and not enforced.
	RateLimit int
	// ExternalURL is what links inside the data begin with: https://gitlab.example.com when empty.
	// It is not the listening address, so that the data does not depend on the port.
	ExternalURL string
}

// withDefaults replaces zero values by what they stand for.
func (o Options) withDefaults() Options {
	setDefault(&o.Projects, 300)
	setDefault(&o.Groups, 40)
	setDefault(&o.Users, 2000)
	setDefault(&o.PerProject, 40)
	setDefault(&o.Download, 2000)
	setDefault(&o.ExternalURL, "https://gitlab.example.com")
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Settings are the switches a record should name beside the figures, as they are now.
func (s *Server) Settings() map[string]string {
	return map[string]string{
		"gitlab-latency":    s.Latency().String(),
		"gitlab-etag":       strconv.FormatBool(s.opts.ETag),
		"gitlab-gzip":       strconv.FormatBool(s.opts.Gzip),
		"gitlab-rate-limit": strconv.Itoa(s.opts.RateLimit),
		"gitlab-seed":       strconv.FormatUint(s.opts.Seed, 10),
	}
}
