package image

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put writes a file and returns its path.
func put(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// files are the names, modes and contents of all that is in an image.
func files(t *testing.T, img v1.Image) map[string]string {
	t.Helper()
	extracted := mutate.Extract(img)
	defer func() { assert.NoError(t, extracted.Close()) }()
	found := map[string]string{}
	for r := tar.NewReader(extracted); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // as tar.Reader returns it
			return found
		}
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		found["/"+h.Name] = h.FileInfo().Mode().String() + " " + string(content)
	}
}

// An engine reads the tarball back as the image that was made, with what it needs and nothing else.
func TestImage(t *testing.T) {
	binary, authorities := put(t, "server", []byte("a program")), put(t, "ca.crt", []byte("certificates"))
	img, err := New(binary, authorities)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "image.tar")
	require.NoError(t, Write(out, "server:v1", img))

	back, err := tarball.ImageFromPath(out, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"/server":                            "-rwxr-xr-x a program",
		"/etc/ssl/certs/ca-certificates.crt": "-rw-r--r-- certificates",
	}, files(t, back))
	config, err := back.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, []string{"/server"}, config.Config.Entrypoint)
	assert.Equal(t, nobody, config.Config.User)
	assert.Equal(t, []string{runtime.GOOS, runtime.GOARCH}, []string{config.OS, config.Architecture}, "what is no Go binary is taken to be of this host")
	assert.Len(t, config.RootFS.DiffIDs, 2)

	alone, err := New(binary, "")
	require.NoError(t, err)
	assert.Len(t, files(t, alone), 1)
	with, err := LayerBytes(back)
	require.NoError(t, err)
	without, err := LayerBytes(alone)
	require.NoError(t, err)
	assert.Greater(t, with, without)
}

// The same files give the same bytes, whenever they are made.
func TestImageIsReproducible(t *testing.T) {
	made := func() []byte {
		img, err := New(put(t, "server", bytes.Repeat([]byte("program"), 1000)), "")
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "image.tar")
		require.NoError(t, Write(out, "server:v1", img))
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		return data
	}
	first, second := made(), made()
	assert.Equal(t, first, second)
}

// A Go binary says what it was built for: the test itself is one.
func TestPlatformOfAGoBinary(t *testing.T) {
	system, processor := platform("/proc/self/exe")
	assert.Equal(t, []string{runtime.GOOS, runtime.GOARCH}, []string{system, processor})
}

func TestImageRefuses(t *testing.T) {
	_, err := New("no-such-binary", "")
	require.ErrorIs(t, err, os.ErrNotExist)
	binary := put(t, "server", []byte("a program"))
	_, err = New(binary, "no-such-file")
	require.ErrorIs(t, err, os.ErrNotExist)
	img, err := New(binary, "")
	require.NoError(t, err)
	require.ErrorContains(t, Write(filepath.Join(t.TempDir(), "x"), "not a name", img), "image: ")
	require.Error(t, Write(filepath.Join(t.TempDir(), "no", "folder"), "server:v1", img))
}
