package fakegitlab

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// maxBody bounds what is read of a request.
const maxBody = 16 << 20

// readFields reads the top level of a request's body, whatever form it has. An empty body has no fields.
func readFields(r *http.Request) (fields, error) {
	f := fields{}
	for name, values := range r.URL.Query() {
		f[name] = formValue(values)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
		return f, readMultipart(r, f)
	case "application/x-www-form-urlencoded":
		if err := r.ParseForm(); err != nil {
			return nil, fmt.Errorf("read form: %w", err)
		}
		addForm(f, r.PostForm)
		return f, nil
	case jsonType:
		return f, readJSON(r.Body, f)
	}
	_, err := io.Copy(io.Discard, r.Body)
	return f, err
}

func readJSON(body io.Reader, f fields) error {
	err := json.NewDecoder(body).Decode(&f)
	var notObject *json.UnmarshalTypeError
	if errors.Is(err, io.EOF) || errors.As(err, &notObject) {
		return nil // nothing, or a value that is no object: it has no fields
	}
	if err != nil {
		return fmt.Errorf("read JSON body: %w", err)
	}
	return nil
}

func readMultipart(r *http.Request, f fields) error {
	if err := r.ParseMultipartForm(maxBody); err != nil {
		return fmt.Errorf("read multipart body: %w", err)
	}
	addForm(f, r.MultipartForm.Value)
	for _, files := range r.MultipartForm.File {
		for _, file := range files {
			f["file_name"], f["filename"] = quote(file.Filename), quote(file.Filename)
		}
	}
	return r.MultipartForm.RemoveAll()
}

func addForm(f fields, form url.Values) {
	for name, values := range form {
		f[strings.TrimSuffix(name, "[]")] = formValue(values)
	}
}

// formValue is a form's value in JSON: numbers and truth values as such, the rest as text.
func formValue(values []string) json.RawMessage {
	v := values[0]
	if json.Valid([]byte(v)) && v != "" && v[0] != '"' && v[0] != '{' && v[0] != '[' {
		return json.RawMessage(v)
	}
	return quote(v)
}

func quote(text string) json.RawMessage { return json.RawMessage(appendText(nil, text)) }

// unquote is the text of a JSON string, the digits of a number, or nothing.
func unquote(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func rename(f fields, from, to string) {
	if v, ok := f[from]; ok {
		f[to] = v
	}
}

// translate turns what a request says into what the thing then shows.
func (s *Server) translate(k kind, body fields) fields {
	f := fields{}
	for name, value := range body {
		f[name] = value
	}
	switch unquote(f["state_event"]) {
	case "close":
		f["state"] = quote("closed")
	case "reopen":
		f["state"] = quote("opened")
	case "activate":
		f["state"] = quote("active")
	}
	if labels, ok := f["labels"]; ok {
		f["labels"] = splitLabels(labels)
	}
	rename(f, "new_name", "name")
	s.translatePeople(f)
	if content, ok := f["content"]; ok && k == kindAny && unquote(f["encoding"]) != "base64" && f["commit_message"] != nil {
		f["content"] = quote(base64.StdEncoding.EncodeToString([]byte(unquote(content))))
		f["encoding"] = quote("base64")
	}
	delete(f, "id")
	delete(f, "iid")
	return f
}

// translatePeople shows the users a request names by id.
func (s *Server) translatePeople(f fields) {
	for from, to := range map[string]string{"assignee_ids": "assignees", "reviewer_ids": "reviewers"} {
		var ids []int64
		if json.Unmarshal(f[from], &ids) != nil {
			continue
		}
		users := make([]json.RawMessage, 0, len(ids))
		for _, id := range ids {
			users = append(users, s.userFields(id))
		}
		f[to], _ = json.Marshal(users) // made of valid JSON
	}
}

// splitLabels turns the comma-separated text of a request into the list of an answer.
func splitLabels(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	labels := []string{}
	for label := range strings.SplitSeq(text, ",") {
		if label = strings.TrimSpace(label); label != "" {
			labels = append(labels, label)
		}
	}
	list, _ := json.Marshal(labels) // texts always marshal
	return list
}

// fileContent is what the raw read of a repository file returns: what was written to it, or otherwise.
func (s *Server) fileContent(t *target, otherwise string) string {
	path := strings.TrimSuffix(strings.Join(t.segs, "/"), "/raw")
	content, ok := s.store.at(path).patchOf(0, 1)["content"]
	if !ok {
		return otherwise
	}
	plain, err := base64.StdEncoding.DecodeString(unquote(content))
	if err != nil {
		return unquote(content)
	}
	return string(plain)
}

// fileHeaders describe a repository file to those who ask with HEAD.
func fileHeaders(it *item) []string {
	path := it.named("README.md")
	return []string{
		"X-Gitlab-Blob-Id", hex(it.h, 40),
		"X-Gitlab-Commit-Id", hex(mix(it.h, 1), 40),
		"X-Gitlab-Content-Sha256", hex(mix(it.h, 2), 64),
		"X-Gitlab-Encoding", "base64",
		"X-Gitlab-Execute-Filemode", "false",
		"X-Gitlab-File-Name", path[strings.LastIndexByte(path, '/')+1:],
		"X-Gitlab-File-Path", path,
		"X-Gitlab-Last-Commit-Id", hex(mix(it.h, 3), 40),
		"X-Gitlab-Ref", "main",
		"X-Gitlab-Size", "1476",
	}
}
