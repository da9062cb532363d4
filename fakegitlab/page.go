package fakegitlab

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	defaultPerPage = 20
	maxPerPage     = 100
	// maxCounted is the number of rows above which GitLab gives no totals.
	maxCounted = 10_000
)

// page is the part of a list one answer holds: rows from to to of total.
type page struct {
	from, to, total int
	header          []string
}

// paginate reads what page a request asks for; base is the request's address for links to other pages.
func paginate(base string, q url.Values, total int) page {
	perPage := min(positive(q.Get("per_page"), defaultPerPage), maxPerPage)
	if q.Get("pagination") == "keyset" {
		return keyset(base, q, total, perPage)
	}
	number := positive(q.Get("page"), 1)
	pages := max(1, (total+perPage-1)/perPage)
	p := page{from: min((number-1)*perPage, total), to: min(number*perPage, total), total: total}
	next, prev := "", ""
	if p.to < total {
		next = strconv.Itoa(number + 1)
	}
	if number > 1 {
		prev = strconv.Itoa(number - 1)
	}
	p.header = []string{
		"X-Per-Page", strconv.Itoa(perPage), "X-Page", strconv.Itoa(number), "X-Next-Page", next, "X-Prev-Page", prev,
	}
	links := [][2]string{{"prev", prev}, {"next", next}, {"first", "1"}}
	if total <= maxCounted {
		p.header = append(p.header, "X-Total", strconv.Itoa(total), "X-Total-Pages", strconv.Itoa(pages))
		links = append(links, [2]string{"last", strconv.Itoa(pages)})
	}
	p.header = append(p.header, "Link", offsetLinks(base, q, perPage, links))
	return p
}

func offsetLinks(base string, q url.Values, perPage int, links [][2]string) string {
	var parts []string
	for _, l := range links {
		if l[1] != "" {
			parts = append(parts, link(base, q, l[0], "page", l[1], perPage))
		}
	}
	return strings.Join(parts, ", ")
}

func link(base string, q url.Values, rel, key, value string, perPage int) string {
	q.Set(key, value)
	q.Set("per_page", strconv.Itoa(perPage))
	return "<" + base + "?" + q.Encode() + `>; rel="` + rel + `"`
}

// keyset pages by a cursor that names the first row of the next page. There are no totals.
func keyset(base string, q url.Values, total, perPage int) page {
	from := 0
	if raw, err := base64.RawURLEncoding.DecodeString(q.Get("cursor")); err == nil {
		from = min(positive(string(raw), 0), total)
	}
	p := page{from: from, to: min(from+perPage, total), total: total}
	if p.to < total {
		cursor := base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(p.to)))
		p.header = []string{"Link", link(base, q, "next", "cursor", cursor, perPage)}
	}
	return p
}

func positive(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// requestBase is the address of a request without its query, as the client knows it.
func requestBase(r *http.Request) string { return "http://" + r.Host + r.URL.EscapedPath() }
