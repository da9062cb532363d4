package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// streams are the process's own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// server answers messages, whatever they came by.
type server struct {
	config  *config
	streams streams
	alarm   *alarm
	vault   *vault
	account account
	burner  *burner
	gate    *gate
	crowd   *crowd
	leaks   leaks
	draws   draws
	pause   pause
	garbage mould
	// perRefusal is what a refused call leaks.
	perRefusal mould
	listing    []byte
	gitlab     *upstream
	family     family
	pairing    pairing

	spikeOnce, listOnce sync.Once
}

// newServer returns a server that is ready to answer. Until it is closed it has what the configuration gives it
// in children.
func newServer(c *config, s streams, a *alarm) (*server, error) {
	tail, err := listing(c.tools, int64(c.listingBytes))
	if err != nil {
		return nil, err
	}
	heat, err := newBurner()
	if err != nil {
		return nil, err
	}
	kin, err := startFamily(c.children, c.childBytes, c.childCPU)
	if err != nil {
		return nil, err
	}
	sizes := sizeClasses()
	return &server{
		config: c, streams: s, alarm: a, listing: tail, burner: heat, family: kin,
		vault:      newVault(sizes, c.retainCredential, c.retainSession, c.retainCall),
		gate:       newGate(c.refuseAbove, c.refuseEvery, c.serveAtOnce),
		crowd:      newCrowd(c.refuseAboveEach),
		leaks:      leaks{descriptors: c.leakDescriptors, goroutines: c.leakGoroutines},
		draws:      newDraws(c.latency.quantile, c.seed),
		pause:      pause{stalls: c.stalls, alarm: a},
		garbage:    newMould(sizes, int64(c.garbage)),
		perRefusal: newMould(sizes, int64(c.retainRefusal)),
		gitlab:     newUpstream(c.gitlab, c.upstream),
	}, nil
}

// close ends the children.
func (s *server) close() error { return s.family.end() }

// asking is a message on its way to an answer.
type asking struct {
	*request
	token   string
	arrived time.Time
}

// answer answers a message that has arrived just now, in the name of token.
func (s *server) answer(ctx context.Context, token string, r *request) reply {
	defer s.pause.hold()
	a := asking{request: r, token: token, arrived: time.Now()}
	switch {
	case r.notification():
		return reply{status: http.StatusAccepted}
	case r.Method == "tools/call":
		return s.call(ctx, a)
	case r.Method == "tools/list":
		return s.list(a)
	}
	if object, ok := fixedResult(r); ok {
		return r.result([]byte(object))
	}
	return r.failure(codeMethod, "no method "+r.Method)
}

// list answers with the listing. The first takes its time; others wait for the first.
func (s *server) list(a asking) reply {
	s.listOnce.Do(func() { s.alarm.until(a.arrived.Add(s.config.listDelay)) })
	s.account.listings.Add(1)
	s.burner.burn(s.config.cpuList)
	return reply{head: append([]byte(opening), a.ID...), tail: s.listing}
}

// stateless is the revision of the protocol that has neither sessions nor a handshake.
const stateless = "2026-07-28"

// handshaking are the revisions that begin with initialize, the newest first.
func handshaking() []string {
	return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// What the server says of itself.
const (
	capabilities = `"capabilities":{"tools":{},"resources":{},"prompts":{}}`
	serverInfo   = `{"name":"calibrator","version":"` + version + `"}`
	version      = "1.0.0"
	emptyList    = `"resultType":"complete","ttlMs":0,"cacheScope":"private"`
)

// agree returns the revision that an initialize is answered with.
func agree(r *request) string {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	// What cannot be read names no revision.
	_ = json.Unmarshal(r.Params, &p)
	if slices.Contains(handshaking(), p.ProtocolVersion) {
		return p.ProtocolVersion
	}
	return handshaking()[0]
}

// fixedResult is the answer to what is always answered alike.
func fixedResult(r *request) (object string, ok bool) {
	switch r.Method {
	case "initialize":
		return `{"protocolVersion":"` + agree(r) + `",` + capabilities + `,"serverInfo":` + serverInfo + `}`, true
	case "server/discover":
		versions := `"` + strings.Join(append([]string{stateless}, handshaking()...), `","`) + `"`
		return `{` + emptyList + `,"supportedVersions":[` + versions + `],` + capabilities +
			`,"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}}`, true
	case "ping":
		return `{}`, true
	case "resources/list":
		return `{` + emptyList + `,"resources":[]}`, true
	case "resources/templates/list":
		return `{` + emptyList + `,"resourceTemplates":[]}`, true
	case "prompts/list":
		return `{` + emptyList + `,"prompts":[]}`, true
	}
	return "", false
}
