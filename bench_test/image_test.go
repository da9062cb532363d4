package bench_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcpbench/internal/image"
	"mcpbench/internal/record"
)

// image records how large the binary is and a container image of it. No process is started.
func (s *suite) image(b *testing.B, name string) {
	b.Helper()
	const settings = "authorities=none"
	if _, held := s.skip(b, name, settings); held {
		return
	}
	s.progress.begin("Image")
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	config := s.config()
	config[record.KeyMethod] = "an image from scratch, as `make image` makes it, with the binary alone in it"
	config[record.KeySettings] = s.settings(settings)
	sheet := newSheet(name, config, s.identity())
	if err := sizeOf(s.build.path, filepath.Join(b.TempDir(), "image.tar"), sheet); err != nil {
		b.Fatal(err)
	}
	if err := s.keep(sheet.result); err != nil {
		b.Fatal(err)
	}
	sheet.report(b)
	verdict = "ok"
}

// sizeOf makes an image of a binary, and writes the sizes of both.
func sizeOf(binary, tarball string, sheet *sheet) error {
	img, err := image.New(binary, "")
	if err != nil {
		return err
	}
	if err := image.Write(tarball, "subject:measured", img); err != nil {
		return err
	}
	layers, err := image.LayerBytes(img)
	if err != nil {
		return err
	}
	sheet.set("image-layer-bytes", float64(layers))
	for unit, path := range map[string]string{"binary-bytes": binary, "image-bytes": tarball} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		sheet.set(unit, float64(info.Size()))
	}
	return nil
}
