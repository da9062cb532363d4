// Command image makes a container image of a static binary, as a tarball that engines load.
//
//	go run ./cmd/image -binary out/bin/gitlab-mcp-server -out out/image.tar
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"mcpbench/internal/image"
)

const usage = `usage: image -binary FILE -out FILE [-name NAME:TAG] [-ca FILE]

Makes a container image that holds a static binary and nothing else, without an engine and without a network, and
writes it as a tarball: docker load -i FILE, or podman load -i FILE.
Exit code: 0 made; 1 something failed; 2 wrong usage.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are what the command line asks for.
type options struct{ binary, out, name, authorities string }

// say writes for people. Where a terminal takes no more there is nobody left to tell of it.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := o.make(stdout); err != nil {
		say(stderr, "image: %v\n", err)
		return 1
	}
	return 0
}

// parse reads the command line. What is wrong with it is said on stderr.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		say(stderr, "%s", usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.binary, "binary", "", "the static binary: a `file`")
	flags.StringVar(&o.out, "out", "", "`file` of the tarball")
	flags.StringVar(&o.name, "name", "gitlab-mcp-server:latest", "what the image is called, `NAME:TAG`")
	flags.StringVar(&o.authorities, "ca", "", "`file` of certificates, without which no TLS server is trusted; none when empty")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.binary == "" || o.out == "" {
		say(stderr, "image: -binary and -out are needed, and nothing but flags\n")
		return o, errors.New("wrong usage")
	}
	return o, nil
}

// make makes the image and says how large everything is.
func (o options) make(stdout io.Writer) error {
	img, err := image.New(o.binary, o.authorities)
	if err != nil {
		return err
	}
	if err := image.Write(o.out, o.name, img); err != nil {
		return err
	}
	layers, err := image.LayerBytes(img)
	if err != nil {
		return err
	}
	binary, err := os.Stat(o.binary)
	if err != nil {
		return err
	}
	tarball, err := os.Stat(o.out)
	if err != nil {
		return err
	}
	say(stdout, "%s: %s, %d bytes; its layers are %d bytes compressed, and the binary alone is %d\n",
		o.out, o.name, tarball.Size(), layers, binary.Size())
	return nil
}
