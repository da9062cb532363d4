package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Platform is what runs a server and wants to know what to grant it.
type Platform string

// The platforms that a Grant has a snippet for.
const (
	Kubernetes Platform = "kubernetes" // part of a container's specification
	Compose    Platform = "compose"    // a service of a Compose file
	Systemd    Platform = "systemd"    // part of a unit
)

// Platforms are all of them, in the order in which they are offered.
func Platforms() []Platform { return []Platform{Kubernetes, Compose, Systemd} }

// A Grant is what to type into the limits of one process. Memory is in MiB.
type Grant struct {
	For        []string // what it is for and what it is from, a line each
	Request    int      // what the process is expected to take
	Limit      int      // what it may take
	Soft       int      // where its own runtime begins to save (GOMEMLIMIT)
	Millicores int      // processor time that its calls take; 0 where that is not known
	Free       string   // what waits were measured with, such as "1 CPU"; empty where that is not known
	Interface  bool     // whether the process talks over its standard input
	Command    []string // that starts it, where it is known how
	Address    []string // flags that have it listen where a container is reached
	Flags      []string // further flags, such as how many credentials to hold
}

const mebi = 1 << 20

// NewGrant rounds what a process was found to need: up, but for the runtime's
// own limit, which must stay below the limit. Memory is in bytes.
func NewGrant(request, limit float64) Grant {
	whole := math.Ceil(limit / mebi)
	return Grant{Request: int(math.Ceil(request / mebi)), Limit: int(whole), Soft: int(math.Floor(SoftLimit * whole))}
}

// Grant is what to type into the limits of each of the processes that a need is
// for, which must have a limit.
func (c *Calculator) Grant(surface, transport string, n Need) (Grant, error) {
	of, err := c.find(surface, transport)
	if err != nil {
		return Grant{}, err
	}
	limit, why := n.Limit()
	if why != "" {
		return Grant{}, fmt.Errorf("no limit can be given: %s", why)
	}
	g := NewGrant(n.Memory.Middle/float64(n.Processes), limit)
	g.For, g.Free = c.words(of, n), c.Free()
	if cores, why := n.Cores(); why == "" {
		g.Millicores = max(1, int(math.Ceil(1000*cores.Middle/float64(n.Processes))))
	}
	g.Interface = of.Memory.Process != nil
	if g.Command = of.Command; of.Clients != "" {
		g.Address = []string{"--http-addr", ":8080"}
		g.Flags = []string{of.Clients, strconv.Itoa(n.People)}
	}
	return g, nil
}

// words say what a grant is for, and what it is from.
func (c *Calculator) words(of SizedSurface, n Need) []string {
	who := fmt.Sprintf("%s people on %s over %s, a call of each every %s s.",
		significant(float64(n.People)), of.Surface, of.Transport, significant(n.Every.Seconds()))
	if n.Every == 0 {
		who = fmt.Sprintf("%s credentials on %s over %s, %s of them with a call in flight at all times.",
			significant(float64(n.People)), of.Surface, of.Transport, significant(float64(n.Most)))
	}
	if of.Memory.Process != nil {
		who += " Each of them has a process like this."
	}
	from := "From " + cmp.Or(strings.Join(c.Record, ", "), "the record")
	if c.Host != "" {
		from += " of " + c.Host
	}
	return []string{who, from + "."}
}

// Snippet is the grant as the platform wants it, ready to be pasted.
func (g Grant) Snippet(p Platform) string {
	var lines []string
	for _, line := range g.For {
		lines = append(lines, "# "+line)
	}
	switch p {
	case Compose:
		lines = append(lines, g.compose()...)
	case Systemd:
		lines = append(lines, g.systemd()...)
	default:
		lines = append(lines, g.kubernetes()...)
	}
	return strings.Join(lines, "\n")
}

func (g Grant) kubernetes() []string {
	var lines []string
	if len(g.Command) > 0 {
		lines = append(lines, "args: "+jsonList(g.contained()[1:]))
	}
	lines = append(lines, "env:", "  - name: GOMEMLIMIT", fmt.Sprintf("    value: %dMiB", g.Soft),
		"resources:", "  requests:", fmt.Sprintf("    memory: %dMi", g.Request))
	if g.Millicores > 0 && g.Free != "" {
		lines = append(lines, fmt.Sprintf("    # What calls take on average. Waits were measured with %s free for them: set no limit below that.", g.Free))
	}
	if g.Millicores > 0 {
		lines = append(lines, fmt.Sprintf("    cpu: %dm", g.Millicores))
	}
	return append(lines, "  limits:", fmt.Sprintf("    memory: %dMi", g.Limit))
}

func (g Grant) compose() []string {
	lines := []string{"services:", "  mcp:", "    image: …"}
	if len(g.Command) > 0 {
		lines = append(lines, "    command: "+jsonList(g.contained()[1:]))
	}
	if g.Interface {
		lines = append(lines, "    stdin_open: true")
	}
	return append(lines, "    environment:", fmt.Sprintf("      GOMEMLIMIT: %dMiB", g.Soft),
		fmt.Sprintf("    mem_reservation: %dm", g.Request), fmt.Sprintf("    mem_limit: %dm", g.Limit))
}

func (g Grant) systemd() []string {
	lines := []string{"[Service]", fmt.Sprintf("Environment=GOMEMLIMIT=%dMiB", g.Soft), fmt.Sprintf("MemoryMax=%dM", g.Limit)}
	if len(g.Command) > 0 {
		command := append(append([]string{}, g.Command...), g.Flags...)
		lines = append(lines, "ExecStart=/usr/local/bin/"+strings.Join(command, " "))
	}
	return lines
}

// contained is the command in a container, which has to listen on more than
// loopback.
func (g Grant) contained() []string {
	return append(append(append([]string{}, g.Command...), g.Address...), g.Flags...)
}

// jsonList writes strings as JSON does, which YAML reads as well.
func jsonList(args []string) string {
	parts := make([]string, len(args))
	for i, arg := range args {
		quoted, _ := json.Marshal(arg) // a string always has a form
		parts[i] = string(quoted)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
