package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// decodeStrictly reads the arguments of a tool of this package into v, a struct, and refuses others.
func decodeStrictly(args json.RawMessage, v any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("argument %q must be a %s, not a %s", wrong.Field, wrong.Type, wrong.Value)
	case strings.Contains(err.Error(), "unknown field"):
		return fmt.Errorf("argument %s is not known here", strings.TrimPrefix(err.Error(), "json: unknown field "))
	}
	return errors.New("the arguments must be a JSON object")
}
