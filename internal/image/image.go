// Package image makes a container image of a static binary: a layer with the binary, and if asked for one with the
// certificates that it needs to speak to servers over TLS. There is no shell in it and no system.
//
// It needs no engine and no network, and runs nothing. The same files give the same image, byte for byte: nothing in it
// says when or where it was made.
package image

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// certificates is where Go looks for authorities on Linux (crypto/x509, root_linux.go).
	certificates = "/etc/ssl/certs/ca-certificates.crt"
	// nobody is the user that the binary runs as: none that any system gives a meaning to.
	nobody = "65532:65532"
)

// New returns an image that runs the binary at a path, without arguments of its own. Authorities, if not "", is a file
// of certificates in PEM that is put where the binary looks for them.
func New(binary, authorities string) (v1.Image, error) {
	program := "/" + filepath.Base(binary)
	img, err := withFile(empty.Image, binary, program, 0o755)
	if err == nil && authorities != "" {
		img, err = withFile(img, authorities, certificates, 0o644)
	}
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = platform(binary)
	file.Config = v1.Config{Entrypoint: []string{program}, User: nobody}
	return mutate.ConfigFile(img, file)
}

// platform is what a Go binary was built for, and what this program was built for where it does not tell.
func platform(binary string) (system, processor string) {
	system, processor = runtime.GOOS, runtime.GOARCH
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return system, processor
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			system = s.Value
		case "GOARCH":
			processor = s.Value
		}
	}
	return system, processor
}

// withFile adds a layer with one file.
func withFile(img v1.Image, from, to string, mode int64) (v1.Image, error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err = w.WriteHeader(&tar.Header{Name: to[1:], Mode: mode, Size: int64(len(content)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write(content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.DockerLayer))
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	return mutate.AppendLayers(img, layer)
}

// Write writes the image as a tarball, which engines load, under a name such as server:v1.
func Write(path, reference string, img v1.Image) error {
	tag, err := name.NewTag(reference)
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return tarball.WriteToFile(path, tag, img)
}

// LayerBytes is what pulling the image transfers: the sizes of its layers as they are compressed.
func LayerBytes(img v1.Image) (int64, error) {
	layers, err := img.Layers()
	if err != nil {
		return 0, fmt.Errorf("image: %w", err)
	}
	var sum int64
	for _, layer := range layers {
		size, err := layer.Size()
		if err != nil {
			return 0, fmt.Errorf("image: %w", err)
		}
		sum += size
	}
	return sum, nil
}
