package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Subject describes a server under test: how it is obtained and started on each transport, how it is
// told its surface, how credentials reach it, how it is known to be ready, how its heap is read, and
// which calls exercise it. The suite knows a server only through this.
//
// Strings of Args, Env, URL, Ready and of call arguments may hold placeholders in braces; Expand
// lists them.
type Subject struct {
	// Name is the subject's part of a benchmark name: lower case, digits and hyphens.
	Name string `toml:"name"`
	// Title is its name for people, kept in the record.
	Title string `toml:"title"`
	// Runtime names the language runtime, which tells what its heap figure means: go, node. It is kept in the
	// record.
	Runtime string `toml:"runtime"`
	// Protocol is the version of MCP the suite speaks to it, which also says whether there are sessions.
	Protocol string `toml:"protocol"`
	// Inherit lists the environment variables passed on from the suite's own environment; every
	// other one is withheld.
	Inherit []string `toml:"inherit"`

	Build      Build                 `toml:"build"`
	Heap       Heap                  `toml:"heap"`
	Transports map[Transport]*Launch `toml:"transports"`
	Telemetry  *Option               `toml:"telemetry"`
	// Many lets one HTTP process hold {clients} credentials, for series beyond what it ships with.
	Many *Many `toml:"many"`
	// Limited makes it refuse what one client asks beyond one call a second.
	Limited *Option `toml:"limited"`
	// Bounded makes it refuse, at once, what one client asks while {bound} of its requests are in progress.
	Bounded *Option `toml:"bounded"`
	// Sessions is what it does for clients of older revisions; none where it has no sessions.
	Sessions *Sessions `toml:"sessions"`
	// TLS is how it serves HTTPS; none where it does not.
	TLS *TLS `toml:"tls"`
	// Sizing is for the benchmarks of sizing.
	Sizing   Sizing                   `toml:"sizing"`
	Surfaces map[Surface]*SurfaceSpec `toml:"surfaces"`
}

// Build says how a subject's binary is obtained when -binary names none.
type Build struct {
	// Package is a Go package of this module that is built from the checkout.
	Package string `toml:"package"`
	// Command is the name of a program found in PATH, for a subject that is not built here.
	Command string `toml:"command"`
	// VersionArgs make the binary print its version on standard output and exit.
	VersionArgs []string `toml:"version_args"`
}

// Heap says how the subject's live heap is read.
type Heap struct {
	// Reader is go-pprof or none.
	Reader string `toml:"reader"`
	// Address is where the reader finds it, host:port.
	Address string `toml:"address"`
}

// Launch says how a subject is started on one transport.
type Launch struct {
	Args []string          `toml:"args"`
	Env  map[string]string `toml:"env"`
	// URL is the MCP endpoint, on HTTP.
	URL string `toml:"url"`
	// Ready is an address that answers 200 once the process serves, on HTTP.
	Ready string `toml:"ready"`
	// CredentialHeader and CredentialValue carry a credential, on HTTP.
	CredentialHeader string `toml:"credential_header"`
	CredentialValue  string `toml:"credential_value"`
	// AdmissionRequests is how many requests to GitLab the admission of one client causes.
	AdmissionRequests int `toml:"admission_requests"`
	// Grace is how long the process may take to end after it was asked to.
	Grace Duration `toml:"grace"`
}

// Option is what switches an optional behaviour on.
type Option struct {
	Args []string          `toml:"args"`
	Env  map[string]string `toml:"env"`
}

// Many is what lets one HTTP process hold more credentials than it ships with.
type Many struct {
	Option
	// UpstreamConnections is how many connections to GitLab the process then holds at most; 0 is one for
	// each call in flight. The suite checks its descriptors against it.
	UpstreamConnections int `toml:"upstream_connections"`
}

// SurfaceSpec says how a surface is selected, what its listing must be, and the calls that exercise it.
type SurfaceSpec struct {
	Option
	// Tools is the exact number of tools listed.
	Tools int `toml:"tools"`
	// ListingBytes is the exact size of the reply to tools/list, without the digits of its id; 0
	// leaves it unchecked.
	ListingBytes int64 `toml:"listing_bytes"`
	// Calls by the name that the suite uses: see CallNames.
	Calls map[string]*Call `toml:"calls"`
}

// Call is one tools/call and what its answer must look like.
type Call struct {
	Tool      string         `toml:"tool"`
	Arguments map[string]any `toml:"arguments"`
	// Contains are strings that must stand in the result.
	Contains []string `toml:"contains"`
	// Error says that a tool error is the right answer.
	Error bool `toml:"error"`
	// Route is the stand-in's route that the call must reach, and Upstream how often.
	Route    string `toml:"route"`
	Upstream int    `toml:"upstream"`
}

// The calls that the suite makes by name.
const (
	// CallRead is the same GitLab read on every surface; it is what the latency tables call tools/call.
	CallRead = "read"
	// CallFind is a search answered by the subject itself; only some surfaces have one.
	CallFind = "find"
	// CallWrite changes the stand-in's data.
	CallWrite = "write"
	// CallWritten is a read that must show what CallWrite did.
	CallWritten = "written"
	// CallBad has an argument that the subject must refuse before it asks GitLab.
	CallBad = "bad"
	// CallMissing asks for something that GitLab answers with an error.
	CallMissing = "missing"
	// CallHeavy is a download, which GitLab answers with {download} bytes.
	CallHeavy = "heavy"
)

// CallNames lists the names a subject file may use under calls, in an order in which they can be made.
func CallNames() []string {
	return []string{CallRead, CallFind, CallWrite, CallWritten, CallBad, CallMissing, CallHeavy}
}

// TransportNames lists the transports that the subject has, stdio first.
func (s *Subject) TransportNames() []Transport {
	return slices.DeleteFunc([]Transport{Stdio, HTTP}, func(t Transport) bool { return s.Transports[t] == nil })
}

// SurfaceNames lists the surfaces from the one with the fewest tools to the one with the most.
func (s *Subject) SurfaceNames() []Surface {
	return slices.SortedFunc(maps.Keys(s.Surfaces), func(a, b Surface) int {
		return cmp.Or(cmp.Compare(s.Surfaces[a].Tools, s.Surfaces[b].Tools), cmp.Compare(a, b))
	})
}

// Duration is a time.Duration written as "1s" in a subject file.
type Duration time.Duration

// UnmarshalText reads the form that time.ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("duration %q: use a form like 500ms or 2s", text)
	}
	*d = Duration(v)
	return nil
}

// Std returns the value as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }
