package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
)

// contradictions returns what is wrong with values in combination.
func (c *Config) contradictions() []error {
	var found []error
	refuse := func(format string, a ...any) { found = append(found, fmt.Errorf(format, a...)) }
	if c.Storage.Mode == modeObject {
		found = append(found, c.remoteContradictions()...)
	}
	if (c.HTTP.CertificateFile == "") != (c.HTTP.KeyFile == "") {
		refuse("SERVICE_HTTP_TLS_CERTIFICATE_FILE and SERVICE_HTTP_TLS_KEY_FILE belong together; one is missing")
	}
	if c.HTTP.CORSEnabled && len(c.HTTP.CORSOrigins) == 0 {
		refuse("SERVICE_HTTP_CORS_ENABLED=true needs SERVICE_HTTP_CORS_ORIGINS")
	}
	if digits, ok := strings.CutPrefix(c.Auth.RootKey.Reveal(), "sha256:"); ok {
		if sum, err := hex.DecodeString(digits); err != nil || len(sum) != 32 {
			refuse("SERVICE_AUTH_ROOT_KEY: what follows sha256: is not 64 hexadecimal digits")
		}
	}
	if c.Node.Address != "" {
		if err := checkAddress(c.Node.Address); err != nil {
			refuse("SERVICE_NODE_ADDRESS: %w", err)
		}
	}
	if _, err := c.Metrics.Headers(); err != nil {
		refuse("PLATFORM_METRICS_EXPORT_OTLP_HEADERS: %w", err)
	}
	if c.Metrics.OTLPPublish {
		if target, err := url.Parse(c.Metrics.OTLPURL); err != nil || target.Host == "" {
			refuse("PLATFORM_METRICS_EXPORT_OTLP_URL: %q is not an address", c.Metrics.OTLPURL)
		}
	}
	return found
}

func (c *Config) remoteContradictions() []error {
	var found []error
	refuse := func(text string) { found = append(found, errors.New(text)) }
	r := &c.Storage.Remote
	if r.Bucket == "" {
		refuse("SERVICE_STORAGE_REMOTE_BUCKET must be set in object mode")
	}
	pair := r.AccessKey != "" && r.SecretKey != ""
	if (r.AccessKey == "") != (r.SecretKey == "") {
		refuse("SERVICE_STORAGE_REMOTE_ACCESS_KEY and SERVICE_STORAGE_REMOTE_SECRET_KEY belong together; one is missing")
	}
	if r.SessionToken != "" && !pair {
		refuse("SERVICE_STORAGE_REMOTE_SESSION_TOKEN needs a key pair")
	}
	switch {
	case r.Auth == "static" && !pair:
		refuse("SERVICE_STORAGE_REMOTE_AUTH=static needs SERVICE_STORAGE_REMOTE_ACCESS_KEY and SERVICE_STORAGE_REMOTE_SECRET_KEY")
	case r.Auth == "file" && r.CredentialsFile == "":
		refuse("SERVICE_STORAGE_REMOTE_AUTH=file needs SERVICE_STORAGE_REMOTE_CREDENTIALS_FILE")
	case (r.Auth == "aws" || r.Auth == "gcp" || r.Auth == "file") && pair:
		refuse("SERVICE_STORAGE_REMOTE_AUTH=" + r.Auth + " contradicts SERVICE_STORAGE_REMOTE_ACCESS_KEY")
	case (r.Auth == "aws" || r.Auth == "gcp" || r.Auth == "static") && r.CredentialsFile != "":
		refuse("SERVICE_STORAGE_REMOTE_AUTH=" + r.Auth + " contradicts SERVICE_STORAGE_REMOTE_CREDENTIALS_FILE")
	case r.Auth == "" && pair && r.CredentialsFile != "":
		refuse("SERVICE_STORAGE_REMOTE_ACCESS_KEY and SERVICE_STORAGE_REMOTE_CREDENTIALS_FILE contradict each other; set SERVICE_STORAGE_REMOTE_AUTH")
	}
	if r.URL != "" {
		target, err := url.Parse(r.URL)
		if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
			refuse("SERVICE_STORAGE_REMOTE_URL: not an http or https address")
		} else if r.Auth == "gcp" && !isGoogle(target.Hostname()) {
			refuse("SERVICE_STORAGE_REMOTE_AUTH=gcp needs a Google address in SERVICE_STORAGE_REMOTE_URL")
		}
	} else if r.Auth == "gcp" {
		refuse("SERVICE_STORAGE_REMOTE_AUTH=gcp needs a Google address in SERVICE_STORAGE_REMOTE_URL")
	}
	return found
}

