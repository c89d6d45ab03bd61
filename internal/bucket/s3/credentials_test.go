package s3

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// alone removes everything that the environment of the machine says about
// credentials.
func alone(t *testing.T) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
		"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"GOOGLE_APPLICATION_CREDENTIALS"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.TempDir(), name)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// issuer issues credentials in every way that machines and clusters do.
func issuer(t *testing.T) *httptest.Server {
	t.Helper()
	expires := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	role := func(w http.ResponseWriter, kind string) {
		fmt.Fprintf(w, `{"Code":"Success","AccessKeyId":"%s-access","SecretAccessKey":"%s-secret","Token":"%s-session","Expiration":%q}`, kind, kind, kind, expires)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "imds-token") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "searcher") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/searcher", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-aws-ec2-metadata-token") != "imds-token" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		role(w, "machine")
	})
	mux.HandleFunc("GET /container", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "container-token" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		role(w, "container")
	})
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Form.Get("Action") != "AssumeRoleWithWebIdentity" ||
			r.Form.Get("WebIdentityToken") != "identity" || r.Form.Get("RoleArn") != "arn:role" {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>web-access</AccessKeyId>`+
			`<SecretAccessKey>web-secret</SecretAccessKey><SessionToken>web-session</SessionToken><Expiration>%s</Expiration></Credentials>`+
			`</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, expires)
	})
	mux.HandleFunc("GET /google/metadata", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"access_token":"machine-token","expires_in":3600}`)
	})
	mux.HandleFunc("POST /google/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || strings.Count(r.FormValue("assertion"), ".") != 2 {
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"access_token":"account-token","expires_in":3600}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// Every kind of credentials, each from a local endpoint.
func TestKindsOfCredentials(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(t *testing.T, issuer string) Credentials
		want Keys
	}{
		{"static", func(t *testing.T, _ string) Credentials { return Static("a", "s", "token") }, Keys{"a", "s", "token"}},
		{"environment", func(t *testing.T, url string) Credentials {
			t.Setenv("AWS_ACCESS_KEY_ID", "env-access")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "env-secret")
			t.Setenv("AWS_SESSION_TOKEN", "env-session")
			return aws(url)
		}, Keys{"env-access", "env-secret", "env-session"}},
		{"shared file", func(t *testing.T, url string) Credentials {
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", write(t, "shared", "[default]\naws_access_key_id = file-access\naws_secret_access_key = file-secret\n"))
			return aws(url)
		}, Keys{"file-access", "file-secret", ""}},
		{"web identity", func(t *testing.T, url string) Credentials {
			t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", write(t, "identity", "identity"))
			t.Setenv("AWS_ROLE_ARN", "arn:role")
			return aws(url)
		}, Keys{"web-access", "web-secret", "web-session"}},
		{"container", func(t *testing.T, url string) Credentials {
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url+"/container")
			t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "container-token")
			return aws("")
		}, Keys{"container-access", "container-secret", "container-session"}},
		{"machine", func(t *testing.T, url string) Credentials { return aws(url) }, Keys{"machine-access", "machine-secret", "machine-session"}},
		{"file with a profile", func(t *testing.T, _ string) Credentials {
			return File(write(t, "credentials", "[default]\naws_access_key_id = x\naws_secret_access_key = y\n[search]\n"+
				"aws_access_key_id = profile-access\naws_secret_access_key = profile-secret\naws_session_token = profile-session\n"), "search")
		}, Keys{"profile-access", "profile-secret", "profile-session"}},
		{"process", func(t *testing.T, _ string) Credentials {
			answer := write(t, "answer", `{"Version":1,"AccessKeyId":"process-access","SecretAccessKey":"process-secret","SessionToken":"process-session"}`)
			return File(write(t, "credentials", "[default]\ncredential_process = cat "+answer+"\n"), "")
		}, Keys{"process-access", "process-secret", "process-session"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone(t)
			got, err := c.open(t, issuer(t).URL).Keys(t.Context())
			if err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestWithoutCredentialsNothingIsSigned(t *testing.T) {
	alone(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	if keys, err := aws(server.URL).Keys(t.Context()); err == nil {
		t.Errorf("keys %+v out of nothing", keys)
	}
	if _, err := File(filepath.Join(t.TempDir(), "none"), "").Keys(t.Context()); err == nil {
		t.Error("keys of a file that does not exist")
	}
}

// A credentials file is read again when it changes.
func TestCredentialsFileIsReadAgain(t *testing.T) {
	alone(t)
	path := write(t, "credentials", "[default]\naws_access_key_id = one\naws_secret_access_key = s\n")
	kept := File(path, "")
	for i, want := range []string{"one", "two"} {
		if i > 0 {
			write(t, path, "[default]\naws_access_key_id = two\naws_secret_access_key = s\n")
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(path, later, later); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := kept.Keys(t.Context()); err != nil || got.Access != want {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
}

func TestGoogleCredentials(t *testing.T) {
	alone(t)
	server := issuer(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	account, err := json.Marshal(map[string]string{"client_email": "search@example.org", "token_uri": server.URL + "/google/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ account, want string }{{"", "machine-token"}, {write(t, "account.json", string(account)), "account-token"}} {
		g := &google{client: http.DefaultClient, account: c.account, metadata: server.URL + "/google/metadata"}
		for range 2 { // the second time it is kept
			if got, err := g.Token(context.Background()); err != nil || got != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		}
	}
	broken := &google{client: http.DefaultClient, account: write(t, "broken.json", "{}"), metadata: server.URL}
	if _, err := broken.Token(context.Background()); err == nil {
		t.Error("a token for an account without a key")
	}
}

// A caller that leaves does not wait for the fetch of another one.
func TestACallerLeavesAFetchOfAGoogleToken(t *testing.T) {
	alone(t)
	asked, end := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-end
	}))
	defer server.Close()
	g := &google{client: http.DefaultClient, metadata: server.URL}
	var first sync.WaitGroup
	first.Go(func() { _, _ = g.Token(context.Background()) })
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.Token(ctx)
		left <- err
	}()
	cancel()
	select {
	case err := <-left:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it left with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
	close(end)
	first.Wait()
}

// Requests carry the credentials: a signature with the session token, or a bearer
// token for Google.
func TestRequestsCarryCredentials(t *testing.T) {
	var seen http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	for _, c := range []struct {
		credentials Credentials
		prefix      string
		session     string
	}{
		{Static("access", "secret", "session"), "AWS4-HMAC-SHA256 Credential=access/", "session"},
		{&google{token: "bearer", expires: time.Now().Add(time.Hour)}, "Bearer bearer", ""},
	} {
		store, err := New(Options{URL: server.URL, Bucket: "b", Region: "eu-north-1", Credentials: c.credentials})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get(t.Context(), "k", bucket.Tag("")); err == nil {
			t.Error("something was found")
		}
		got := seen.Get("Authorization")
		if !strings.HasPrefix(got, c.prefix) || seen.Get("X-Amz-Security-Token") != c.session {
			t.Errorf("%s with session %q", got, seen.Get("X-Amz-Security-Token"))
		}
		if c.session != "" && !strings.Contains(got, "/eu-north-1/s3/aws4_request") {
			t.Errorf("signed for another region: %s", got)
		}
	}
}
