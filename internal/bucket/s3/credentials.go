package s3

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Keys sign requests.
type Keys struct {
	Access  string
	Secret  string
	Session string
}

// Credentials provide the keys that sign a request, and renew them when they
// expire.
type Credentials interface {
	Keys(ctx context.Context) (Keys, error)
}

// TokenSource are credentials that send a bearer token instead of signing.
type TokenSource interface {
	Credentials
	Token(ctx context.Context) (string, error)
}

// Static returns a fixed pair of keys; session may be empty.
func Static(access, secret, session string) Credentials {
	return provided{credentials.NewStaticV4(access, secret, session)}
}

// AWS returns the credentials of the environment: variables, the shared credentials
// file, web identity, container or machine role.
func AWS() Credentials { return aws("") }

// aws asks an endpoint for credentials that are not in variables or files; empty
// means the one that the environment names.
func aws(endpoint string) Credentials {
	return provided{credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Endpoint: endpoint},
	})}
}

// asking sends the requests of providers. One that does not answer must not hold up
// a node.
var asking = &credentials.CredContext{Client: &http.Client{Timeout: 10 * time.Second}}

type provided struct{ *credentials.Credentials }

func (p provided) Keys(context.Context) (Keys, error) {
	v, err := p.GetWithContext(asking)
	if err != nil {
		return Keys{}, err
	}
	if v.AccessKeyID == "" {
		return Keys{}, errors.New("none were found")
	}
	return Keys{Access: v.AccessKeyID, Secret: v.SecretAccessKey, Session: v.SessionToken}, nil
}

// File returns the credentials of a profile in an AWS credentials file. It reads
// the file again when it changes, and runs a credential_process entry.
func File(path, profile string) Credentials {
	if profile == "" {
		profile = "default"
	}
	return &file{path: path, profile: profile}
}

type file struct {
	path, profile string

	mu       sync.Mutex
	modified time.Time
	current  *credentials.Credentials
}

func (f *file) Keys(ctx context.Context) (Keys, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return Keys{}, err
	}
	f.mu.Lock()
	if f.current == nil || !info.ModTime().Equal(f.modified) {
		f.current = credentials.NewFileAWSCredentials(f.path, f.profile)
		f.modified = info.ModTime()
	}
	current := f.current
	f.mu.Unlock()
	return provided{current}.Keys(ctx)
}
