package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func with(entries ...string) []string {
	return append([]string{"SERVICE_STORAGE_LOCAL_DIRECTORY=/data"}, entries...)
}

func TestDefaults(t *testing.T) {
	c, err := Load(with(), false)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Storage.IsLocal() || !c.Indexer.Enabled || c.Auth.Mode != "keys" || c.HTTP.Port != 8080 ||
		c.HTTP.MaxBodySize != 10<<20 || c.HTTP.MaxStreamBodySize != 0 || c.Indexes.CommitMaxInterval != 5*time.Second ||
		c.Indexer.LeaseDuration != 10*time.Second || c.Auth.StaleLimit != time.Minute || c.Search.Threads != -1 {
		t.Errorf("defaults: %+v", c)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
}

func TestEveryDefaultIsAValueOfItsVariable(t *testing.T) {
	names := make(map[string]bool)
	for _, v := range Variables() {
		if names[v.Name] {
			t.Errorf("%s is listed twice", v.Name)
		}
		names[v.Name] = true
		if v.Meaning == "" || v.Kind == "" {
			t.Errorf("%s lacks a meaning or a kind", v.Name)
		}
		if v.Default == "" {
			continue
		}
		if err := v.set(new(Config), v.Default); err != nil {
			t.Errorf("%s: its default %q: %v", v.Name, v.Default, err)
		}
	}
}

func TestBadValuesRefuseAndNameTheVariable(t *testing.T) {
	for _, test := range []struct {
		entries []string
		names   []string
	}{
		{[]string{"SERVICE_STORAGE_LOCAL_DIRECTORY="}, []string{"SERVICE_STORAGE_LOCAL_DIRECTORY"}},
		{with("SERVICE_STORAGE_MODE=cloud"), []string{"SERVICE_STORAGE_MODE"}},
		{with("SERVICE_STORAGE_MODE=object"), []string{"SERVICE_STORAGE_REMOTE_BUCKET"}},
		{with("SERVICE_HTTP_PORT=70000", "SERVICE_SEARCH_TIMEOUT=soon"), []string{"SERVICE_HTTP_PORT", "SERVICE_SEARCH_TIMEOUT"}},
		{with("SERVICE_SEARCH_MAX_FACET_VALUES=1001"), []string{"SERVICE_SEARCH_MAX_FACET_VALUES"}},
		{with("SERVICE_SUGGEST_MAX_LIMIT=101"), []string{"SERVICE_SUGGEST_MAX_LIMIT"}},
		{with("SERVICE_API_MAX_BODY_SIZE=ten"), []string{"SERVICE_API_MAX_BODY_SIZE"}},
		{with("SERVICE_API_MAX_BODY_SIZE=9999999999T"), []string{"SERVICE_API_MAX_BODY_SIZE"}},
		{with("SERVICE_METRICS_INDEX_ENABLED=maybe"), []string{"SERVICE_METRICS_INDEX_ENABLED"}},
		{with("SERVICE_AUTH_ROOT_KEY=sha256:beef"), []string{"SERVICE_AUTH_ROOT_KEY"}},
		{with("SERVICE_NODE_ADDRESS=node1"), []string{"SERVICE_NODE_ADDRESS"}},
		{with("SERVICE_HTTP_TLS_KEY_FILE=/k"), []string{"SERVICE_HTTP_TLS_CERTIFICATE_FILE"}},
		{with("SERVICE_HTTP_CORS_ENABLED=true"), []string{"SERVICE_HTTP_CORS_ORIGINS"}},
		{with("SERVICE_STORAGE_MODE=object", "SERVICE_STORAGE_REMOTE_BUCKET=b", "SERVICE_STORAGE_REMOTE_ACCESS_KEY=a"), []string{"SERVICE_STORAGE_REMOTE_SECRET_KEY"}},
		{with("SERVICE_STORAGE_MODE=object", "SERVICE_STORAGE_REMOTE_BUCKET=b", "SERVICE_STORAGE_REMOTE_AUTH=gcp", "SERVICE_STORAGE_REMOTE_URL=http://s3"), []string{"SERVICE_STORAGE_REMOTE_URL"}},
		{with("PLATFORM_METRICS_EXPORT_OTLP_HEADERS=nonsense"), []string{"PLATFORM_METRICS_EXPORT_OTLP_HEADERS"}},
	} {
		_, err := Load(test.entries, false)
		if err == nil {
			t.Errorf("%v is accepted", test.entries)
			continue
		}
		for _, name := range test.names {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%v: %v does not name %s", test.entries, err, name)
			}
		}
	}
}

