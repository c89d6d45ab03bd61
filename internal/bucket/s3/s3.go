// Package s3 keeps objects in a bucket of an S3-compatible store, or of Google
// Cloud Storage through its XML interface.
//
// Requests are signed with Signature Version 4 (a bearer token for Google
// credentials) and sent once: the rules of package bucket decide whether a request
// is repeated, never the client, because a repeated conditional write can be
// refused by its own first attempt. Only reads and listings are repeated here, a
// few times with growing pauses. A request that shows no progress for half a minute
// ends with bucket.ErrUnknown, whether it is being sent, waits for its answer or
// reads its body.
//
// A Store may be used by any number of goroutines.
package s3

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// Options say where the bucket is. The zero values of optional members work.
type Options struct {
	URL         string // scheme and host; empty means Amazon S3 of the region, addressed by host
	Bucket      string
	Prefix      string // put before every key, separated by a slash
	Region      string // empty means us-east-1
	Credentials Credentials
	Transport   http.RoundTripper // empty means one with our timeouts

	// Observe is called for every request with operation, status (0 without an
	// answer) and duration.
	Observe func(operation string, status int, took time.Duration)
}

// Store is a bucket of an S3-compatible store.
type Store struct {
	options   Options
	base      url.URL
	pathStyle bool
	google    bool
	client    *http.Client
}

// New returns a store. It sends nothing.
func New(o Options) (*Store, error) {
	if o.Bucket == "" {
		return nil, errors.New("the bucket has no name")
	}
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	o.Prefix = strings.Trim(o.Prefix, "/")
	s := &Store{options: o, pathStyle: o.URL != ""}
	if o.URL == "" {
		s.base = url.URL{Scheme: "https", Host: o.Bucket + ".s3." + o.Region + ".amazonaws.com"}
	} else {
		base, err := url.Parse(o.URL)
		if err != nil {
			return nil, fmt.Errorf("storage URL: %w", err)
		}
		if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || strings.Trim(base.Path, "/") != "" || base.User != nil {
			return nil, fmt.Errorf("storage URL %q is not a scheme and a host", o.URL)
		}
		s.base = url.URL{Scheme: base.Scheme, Host: base.Host}
		s.google = isGoogle(o.URL)
	}
	transport := o.Transport
	if transport == nil {
		transport = defaultTransport()
	}
	s.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// isGoogle reports whether a storage URL names Google Cloud Storage.
func isGoogle(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "storage.googleapis.com" || strings.HasSuffix(host, ".storage.googleapis.com")
}

func defaultTransport() *http.Transport {
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		IdleConnTimeout:       60 * time.Second,
		MaxIdleConnsPerHost:   64,
		DisableCompression:    true,
	}
}

// Get reads an object.
func (s *Store) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if !bucket.ValidKey(key) {
		return bucket.Object{}, fmt.Errorf("get: invalid key %q", key)
	}
	header := http.Header{}
	etag, generation := splitTag(unless)
	if unless != "" {
		header.Set("If-None-Match", etag)
	}
	var object bucket.Object
	err := s.repeat(ctx, func() error {
		answer, err := s.send(ctx, request{operation: "GetObject", method: http.MethodGet, key: key, header: header})
		if err != nil {
			return err
		}
		object = bucket.Object{Body: answer.Body, Size: answer.ContentLength, Tag: s.tag(answer), Date: date(answer)}
		switch answer.StatusCode {
		case http.StatusOK:
			return nil
		case http.StatusNotModified:
			drain(answer)
			object.Body = nil
			if s.google && generation != "" && answer.Header.Get(generationHeader) != "" && answer.Header.Get(generationHeader) != generation {
				header.Del("If-None-Match") // the same bytes written again: read them
				return errRepeat
			}
			object.Tag = unless
			return bucket.ErrNotModified
		case http.StatusNotFound:
			drain(answer)
			return bucket.ErrNotFound
		}
		return refusal(answer)
	})
	if err != nil && !errors.Is(err, bucket.ErrNotModified) {
		return bucket.Object{}, fmt.Errorf("get %s: %w", key, err)
	}
	return object, err
}

