package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	binary, out := filepath.Join(dir, "server"), filepath.Join(dir, "image.tar")
	require.NoError(t, os.WriteFile(binary, []byte("a program"), 0o600))
	for name, tt := range map[string]struct {
		args         []string
		code         int
		stdout, said string
	}{
		"made":         {[]string{"-binary", binary, "-out", out, "-name", "server:v1"}, 0, `image\.tar: server:v1, \d+ bytes; its layers are \d+ bytes compressed, and the binary alone is 9`, ""},
		"help":         {[]string{"-h"}, 0, "", "usage: image"},
		"nothing":      {nil, 2, "", "-binary and -out are needed"},
		"more":         {[]string{"-binary", binary, "-out", out, "more"}, 2, "", "nothing but flags"},
		"unknown flag": {[]string{"-x"}, 2, "", "usage: image"},
		"no binary":    {[]string{"-binary", binary + "x", "-out", out}, 1, "", "no such file"},
		"no folder":    {[]string{"-binary", binary, "-out", filepath.Join(dir, "no", "x")}, 1, "", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, tt.code, run(tt.args, &stdout, &stderr), stderr.String())
			assert.Regexp(t, tt.stdout, stdout.String())
			assert.Contains(t, stderr.String(), tt.said)
		})
	}
	assert.FileExists(t, out)
}
