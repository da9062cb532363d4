package catalog

import (
	"strings"
)

// Description says in a sentence what the operation does, what it asks GitLab, and what to beware of.
func (op *Operation) Description() string {
	var b strings.Builder
	b.WriteString(op.Title())
	b.WriteString(" (")
	b.WriteString(op.Verb)
	b.WriteString(" /")
	b.WriteString(op.Path)
	b.WriteString(").")
	if op.Destructive {
		b.WriteString(" Destructive.")
	}
	if op.Deprecated {
		b.WriteString(" Deprecated.")
	}
	return b.String()
}

// Title is the operation in a few words: Get issue.
func (op *Operation) Title() string {
	words := strings.Split(op.Action, "_")
	if op.Service == "Search" {
		words = append([]string{"search"}, words...)
	}
	for i, word := range words {
		words[i] = written(word)
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	title := strings.Join(words, " ")
	if about := ServiceTitle(op.Service); !strings.Contains(strings.ToLower(title), strings.ToLower(strings.TrimSuffix(about, "s"))) {
		title += ": " + about
	}
	return title
}

// ServiceTitle is a service in words: Merge request approvals.
func ServiceTitle(service string) string {
	words := strings.Split(snake(service), "_")
	for i, word := range words {
		words[i] = written(word)
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// abbreviations are written in capitals.
const abbreviations = " api ci cicd dns gpg http https id iid ip jwt ldap oauth pat pgp saml scim sha ssh ssl tls url yaml yml dora lfs 2fa "

func written(word string) string {
	if strings.Contains(abbreviations, " "+word+" ") {
		return strings.ToUpper(word)
	}
	return word
}

// ServiceName is the service as the name of a tool: gitlab_merge_requests.
func (op *Operation) ServiceName() string { return "gitlab_" + snake(op.Service) }

// Signature lists the parameters: (project_id, issue_iid, [title, labels]).
func (op *Operation) Signature() string {
	required, optional := op.Parameters()
	if len(optional) > 0 {
		required = append(required, "["+strings.Join(optional, ", ")+"]")
	}
	return "(" + strings.Join(required, ", ") + ")"
}

// Parameters lists the names of the parameters: the required ones, then the optional ones.
func (op *Operation) Parameters() (required, optional []string) {
	for _, p := range op.params() {
		if p.required {
			required = append(required, p.name)
		} else {
			optional = append(optional, p.name)
		}
	}
	return required, optional
}