func isGoogle(host string) bool {
	return host == "storage.googleapis.com" || strings.HasSuffix(host, ".storage.googleapis.com")
}

func checkAddress(address string) error {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" ||
		target.Path != "" || target.RawQuery != "" || target.User != nil {
		return fmt.Errorf("%q is not scheme://host:port", address)
	}
	return nil
}

// Headers returns the headers of a push.
func (m Metrics) Headers() (map[string]string, error) {
	headers := make(map[string]string)
	for part := range strings.SplitSeq(m.OTLPHeaders.Reveal(), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			return nil, errors.New("not a list of key=value separated by commas")
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return headers, nil
}

// derive fills in values that follow from others.
func (c *Config) derive() {
	if c.Storage.IsLocal() {
		c.Indexer.Enabled = true
	}
	if r := &c.Storage.Remote; r.Auth == "" {
		switch {
		case r.AccessKey != "":
			r.Auth = "static"
		case r.CredentialsFile != "":
			r.Auth = "file"
		default:
			r.Auth = "aws"
		}
	}
	if c.Storage.Mode == modeObject {
		c.Indexes.RefreshInterval = min(c.Indexes.RefreshInterval, c.Indexes.VerifyInterval)
		c.Indexes.SettingsRefresh = min(c.Indexes.SettingsRefresh, c.Indexes.VerifyInterval)
	}
}

// warn lists variables that are set but have no effect. unknown are those that no
// row of the table reads.
func (c *Config) warn(unknown map[string]string) {
	warning := func(format string, a ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, a...)) }
	for _, v := range c.Values {
		if v.Source == sourceEnvironment && v.Variable.Mode != "" && c.Storage.Mode != "" && v.Variable.Mode != c.Storage.Mode {
			warning("%s has no effect in %s mode", v.Variable.Name, c.Storage.Mode)
		}
	}
	if c.Auth.Mode == authNone {
		for _, name := range []string{"SERVICE_AUTH_ROOT_KEY", "SERVICE_AUTH_ANONYMOUS_KEY"} {
			if c.isSet(name) {
				warning("%s has no effect while SERVICE_AUTH_MODE is none", name)
			}
		}
	}
	if c.Auth.Mode != authNone && c.Auth.HasShortRootKey() {
		warning("SERVICE_AUTH_ROOT_KEY has fewer than %d bytes and may be guessed", shortestRootKey)
	}
	if !c.HTTP.CORSEnabled && len(c.HTTP.CORSOrigins) > 0 {
		warning("SERVICE_HTTP_CORS_ORIGINS has no effect while SERVICE_HTTP_CORS_ENABLED is false")
	}
	for _, origin := range c.HTTP.CORSOrigins {
		if c.HTTP.CORSEnabled && !isOrigin(origin) {
			warning("SERVICE_HTTP_CORS_ORIGINS: no page has the origin %q; write scheme://host in lower case, without a slash at the end and without the port of the scheme", origin)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		warning("%s is not a variable of this version", name)
	}
}

// isOrigin reports whether origin is "*" or may be sent by a browser as the origin of a
// page. Origins are compared byte by byte.
func isOrigin(origin string) bool {
	if origin == "*" || origin == "null" {
		return true
	}
	page, err := url.Parse(origin)
	return err == nil && page.Host != "" && origin == strings.ToLower(page.Scheme+"://"+page.Host) &&
		!(page.Scheme == "https" && page.Port() == "443") && !(page.Scheme == "http" && page.Port() == "80")
}

// shortestRootKey is the least number of bytes of a root key that gives no warning.
const shortestRootKey = 16

// HasShortRootKey reports whether there is a root key that may be guessed. The
// length of a key given as a hash is unknown.
func (a Auth) HasShortRootKey() bool {
	key := strings.TrimSpace(a.RootKey.Reveal())
	return key != "" && len(key) < shortestRootKey && !strings.HasPrefix(key, "sha256:")
}

// isLoopback reports whether an address can be reached only from this machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// IsLoopback reports whether only this machine can reach the listener.
func (h HTTP) IsLoopback() bool { return isLoopback(h.Host) }