func TestVariablesTheModeNeverReadsAreWarnedAbout(t *testing.T) {
	c, err := Load(with("SERVICE_STORAGE_REMOTE_BUCKET=b", "SERVICE_INDEXES_DISK_MAX_SIZE=1G", "SERVICE_INDEXES_REMOVAL_GRACE=24h",
		"SERVICE_TYPO=1", "HOME=/"), false)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Warnings, "\n")
	for _, name := range []string{"SERVICE_STORAGE_REMOTE_BUCKET", "SERVICE_INDEXES_DISK_MAX_SIZE", "SERVICE_INDEXES_REMOVAL_GRACE", "SERVICE_TYPO"} {
		if !strings.Contains(text, name) {
			t.Errorf("no warning about %s in %q", name, text)
		}
	}
	if len(c.Warnings) != 4 {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestOriginsOfNoPageAreWarnedAbout(t *testing.T) {
	for origins, warnings := range map[string]int{
		"https://a.example": 0, "http://localhost:8000,*": 0, "https://a.example:8443,null,capacitor://localhost": 0,
		"https://a.example/": 1, "a.example": 1, "https://A.example": 1, "https://a.example:443,http://a.example:80,https://b.example/shop": 3,
	} {
		c, err := Load(with("SERVICE_HTTP_CORS_ENABLED=true", "SERVICE_HTTP_CORS_ORIGINS="+origins), false)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Warnings) != warnings || warnings > 0 && !strings.Contains(c.Warnings[0], "SERVICE_HTTP_CORS_ORIGINS") {
			t.Errorf("%s: %q", origins, c.Warnings)
		}
	}
}

func TestARefusedConfigurationCanBePrinted(t *testing.T) {
	c, err := Load([]string{"SERVICE_STORAGE_LOCAL_DIRECTRY=/d", "SERVICE_STORAGE_MODE=cloud", "SERVICE_STORAGE_REMOTE_BUCKET=b"}, false)
	if err == nil || len(c.Values) != len(Variables()) {
		t.Fatalf("%v, %d values", err, len(c.Values))
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "SERVICE_STORAGE_LOCAL_DIRECTRY") {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	c, err := Load(with("SERVICE_AUTH_ROOT_KEY=canary-7351"), false)
	if err != nil {
		t.Fatal(err)
	}
	if c.Auth.RootKey.Reveal() != "canary-7351" {
		t.Error("the value is lost")
	}
	for _, text := range []string{fmt.Sprintf("%v", c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c.Auth), fmt.Sprintf("%s %q %x", c.Auth.RootKey, c.Auth.RootKey, c.Auth.RootKey)} {
		if strings.Contains(text, "canary-7351") || strings.Contains(text, fmt.Sprintf("%x", "canary-7351")) {
			t.Errorf("the secret shows in %s", text)
		}
	}
}

func TestDevNeedsNothingAndStaysOnLoopback(t *testing.T) {
	c, err := Load(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Storage.IsLocal() || c.Storage.LocalDirectory != "quire-data" || c.Auth.Mode != "none" || !c.HTTP.IsLoopback() {
		t.Errorf("dev: %+v", c)
	}
	if _, err := Load([]string{"SERVICE_HTTP_HOST=0.0.0.0"}, true); err == nil || !strings.Contains(err.Error(), "SERVICE_HTTP_HOST") {
		t.Errorf("another address with --dev: %v", err)
	}
	if _, err := Load([]string{"SERVICE_HTTP_PORT=9000", "SERVICE_STORAGE_LOCAL_DIRECTORY=/x"}, true); err != nil {
		t.Errorf("another port and directory with --dev: %v", err)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "2K": 2048, "10M": 10 << 20, "3G": 3 << 30, "1T": 1 << 40} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s reads as %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "K", "-1", "+1", "1.5M", "1m", "1 M"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q reads as %d", text, got)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("10M")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseSize(text); err == nil && n < 0 {
			t.Errorf("%q reads as %d", text, n)
		}
	})
}

func TestRegionOfTheEnvironment(t *testing.T) {
	base := []string{"SERVICE_STORAGE_MODE=object", "SERVICE_STORAGE_LOCAL_DIRECTORY=d", "SERVICE_STORAGE_REMOTE_BUCKET=b", "SERVICE_AUTH_MODE=none"}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, "us-east-1"},
		{[]string{"AWS_DEFAULT_REGION=eu-west-1"}, "eu-west-1"},
		{[]string{"AWS_REGION=eu-north-1", "AWS_DEFAULT_REGION=eu-west-1"}, "eu-north-1"},
		{[]string{"AWS_REGION=eu-north-1", "SERVICE_STORAGE_REMOTE_REGION=us-east-1"}, "us-east-1"},
		{[]string{"AWS_REGION=eu-north-1", "SERVICE_STORAGE_REMOTE_ACCESS_KEY=a", "SERVICE_STORAGE_REMOTE_SECRET_KEY=s"}, "us-east-1"},
	} {
		loaded, err := Load(append(append([]string(nil), base...), c.set...), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Storage.Remote.Region; got != c.want {
			t.Errorf("%v: region %s, want %s", c.set, got, c.want)
		}
	}
}

// A node warns at its start about a key that can be guessed.
func TestShortRootKeysAreWarnedOf(t *testing.T) {
	for key, warned := range map[string]bool{
		"abc": true, "fifteen bytes.": true, "0123456789abcde": true, "0123456789abcdef": false, "": false,
		"sha256:" + strings.Repeat("0", 64): false,
	} {
		c, _ := Load(with("SERVICE_AUTH_ROOT_KEY="+key), false)
		if got := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "may be guessed") }); got != warned {
			t.Errorf("%q: %v", key, c.Warnings)
		}
		if c.Auth.HasShortRootKey() != warned {
			t.Errorf("%q is short: %v", key, !warned)
		}
	}
}
