package fakegitlab

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// answerGraphQL answers any query with data of the shape it asks for: what is selected is what comes
// back, drawn by name. It knows no schema, so it cannot refuse a field that GitLab does not have, and
// mutations change nothing.
func (s *Server) answerGraphQL(r *http.Request) *answer {
	query, err := readQuery(r)
	if err != nil {
		return &answer{status: http.StatusBadRequest, body: []byte(`{"errors":[{"message":"unreadable query"}]}`)}
	}
	sel, ok := parseQuery(query.Query)
	if !ok {
		return &answer{status: http.StatusOK, body: []byte(`{"errors":[{"message":"syntax error in query"}]}`)}
	}
	h := mix(s.opts.Seed, hashText(s.opts.Seed, query.Query+string(query.Variables)))
	it := item{w: &s.world, h: h, id: int64(h%100) + 1, iid: int64(h%100) + 1, project: 1}
	body := appendObject([]byte(`{"data":`), sel, "", &it)
	return &answer{status: http.StatusOK, body: append(body, '}')}
}

type graphQLRequest struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables"`
}

// readQuery reads a query from JSON or from the operations part of a multipart upload.
func readQuery(r *http.Request) (graphQLRequest, error) {
	var q graphQLRequest
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseMultipartForm(maxBody); err != nil {
			return q, err
		}
		return q, json.Unmarshal([]byte(r.FormValue("operations")), &q)
	}
	return q, json.NewDecoder(r.Body).Decode(&q)
}

// appendObject writes the selected fields; parent is the field they are selected from.
func appendObject(dst []byte, sel []selection, parent string, it *item) []byte {
	dst = append(dst, '{')
	seen := map[string]bool{}
	for _, f := range sel {
		if seen[f.name] {
			continue
		}
		if len(seen) > 0 {
			dst = append(dst, ',')
		}
		seen[f.name] = true
		dst = append(dst, strconv.Quote(f.name)+":"...)
		dst = appendSelected(dst, f, parent, it)
	}
	return append(dst, '}')
}

func appendSelected(dst []byte, f selection, parent string, it *item) []byte {
	if f.sub == nil {
		return appendScalar(dst, f.of, parent, it)
	}
	child := *it
	child.h = mix(it.h, hashText(0, f.of))
	child.id = int64(child.h%100) + 1
	child.iid = child.id
	if parent == "" || parent == "features" || !isGraphQLList(f) {
		return appendObject(dst, f.sub, f.of, &child)
	}
	name := f.of
	if name == "nodes" || name == "edges" {
		name = parent
	}
	return append(appendObject(append(dst, '['), f.sub, singular(name), &child), ']')
}

// isGraphQLList tells lists from connections, which hold theirs in nodes or edges.
func isGraphQLList(f selection) bool {
	switch f.of {
	case "nodes", "edges", "widgets", "errors":
		return true
	case "status", "timeStats", "progress", "address", "features":
		return false
	}
	if !strings.HasSuffix(f.of, "s") {
		return false
	}
	for _, sub := range f.sub {
		if sub.of == "nodes" || sub.of == "edges" || sub.of == "count" || sub.of == "pageInfo" {
			return false
		}
	}
	return true
}

// appendScalar writes a leaf by its name.
func appendScalar(dst []byte, name, parent string, it *item) []byte {
	switch {
	case name == "errors":
		return append(dst, "[]"...)
	case name == "id":
		typ := "WorkItem"
		if parent != "" {
			typ = strings.ToUpper(parent[:1]) + parent[1:]
		}
		return appendText(dst, "gid://gitlab/"+typ+"/"+itoa(it.id))
	case strings.HasSuffix(name, "Id"):
		return appendText(dst, "gid://gitlab/"+strings.ToUpper(name[:1])+name[1:len(name)-2]+"/"+itoa(it.id))
	case name == "iid":
		return appendText(dst, itoa(it.iid))
	case name == "deletedAt" || name == "lockedAt" || strings.HasSuffix(name, "Cursor"):
		return append(dst, "null"...)
	case strings.HasSuffix(name, "At"):
		return appendTime(dst, it.time("created_at"), "2006-01-02T15:04:05Z07:00")
	case strings.HasSuffix(name, "Date"):
		return appendTime(dst, it.time("due_date"), "2006-01-02")
	case graphQLFlags[name] || hasPrefixWord(name, "has") || hasPrefixWord(name, "is") || hasPrefixWord(name, "can"):
		return append(dst, "false"...)
	case graphQLNumbers[name] || strings.HasSuffix(name, "Count"):
		return strconv.AppendInt(dst, int64(it.h%50), 10)
	}
	if text, ok := kindTexts[kindUser][name]; ok && name != "state" {
		return appendText(dst, text(it))
	}
	if text, ok := commonTexts[name]; ok {
		return appendText(dst, text(it))
	}
	return appendText(dst, pick(nouns, mix(it.h, hashText(0, name))))
}

// graphQLFlags and graphQLNumbers are leaves whose type their name does not tell.
var (
	graphQLFlags = map[string]bool{
		"archived": true, "confidential": true, "default": true, "enabled": true, "multipleSelection": true,
		"showOnProfile": true, "subscribed": true,
	}
	graphQLNumbers = map[string]bool{
		"count": true, "position": true, "priority": true, "progress": true, "serial": true, "weight": true,
	}
)

// hasPrefixWord tells hasNextPage from hash.
func hasPrefixWord(name, word string) bool {
	rest, ok := strings.CutPrefix(name, word)
	return ok && rest != "" && unicode.IsUpper(rune(rest[0]))
}
