package catalog

import (
	"slices"
	"strings"
	"unicode"
)

// maxName is the longest tool name that MCP clients can be relied on to take.
const maxName = 64

// toolName names an operation gitlab_<service>_<method>. A name that gets too long leaves out of the
// method the words that the service already says; what is still too long has a name of its own.
func toolName(service, method string) string {
	if name, ok := shortNames[service+"."+method]; ok {
		return name
	}
	prefix := "gitlab_" + snake(service) + "_"
	name := prefix + snake(method)
	if len(name) <= maxName {
		return name
	}
	said := strings.Split(snake(service), "_")
	words := slices.DeleteFunc(strings.Split(snake(method), "_"), func(word string) bool {
		return slices.Contains(said, word) || slices.Contains(said, word+"s")
	})
	return prefix + strings.Join(words, "_")
}

// shortNames are names for operations whose own are too long or, shortened, alike.
var shortNames = map[string]string{
	"ExternalStatusChecks.RetryFailedExternalStatusCheckForProjectMergeRequest": "gitlab_external_status_checks_retry_failed_check",
	"GroupActivityAnalytics.GetRecentlyCreatedIssuesCount":                      "gitlab_group_activity_analytics_get_recent_issues_count",
	"GroupActivityAnalytics.GetRecentlyCreatedMergeRequestsCount":               "gitlab_group_activity_analytics_get_recent_merge_requests_count",
	"GroupSecuritySettings.UpdateSecretPushProtectionEnabledSetting":            "gitlab_group_security_settings_update_secret_push_protection",
	"ProjectSecuritySettings.UpdateSecretPushProtectionEnabledSetting":          "gitlab_project_security_settings_update_secret_push_protection",
}

// snake turns a Go name into snake case: GetGPGKey into get_gpg_key, IIDs into iids.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(name, "IDs", "Ids"))
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord tells the start of a word from the inside of an abbreviation.
func startsWord(runes []rune, i int) bool {
	if before := runes[i-1]; unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
