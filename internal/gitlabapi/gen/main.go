// Command gen writes the tables of package gitlabapi from the GitLab client that go.mod names.
//
// Verbs and paths are found by calling every method with marked arguments and looking at the request
// it sends; names, deprecations and constants are read from the client's source. It asks no network.
// A method it cannot place is an error, never a guess.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
)

const clientModule = "gitlab.com/gitlab-org/api/client-go/v2"

func main() {
	log.SetFlags(0)
	if err := run("."); err != nil {
		log.Fatalf("gen: %v", err)
	}
}

// run writes both tables into dir, the folder of package gitlabapi.
func run(dir string) error {
	operations, enums, err := tables()
	if err != nil {
		return err
	}
	if err := os.WriteFile(dir+"/operations.tsv", operations, 0o644); err != nil {
		return err
	}
	return os.WriteFile(dir+"/enums.tsv", enums, 0o644)
}

// tables makes the text of operations.tsv and enums.tsv.
func tables() (operations, enums []byte, err error) {
	dir, err := sourceDir()
	if err != nil {
		return nil, nil, err
	}
	src, err := parseSource(dir)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	for _, m := range methods() {
		row, err := describe(m, src)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.%s: %w", m.service, m.name, err)
		}
		if row != "" {
			b.WriteString(row + "\n")
		}
	}
	return b.Bytes(), src.enums(), nil
}

// sourceDir asks the go command where the client's source is.
func sourceDir() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", clientModule).Output()
	if err != nil {
		return "", fmt.Errorf("find the source of %s: %w", clientModule, err)
	}
	return strings.TrimSpace(string(out)), nil
}
