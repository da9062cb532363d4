package catalog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"reflect"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// content is how a caller gives bytes to upload: as text or as base64, never as a path.
type content struct {
	Text   *string `json:"text"`
	Base64 *string `json:"base64"`
}

const contentSchema = `{"type":"object","description":"The content itself, as text or in base64.",` +
	`"properties":{"text":{"type":"string"},"base64":{"type":"string"}},` +
	`"additionalProperties":false,"minProperties":1,"maxProperties":1}`

const uploadSchema = `{"type":"object","properties":{"file_name":{"type":"string"},` +
	`"content_type":{"type":"string"},"content":` + contentSchema + `},` +
	`"required":["file_name","content"],"additionalProperties":false}`

// upload is a file with its name, for GraphQL.
type upload struct {
	FileName    string          `json:"file_name"`
	ContentType string          `json:"content_type"`
	Content     json.RawMessage `json:"content"`
}

func decodeContent(raw json.RawMessage, path string) (io.Reader, error) {
	var c content
	if err := strict(raw, &c); err != nil || (c.Text == nil) == (c.Base64 == nil) {
		return nil, &ArgumentError{path, `must be an object with either "text" or "base64"`}
	}
	if c.Text != nil {
		return bytes.NewReader([]byte(*c.Text)), nil
	}
	data, err := base64.StdEncoding.DecodeString(*c.Base64)
	if err != nil {
		return nil, &ArgumentError{path + ".base64", "is not valid base64"}
	}
	return bytes.NewReader(data), nil
}

func decodeUpload(v reflect.Value, raw json.RawMessage, path string) error {
	var u upload
	if err := strict(raw, &u); err != nil || u.FileName == "" || u.Content == nil {
		return &ArgumentError{path, `must be an object with "file_name" and "content"`}
	}
	r, err := decodeContent(u.Content, path+".content")
	if err != nil {
		return err
	}
	made, err := gitlab.NewGraphQLUpload(r, u.FileName, u.ContentType)
	if err != nil {
		return &ArgumentError{path, err.Error()}
	}
	v.Set(reflect.ValueOf(made).Elem())
	return nil
}

// strict decodes one JSON object and refuses names that v does not have.
func strict(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
