package telemetry

import (
	"fmt"
	"net/url"
	"strings"
)

// addresses are the variables that say where to export to.
var addresses = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
}

// CheckEnv says what is wrong with an address to export to, if anything is. The SDK itself would go on, and
// export to its default. An address may hold a password, so the error does not repeat it.
func CheckEnv(getenv func(string) string) error {
	for _, name := range addresses {
		v := strings.TrimSpace(getenv(name)) // as the SDK reads it
		if v == "" {
			continue
		}
		u, err := url.Parse(v)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("%s is not an http or https URL: use one like http://localhost:4318", name)
		}
	}
	return nil
}
