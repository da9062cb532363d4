package scenarios

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed subjects/*.toml
var embedded embed.FS

// Default is the name of the subject in this repository.
const Default = "gitlab-mcp"

// Load returns the subject called name: an embedded one, or, where name ends in .toml or holds a
// slash, the file of that name.
func Load(name string) (*Subject, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("subject %s: %w", name, err)
	}
	return s, nil
}

func read(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".toml") || strings.ContainsRune(name, os.PathSeparator) {
		return os.ReadFile(name)
	}
	data, err := embedded.ReadFile("subjects/" + name + ".toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no subject %q: the known ones are %s, or give the path of a .toml file",
			name, strings.Join(Names(), ", "))
	}
	return data, err
}

// Names lists the embedded subjects.
func Names() []string {
	// The pattern of the embed directive guarantees that the folder exists.
	entries, _ := embedded.ReadDir("subjects")
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(path.Base(e.Name()), ".toml"))
	}
	sort.Strings(names)
	return names
}

// Parse reads and validates a subject file. A key that it does not know is an error: a misspelt one
// would otherwise be a setting silently left out.
func Parse(data []byte) (*Subject, error) {
	var s Subject
	md, err := toml.NewDecoder(bytes.NewReader(data)).Decode(&s)
	if err != nil {
		return nil, err
	}
	for _, key := range md.Undecoded() {
		// The decoder also lists what lies inside a table of free form.
		if !slices.Contains(key, "arguments") {
			return nil, fmt.Errorf("unknown key %q", key.String())
		}
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	return &s, nil
}

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (s *Subject) validate() error {
	checks := []struct {
		ok   bool
		what string
	}{
		{namePattern.MatchString(s.Name), fmt.Sprintf("name %q: use lower case, digits and hyphens", s.Name)},
		{s.Title != "", "title is missing"},
		{s.Runtime != "", "runtime is missing"},
		{s.Protocol != "", "protocol is missing"},
		{slices.Contains([]string{"go-pprof", "none"}, s.Heap.Reader), `heap.reader must be "go-pprof" or "none"`},
		{s.Heap.Reader == "none" || s.Heap.Address != "", "heap.address is missing"},
		{(s.Build.Package == "") != (s.Build.Command == ""), "build needs one of package and command"},
		{len(s.Transports) > 0, "transports is empty"},
		{len(s.Surfaces) > 0, "surfaces is empty"},
	}
	for _, c := range checks {
		if !c.ok {
			return errors.New(c.what)
		}
	}
	return s.validateParts()
}

func (s *Subject) validateParts() error {
	for name, l := range s.Transports {
		if err := l.validate(name); err != nil {
			return fmt.Errorf("transports.%s: %w", name, err)
		}
	}
	if err := s.TLS.validate(); err != nil {
		return fmt.Errorf("tls: %w", err)
	}
	for name, surface := range s.Surfaces {
		if err := surface.validate(); err != nil {
			return fmt.Errorf("surfaces.%s: %w", name, err)
		}
	}
	if err := s.Sizing.validate(s); err != nil {
		return fmt.Errorf("sizing.%w", err)
	}
	return nil
}

func (l *Launch) validate(t Transport) error {
	switch {
	case t != Stdio && t != HTTP:
		return errors.New("unknown transport: use stdio or http")
	case l.Grace <= 0:
		return errors.New("grace is missing")
	case t == HTTP && (l.URL == "" || l.Ready == "" || l.CredentialHeader == "" || l.CredentialValue == ""):
		return errors.New("needs url, ready, credential_header and credential_value")
	}
	return nil
}

func (p *SurfaceSpec) validate() error {
	if p.Tools <= 0 {
		return errors.New("tools must be the number of tools listed")
	}
	for name, call := range p.Calls {
		if !slices.Contains(CallNames(), name) {
			return fmt.Errorf("calls.%s: unknown call, use one of %s", name, strings.Join(CallNames(), ", "))
		}
		if err := call.validate(); err != nil {
			return fmt.Errorf("calls.%s: %w", name, err)
		}
	}
	if p.Calls[CallRead] == nil {
		return errors.New("calls.read is missing: it is what the suite measures")
	}
	return nil
}

func (c *Call) validate() error {
	switch {
	case c.Tool == "":
		return errors.New("tool is missing")
	case (c.Route == "") != (c.Upstream == 0):
		return errors.New("route and upstream go together")
	case !c.Error && len(c.Contains) == 0:
		return errors.New("contains is missing: an answer nobody looks at proves nothing")
	}
	return nil
}
