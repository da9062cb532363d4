package bench_test

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/scenarios"
)

// build is one resolved binary of a subject.
type build struct {
	path, sha256, version, commit, toolchain string
}

// resolveBuild finds the binary that is measured: the one named by -binary, one built from the
// checkout, or one found in PATH, in this order.
func resolveBuild(ctx context.Context, s *scenarios.Subject, binary string) (build, error) {
	path, err := locateBinary(ctx, s, binary)
	if err != nil {
		return build{}, err
	}
	return describeBuild(ctx, path, s.Build.VersionArgs)
}

func locateBinary(ctx context.Context, s *scenarios.Subject, binary string) (string, error) {
	switch {
	case binary != "":
		return filepath.Abs(binary)
	case s.Build.Package != "":
		return goBuild(ctx, s.Build.Package)
	default:
		path, err := exec.LookPath(s.Build.Command)
		if err != nil {
			return "", fmt.Errorf("subject %s: %w; install it or name its binary with -binary", s.Name, err)
		}
		return path, nil
	}
}

// goBuild builds a package of the checkout into out/bin and returns the binary's path.
func goBuild(ctx context.Context, pkg string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", fmt.Errorf("build %s: %w; outside a checkout, name a binary with -binary", pkg, err)
	}
	path := filepath.Join(root, "out", "bin", filepath.Base(pkg))
	// -buildvcs is given so that a GOFLAGS from outside cannot take the commit out of the record.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=auto", "-o", path, pkg)
	cmd.Dir = root
	// Without C libraries the same source gives the same binary on hosts with a C compiler and without.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

// moduleRoot is the nearest folder above the working directory that holds this module's go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+module+"\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside a checkout of " + module)
		}
		dir = parent
	}
}

func describeBuild(ctx context.Context, path string, versionArgs []string) (build, error) {
	b := build{path: path, version: "unknown", commit: "unknown", toolchain: "unknown"}
	var err error
	if b.sha256, err = fileSHA256(path); err != nil {
		return b, err
	}
	if info, err := buildinfo.ReadFile(path); err == nil {
		b.toolchain = info.GoVersion
		b.commit = commitOf(info)
	}
	if len(versionArgs) > 0 {
		out, err := exec.CommandContext(ctx, path, versionArgs...).Output()
		if err != nil {
			return b, fmt.Errorf("%s %s: %w", path, strings.Join(versionArgs, " "), err)
		}
		b.version, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	}
	return b, nil
}

// commitOf returns the revision stamped into a Go binary, marked when the tree it was built from held
// changes that are in no commit.
func commitOf(info *buildinfo.BuildInfo) string {
	commit := "unknown"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += "+changes"
		}
	}
	return commit
}

// suiteRevision names the suite itself: the revision that it was built from where that is stamped into it, as
// `make suite` has it done, and otherwise the program by its content.
var suiteRevision = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if commit := commitOf(info); commit != "unknown" {
			return commit
		}
	}
	// On Linux the path leads to the program that runs even if another has taken its name since.
	sum, err := fileSHA256("/proc/self/exe")
	if err != nil {
		return "unknown"
	}
	return "program " + sum[:12]
})

func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func TestResolveBuildRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, binary, want string
		subject            scenarios.Subject
	}{
		{"no such binary", "./no-such-binary", "no-such-binary", scenarios.Subject{}},
		{"not in PATH", "", "-binary", scenarios.Subject{Build: scenarios.Build{Command: "no-such-command-here"}}},
		{"no such package", "", "go build", scenarios.Subject{Build: scenarios.Build{Package: "./no/such"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := resolveBuild(t.Context(), &tt.subject, tt.binary)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestDescribeBuildOfForeignFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho server 1.2\necho more\n"), 0o700))
	b, err := describeBuild(t.Context(), path, []string{"--version"})
	require.NoError(t, err)
	assert.Equal(t, "server 1.2", b.version)
	assert.Equal(t, "unknown", b.commit)
	assert.Equal(t, "unknown", b.toolchain)
	assert.Len(t, b.sha256, 64)
}
