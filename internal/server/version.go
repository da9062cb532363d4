package server

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Build says which build of the program this is.
type Build struct{ Version, Commit, Go string }

// ReadBuild returns the build that runs. A version or commit set by the linker wins over what the Go tool
// noted; what neither knows is "unknown".
func ReadBuild(version, commit string) Build {
	b := Build{Version: version, Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		b.Commit = cmp.Or(b.Commit, revision(info.Settings))
	}
	b.Version = cmp.Or(b.Version, "unknown")
	b.Commit = cmp.Or(b.Commit, "unknown")
	return b
}

// revision is the commit the Go tool built from, marked if the checkout had changes.
func revision(settings []debug.BuildSetting) string {
	var rev, changes string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if rev == "" {
		return ""
	}
	return rev + changes
}

// String is what --version prints.
func (b Build) String() string {
	return fmt.Sprintf("gitlab-mcp-server %s\ncommit %s\n%s %s/%s", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
}
