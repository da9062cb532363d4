package scenarios

import "time"

// Sessions is what a subject does for clients of the revisions of the protocol that have sessions. Its option makes
// a session end by itself after {session_timeout} without a request.
type Sessions struct {
	Option
	// Protocol is the revision that such clients speak.
	Protocol string `toml:"protocol"`
	// Cancels says that notifications/cancelled ends a call, and Streams that GET opens a stream.
	Cancels bool `toml:"cancels"`
	Streams bool `toml:"streams"`
}

// The ways in which a client can leave something behind.
const (
	SessionLeft     = "session-left"
	StreamLeft      = "stream-left"
	InitializeAgain = "initialize-again"
	ReplyReset      = "reply-reset"
	CallCut         = "call-cut"
	CallCancelled   = "call-cancelled"
	UnknownToken    = "unknown-token"
	HealthCheck     = "health-check"
	ClientDead      = "client-dead"
)

// Abandonment is one way in which clients leave, and what a subject may keep of it.
type Abandonment struct {
	// Event is one of the names above, and What says it in words.
	Event, What string
	Transport   Transport
	// Needs is what a subject has to offer for the event to be possible.
	Needs Offered
	// Holds says that the subject is to hold something until it may forget it, and that this is of interest.
	Holds bool
	// Batch is how many events there are between two readings in full, and ShortBatch in the short form.
	Batch, ShortBatch int
	Budget            Budget
}

// Offered is something that a subject may offer or not.
type Offered string

// What events need.
const (
	OfSessions     Offered = "sessions"
	OfCancellation Offered = "cancellation by a notification"
	OfStreams      Offered = "streams of a session"
)

// Budget bounds what a subject may keep of an event for good. Of goroutines, descriptors and processes nothing may
// stay, whatever the event, so that these have no budget.
type Budget struct {
	// Bytes of live heap for each event.
	Bytes float64
	// Within is how long after the event the subject may hold more than that.
	Within time.Duration
	// Date and Reason say when the budget was set and what it rests on.
	Date, Reason string
}

// SessionTimeout is what subjects are told to end sessions after while they are measured: short enough to wait for, and
// long enough for all sessions of a batch to be open at once, or what grows with the most there ever were would vary.
const SessionTimeout = 5 * time.Second

// forget is how long a subject may take, after the session timeout, to notice that it has passed.
const forget = 1500 * time.Millisecond

// Abandonments lists what is tried, in the order in which it is published.
func Abandonments() []Abandonment {
	const set = "2026-11-30"
	nothing := Budget{Bytes: 64, Date: set,
		Reason: "nothing is to be kept: to remember a token or a session's id takes more, and less is the noise of reading a live heap"}
	remembered := func(d time.Duration, reason string) Budget {
		b := nothing
		b.Within, b.Reason = d, reason+"; then "+nothing.Reason
		return b
	}
	session := remembered(SessionTimeout+forget, "a session may be held until its timeout has passed and was noticed")
	return []Abandonment{
		{Event: SessionLeft, What: "A session opened and never deleted", Transport: HTTP, Needs: OfSessions, Holds: true,
			Batch: 1000, ShortBatch: 500, Budget: session},
		{Event: StreamLeft, What: "A session's stream left open until the client vanishes", Transport: HTTP, Needs: OfStreams, Holds: true,
			Batch: 1000, ShortBatch: 500, Budget: session},
		{Event: InitializeAgain, What: "initialize sent again in a session", Transport: HTTP, Needs: OfSessions,
			Batch: 1000, ShortBatch: 500, Budget: session},
		{Event: ReplyReset, What: "A connection reset in the middle of a reply", Transport: HTTP,
			Batch: 1000, ShortBatch: 500, Budget: nothing},
		{Event: CallCut, What: "A connection closed in the middle of a call", Transport: HTTP,
			Batch: 1000, ShortBatch: 500, Budget: nothing},
		{Event: CallCancelled, What: "A call ended by notifications/cancelled", Transport: HTTP, Needs: OfCancellation,
			Batch: 1000, ShortBatch: 500, Budget: nothing},
		{Event: UnknownToken, What: "A request with an unknown token", Transport: HTTP,
			Batch: 1000, ShortBatch: 500, Budget: remembered(7*time.Second, "that a token was refused may be remembered for a moment")},
		{Event: HealthCheck, What: "A health check on a connection of its own", Transport: HTTP,
			Batch: 1000, ShortBatch: 500, Budget: nothing},
		{Event: ClientDead, What: "A client on stdio that dies in the middle of a call", Transport: Stdio,
			Batch: 20, ShortBatch: 2, Budget: Budget{Date: set, Reason: "the process is to end within the grace that its subject file names, and with it all that it held"}},
	}
}

// OfSession reports whether the event is that of a session, which is then to end by itself.
func (a Abandonment) OfSession() bool { return a.Needs == OfSessions || a.Needs == OfStreams }

// Offers reports whether the subject makes an event possible.
func (s *Subject) Offers(a Abandonment) bool {
	switch a.Needs {
	case OfSessions:
		return s.Sessions != nil
	case OfCancellation:
		return s.Sessions != nil && s.Sessions.Cancels
	case OfStreams:
		return s.Sessions != nil && s.Sessions.Streams
	default:
		return s.Transports[a.Transport] != nil
	}
}
