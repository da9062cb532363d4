package bench_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpbench/internal/spawn"
)

// certificate is one that the suite made for loopback, and that nobody else trusts.
type certificate struct {
	cert, key string // paths
	pool      *x509.CertPool
}

// newCertificate writes a certificate and its key into a folder of the test's own.
func newCertificate(tb testing.TB) (*certificate, error) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 1, 0),
		IPAddresses: []net.IP{net.ParseIP(loopback)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	c := &certificate{filepath.Join(tb.TempDir(), "cert.pem"), filepath.Join(tb.TempDir(), "key.pem"), x509.NewCertPool()}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	c.pool.AddCert(parsed)
	if err := writePEM(c.cert, "CERTIFICATE", der); err != nil {
		return nil, err
	}
	return c, writePEM(c.key, "PRIVATE KEY", secret)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// client is one with a connection of its own that trusts the certificate and speaks nothing but HTTP/2.
func (c *certificate) client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: c.pool, MinVersion: tls.VersionTLS13},
		ForceAttemptHTTP2: true,
	}
	return &http.Client{Transport: onlyHTTP2{transport}, CheckRedirect: noRedirect}
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// onlyHTTP2 fails answers in another version: the path would not be what it is called.
type onlyHTTP2 struct{ *http.Transport }

func (o onlyHTTP2) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.Transport.RoundTrip(r)
	if err == nil && resp.ProtoMajor != 2 {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("answered in %s and not in HTTP/2", resp.Proto)
	}
	return resp, err
}

// readyEvery is the time between questions whether a process serves HTTPS. How long it took is not measured.
const readyEvery = 5 * time.Millisecond

// ready is satisfied by the first answer 200.
func (c *certificate) ready(url string) spawn.Probe {
	return func(ctx context.Context, _ *spawn.Process) error {
		client := c.client()
		defer client.CloseIdleConnections()
		for {
			status, err := get(ctx, client, url)
			if status == http.StatusOK {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("GET %s: status %d: %w", url, status, err)
			case <-time.After(readyEvery):
			}
		}
	}
}

// overTLS completes what is spawned of a process that serves HTTPS.
func (in *instance) overTLS(spec spawn.Spec) (spawn.Spec, error) {
	ready, err := in.vars.Expand(in.subject.TLS.Ready)
	spec.Listen, spec.Ready = net.JoinHostPort(loopback, in.vars["port"]), in.launch.tls.ready(ready)
	return spec, err
}
