package s3

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/turn"
)

// Google returns application credentials of Google Cloud: those of the service
// account file that GOOGLE_APPLICATION_CREDENTIALS names, otherwise those of the
// machine's account.
func Google() TokenSource {
	return &google{
		client:   &http.Client{Timeout: 10 * time.Second},
		account:  os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"),
		metadata: "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
	}
}

type google struct {
	client   *http.Client
	account  string // path of a service account file; empty: the machine's account
	metadata string

	mu      turn.Lock // held while a token is fetched
	token   string
	expires time.Time
}

// Keys returns an error: requests are not signed.
func (g *google) Keys(context.Context) (Keys, error) {
	return Keys{}, errors.New("google credentials carry a token, not keys")
}

// Token returns a token that is valid for at least a minute.
func (g *google) Token(ctx context.Context) (string, error) {
	if err := g.mu.LockUntil(ctx); err != nil {
		return "", err
	}
	defer g.mu.Unlock()
	if g.token != "" && time.Until(g.expires) > time.Minute {
		return g.token, nil
	}
	var request *http.Request
	var err error
	if g.account == "" {
		request, err = http.NewRequestWithContext(ctx, http.MethodGet, g.metadata, nil)
		if err == nil {
			request.Header.Set("Metadata-Flavor", "Google")
		}
	} else {
		request, err = g.exchange(ctx)
	}
	if err != nil {
		return "", err
	}
	answer, err := g.client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("token refused with status %d", answer.StatusCode)
	}
	var granted struct {
		Token   string `json:"access_token"`
		Seconds int    `json:"expires_in"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&granted); err != nil {
		return "", err
	}
	if granted.Token == "" {
		return "", errors.New("the answer holds no token")
	}
	g.token, g.expires = granted.Token, time.Now().Add(time.Duration(granted.Seconds)*time.Second)
	return g.token, nil
}

// exchange requests a token with a claim signed by the service account.
func (g *google) exchange(ctx context.Context) (*http.Request, error) {
	text, err := os.ReadFile(g.account)
	if err != nil {
		return nil, err
	}
	var account struct {
		Email string `json:"client_email"`
		Key   string `json:"private_key"`
		URL   string `json:"token_uri"`
	}
	if err := json.Unmarshal(text, &account); err != nil {
		return nil, fmt.Errorf("service account file: %w", err)
	}
	block, _ := pem.Decode([]byte(account.Key))
	if block == nil {
		return nil, errors.New("service account file: no private key")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("service account file: %w", err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("service account file: not an RSA key")
	}
	now := time.Now().Unix()
	claim, err := json.Marshal(map[string]any{
		"iss": account.Email, "aud": account.URL, "iat": now, "exp": now + 3600,
		"scope": "https://www.googleapis.com/auth/devstorage.read_write",
	})
	if err != nil {
		return nil, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claim)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return nil, err
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {signed + "." + encode(signature)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, account.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request, nil
}
