package catalog

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// shape is how a Go type of an argument looks in JSON. The schema and the decoder both go by it, so
// that they cannot disagree.
type shape uint8

const (
	shapeAny        shape = iota // any JSON value
	shapeID                      // a number or a text that identifies something
	shapeText                    // text, perhaps one of a few
	shapeInteger                 // a whole number, perhaps one of a few
	shapeNumber                  // a number
	shapeBool                    // true or false
	shapeTime                    // RFC 3339 text
	shapeDate                    // YYYY-MM-DD text
	shapeList                    // an array
	shapeMap                     // an object with free names
	shapeStruct                  // an object with given names
	shapeContent                 // bytes to upload, see content.go
	shapeUpload                  // a named file to upload, see content.go
	shapeLevel                   // the name of a notification level
	shapeIDOrWord                // a number, or the words Any or None
	shapeIDsOrWord               // numbers, or the words Any or None
	shapeNullable                // a value, or null to clear it
	shapeParameters              // an object of a pipeline's inputs
)

// special are types whose JSON is not what their kind suggests.
var special = map[reflect.Type]shape{
	reflect.TypeFor[time.Time]():                     shapeTime,
	reflect.TypeFor[gitlab.ISOTime]():                shapeDate,
	reflect.TypeFor[json.RawMessage]():               shapeAny,
	reflect.TypeFor[io.Reader]():                     shapeContent,
	reflect.TypeFor[gitlab.GraphQLUpload]():          shapeUpload,
	reflect.TypeFor[gitlab.NotificationLevelValue](): shapeLevel,
	reflect.TypeFor[gitlab.AssigneeIDValue]():        shapeIDOrWord,
	reflect.TypeFor[gitlab.ReviewerIDValue]():        shapeIDOrWord,
	reflect.TypeFor[gitlab.ApproverIDsValue]():       shapeIDsOrWord,
	reflect.TypeFor[gitlab.PipelineInputsOption]():   shapeParameters,
}

func shapeOf(t reflect.Type) shape {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		return shapeText
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return shapeInteger
	case reflect.Float64:
		return shapeNumber
	case reflect.Bool:
		return shapeBool
	case reflect.Slice:
		return shapeList
	case reflect.Map:
		if t.Key().Kind() == reflect.Bool {
			return shapeNullable
		}
		return shapeMap
	case reflect.Struct:
		return shapeStruct
	}
	return shapeAny
}

// value strips the pointers from a type: in options they mean "may be absent".
func value(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// enum lists the values a text or whole number may have, or nil when all are allowed. Values that a
// GitLab administrator can add to are not held against a caller.
func enum(t reflect.Type, enums map[string][]string) []string {
	if t.PkgPath() == "" {
		return nil
	}
	values := enums[t.Name()]
	if len(values) > 0 && strings.HasPrefix(values[0], "gid://") {
		return nil
	}
	return values
}

// levels lists the names of the notification levels.
func levels() []string {
	var names []string
	for l := gitlab.DisabledNotificationLevel; l <= gitlab.CustomNotificationLevel; l++ {
		names = append(names, l.String())
	}
	return names
}
