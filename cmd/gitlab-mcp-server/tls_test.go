package main_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTLS asks for the health of a server that has a certificate, over HTTP/2, and over plain HTTP.
func TestTLS(t *testing.T) {
	cert, key, trusted := certificate(t)
	p := start(t, []string{"GITLAB_URL=" + newGitLab(t, 0).URL}, "--http", "--http-addr=127.0.0.1:0", "--tls-cert="+cert, "--tls-key="+key)
	addr := p.logged(t, "msg=serving address=")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("https://" + addr + "/health")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "HTTP/2.0", resp.Proto)

	resp, err = http.Get("http://" + addr + "/health")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode, "no answer without TLS")

	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, p.await(t), p.stderr)
}

func TestTLSFilesThatAreNone(t *testing.T) {
	cert, key, _ := certificate(t)
	for name, args := range map[string][]string{
		"no key": {"--tls-cert=" + cert}, "no certificate": {"--tls-key=" + key},
		"not a certificate": {"--tls-cert=" + key, "--tls-key=" + key}, "nothing there": {"--tls-cert=/nonexistent", "--tls-key=" + key},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, []string{"GITLAB_URL=" + newGitLab(t, 0).URL}, append(args, "--http", "--http-addr=127.0.0.1:0")...)
			assert.Equal(t, 2, p.await(t))
			assert.Contains(t, p.stderr.String(), "--tls-cert and --tls-key")
		})
	}
}

// certificate writes a certificate for loopback and its key into files, and returns what trusts it.
func certificate(t *testing.T) (cert, key string, trusted *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		var b bytes.Buffer
		require.NoError(t, pem.Encode(&b, &pem.Block{Type: kind, Bytes: der}))
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		return path
	}
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	trusted = x509.NewCertPool()
	trusted.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", privateDER), trusted
}
