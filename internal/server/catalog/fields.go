package catalog

import (
	"reflect"
	"slices"
	"strings"
)

// field is a member of a struct, as JSON sees it.
type field struct {
	name  string
	index []int
	typ   reflect.Type
}

// fields lists the members of an options struct, embedded ones in their place unless the struct has a
// member of that name itself.
func fields(t reflect.Type) []field {
	list := allFields(t)
	return slices.DeleteFunc(slices.Clone(list), func(f field) bool {
		return slices.ContainsFunc(list, func(other field) bool {
			return other.name == f.name && len(other.index) < len(f.index)
		})
	})
}

func allFields(t reflect.Type) []field {
	list := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous:
			for _, inner := range allFields(value(f.Type)) {
				inner.index = append(slices.Clone(f.Index), inner.index...)
				list = append(list, inner)
			}
		case f.IsExported():
			list = append(list, field{fieldName(f), f.Index, f.Type})
		}
	}
	return list
}

// fieldName is the name of an option: as in a body, else as in a query, else from its Go name.
func fieldName(f reflect.StructField) string {
	for _, key := range []string{"json", "url"} {
		name, _, _ := strings.Cut(f.Tag.Get(key), ",")
		if name != "" && name != "-" {
			return plainName(name)
		}
	}
	return snake(f.Name)
}

// plainName writes iids[] as iids and not[labels] as not_labels: not every client takes brackets.
func plainName(name string) string {
	return strings.TrimSuffix(strings.NewReplacer("[]", "", "[", "_", "]", "").Replace(name), "_")
}

// param is one argument of an operation as a caller sees it.
type param struct {
	name     string
	arg      int   // position in the Go signature
	index    []int // member of the options at that position; nil for the position itself
	typ      reflect.Type
	required bool
}

// params lists the arguments: the positional ones first, which are required, then the options.
func (op *Operation) params() []param {
	var positional, options []param
	for i, name := range op.args {
		t := op.typ.In(i)
		switch {
		case op.supplied(i):
		case value(t).Kind() == reflect.Struct:
			for _, f := range fields(value(t)) {
				options = append(options, param{name: f.name, arg: i, index: f.index, typ: f.typ})
			}
		default:
			positional = append(positional, param{name: name, arg: i, typ: t, required: true})
		}
	}
	for i := range options {
		options[i].required = op.needs(options[i].name)
		if slices.ContainsFunc(positional, func(p param) bool { return p.name == options[i].name }) {
			options[i].name = otherName(options[i].name)
		}
	}
	return append(positional, options...)
}

// needs reports whether an option must be there: the path holds it, or the client cannot do without.
func (op *Operation) needs(option string) bool {
	return strings.Contains(op.Path, "{"+option+"}") && !slices.Contains(op.args, option) ||
		slices.Contains(neededOptions[op.Service+"."+op.Method], option)
}

// otherName tells an option from the positional argument of the same name: a group to share with from
// the group that is shared.
func otherName(name string) string {
	if strings.HasSuffix(name, "_id") {
		return "target_" + name
	}
	return "new_" + name
}

// supplied reports whether the catalog itself supplies an argument: where the answer goes.
func (op *Operation) supplied(i int) bool {
	return op.args[i] == "writer" || op.Service == "GraphQL" && op.args[i] == "response"
}

// neededOptions are options without which the client cannot build the request.
var neededOptions = map[string][]string{
	"Achievements.CreateAchievement":                  {"name"},
	"GraphQL.Do":                                      {"query"},
	"SecureFiles.CreateSecureFile":                    {"name"},
	"SecurityAttributes.BulkUpdateSecurityAttributes": {"attribute_ids", "mode"},
	"SecurityAttributes.CreateSecurityAttributes":     {"attributes"},
	"WorkItemSavedViews.CreateWorkItemSavedView":      {"name", "sort", "display_settings"},
}