// PutIf stores an object if the condition holds. It is sent once.
func (s *Store) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if !bucket.ValidKey(key) {
		return bucket.Written{}, fmt.Errorf("put: invalid key %q", key)
	}
	if err := ctx.Err(); err != nil {
		return bucket.Written{}, err
	}
	if s.lacksGeneration(condition) {
		refused := bucket.ErrCondition
		if s.isMissing(ctx, key) {
			refused = bucket.ErrNotFound
		}
		return bucket.Written{}, fmt.Errorf("put %s: %w", key, refused)
	}
	header := http.Header{}
	s.condition(header, condition)
	if !s.google {
		header.Set("X-Amz-Checksum-Crc32c", base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, body.CRC32C)))
		header.Set("X-Amz-Sdk-Checksum-Algorithm", "CRC32C")
	} else {
		header.Set("X-Goog-Hash", "crc32c="+base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, body.CRC32C)))
	}
	answer, err := s.send(ctx, request{operation: "PutObject", method: http.MethodPut, key: key, header: header, body: &body})
	if err != nil {
		return bucket.Written{}, fmt.Errorf("put %s: %w", key, err)
	}
	defer drain(answer)
	written := bucket.Written{Tag: s.tag(answer), Date: date(answer)}
	if err := s.outcome(answer, condition); err != nil {
		if s.google && condition.Matches != "" && errors.Is(err, bucket.ErrCondition) && s.isMissing(ctx, key) {
			err = bucket.ErrNotFound
		}
		return bucket.Written{Date: written.Date}, fmt.Errorf("put %s: %w", key, err)
	}
	if written.Tag == "" {
		return bucket.Written{}, fmt.Errorf("put %s: the store answered without a version: %w", key, bucket.ErrUnknown)
	}
	return written, nil
}

// lacksGeneration reports whether a condition names no version that Google could
// compare. Such a condition must not become an unconditional write.
func (s *Store) lacksGeneration(c bucket.Condition) bool {
	_, generation := splitTag(c.Matches)
	return s.google && c.Matches != "" && generation == ""
}

// isMissing reports whether the object is missing. Google refuses to replace a
// missing object with the same answer as a changed one.
func (s *Store) isMissing(ctx context.Context, key string) bool {
	answer, err := s.send(ctx, request{operation: "HeadObject", method: http.MethodHead, key: key})
	if err != nil {
		return false
	}
	drain(answer)
	return answer.StatusCode == http.StatusNotFound
}

// Delete removes an object if the condition holds. It is sent once. A store that
// ignores conditions on deletes removes the object regardless, so the tag is also
// compared before.
func (s *Store) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if !bucket.ValidKey(key) {
		return bucket.Written{}, fmt.Errorf("delete: invalid key %q", key)
	}
	if condition.Matches != "" {
		answer, err := s.send(ctx, request{operation: "HeadObject", method: http.MethodHead, key: key})
		if err != nil {
			return bucket.Written{}, fmt.Errorf("delete %s: %w", key, err)
		}
		drain(answer)
		switch {
		case answer.StatusCode == http.StatusNotFound:
			return bucket.Written{Date: date(answer)}, fmt.Errorf("delete %s: %w", key, bucket.ErrNotFound)
		case answer.StatusCode == http.StatusOK && s.tag(answer) != condition.Matches:
			return bucket.Written{Date: date(answer)}, fmt.Errorf("delete %s: %w", key, bucket.ErrCondition)
		}
	}
	if s.lacksGeneration(condition) {
		return bucket.Written{}, fmt.Errorf("delete %s: %w", key, bucket.ErrCondition)
	}
	header := http.Header{}
	s.condition(header, condition)
	answer, err := s.send(ctx, request{operation: "DeleteObject", method: http.MethodDelete, key: key, header: header})
	if err != nil {
		return bucket.Written{}, fmt.Errorf("delete %s: %w", key, err)
	}
	defer drain(answer)
	err = s.outcome(answer, condition)
	if errors.Is(err, bucket.ErrNotFound) && condition.Matches == "" {
		err = nil
	}
	if err != nil {
		return bucket.Written{Date: date(answer)}, fmt.Errorf("delete %s: %w", key, err)
	}
	return bucket.Written{Date: date(answer)}, nil
}

// outcome translates the status of a write under a condition into an error of package
// bucket. Only a write that replaces an object can miss it: otherwise a 404 with a
// name of its own is a refusal, such as that of an unknown access key.
func (s *Store) outcome(answer *http.Response, condition bucket.Condition) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusPreconditionFailed:
		return bucket.ErrCondition
	case code == http.StatusConflict:
		return bucket.ErrUndecided
	case code == http.StatusNotFound:
		switch name := named(answer); {
		case name == "NoSuchBucket":
			return errors.New("the bucket does not exist")
		case condition.Matches != "", name == "", name == "NoSuchKey":
			return bucket.ErrNotFound
		}
		return refusal(answer)
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable && slowDown(answer):
		return bucket.ErrUndecided
	case code >= 500:
		return bucket.ErrUnknown
	}
	return refusal(answer)
}

func date(answer *http.Response) time.Time {
	t, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}

func drain(answer *http.Response) {
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10)
	_ = answer.Body.Close()
}
