package upstream

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strings"
)

// Scheme is how a token is presented to GitLab.
type Scheme byte

// The schemes. Personal, project and group access tokens may use either, OAuth tokens only Bearer, so a
// token goes to GitLab the way it came.
const (
	PrivateToken Scheme = iota
	Bearer
)

// A Credential is a GitLab token. Whatever prints it, it does not show the token.
type Credential struct {
	Scheme Scheme
	token  string
}

// NewCredential returns the credential of a token.
func NewCredential(scheme Scheme, token string) Credential {
	return Credential{Scheme: scheme, token: token}
}

// FromRequest reads the credential of an HTTP request: a PRIVATE-TOKEN header or else a Bearer token.
// It reports false if there is none.
func FromRequest(r *http.Request) (Credential, bool) {
	if token := strings.TrimSpace(r.Header.Get("Private-Token")); token != "" {
		return Credential{PrivateToken, token}, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); strings.EqualFold(scheme, "Bearer") && token != "" {
		return Credential{Bearer, token}, true
	}
	return Credential{}, false
}

// sign puts the token into the header of a request.
func (c Credential) sign(h http.Header) {
	if c.Scheme == Bearer {
		h.Set("Authorization", "Bearer "+c.token)
		return
	}
	h.Set("Private-Token", c.token)
}

// A Key stands for a credential where the token itself need not be held: its SHA-256.
type Key [sha256.Size]byte

// Key returns the credential's key.
func (c Credential) Key() Key {
	h := sha256.New()
	h.Write([]byte{byte(c.Scheme)})
	h.Write([]byte(c.token))
	var k Key
	h.Sum(k[:0])
	return k
}

// String hides the token.
func (Credential) String() string { return "[token]" }

// GoString hides the token.
func (c Credential) GoString() string { return c.String() }

// LogValue hides the token.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }
