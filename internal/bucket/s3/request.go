package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/quiresearch/quire/internal/bucket"
)

// generationHeader carries Google's version of an object.
const generationHeader = "X-Goog-Generation"

var errRepeat = errors.New("read again")

// request is one call of the S3 interface.
type request struct {
	operation string // its name in the S3 interface, for the meter
	method    string
	key       string // of the object; "" for the bucket
	query     url.Values
	header    http.Header
	body      *bucket.Body // nil: none
}

// send signs and sends one request. The caller closes the body of the answer.
// Without an answer the outcome is unknown.
func (s *Store) send(ctx context.Context, r request) (*http.Response, error) {
	target := s.base
	at := r.key
	if r.key != "" && s.options.Prefix != "" {
		at = path.Join(s.options.Prefix, r.key)
	}
	if s.pathStyle {
		at = s.options.Bucket + "/" + at
	}
	target.Path = "/" + at
	target.RawQuery = r.query.Encode()
	sent, err := http.NewRequestWithContext(ctx, r.method, target.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		sent.Header[name] = values
	}
	if r.body != nil {
		if sent.Body, err = r.body.Open(); err != nil {
			return nil, err
		}
		sent.ContentLength = r.body.Size
		if r.body.Size == 0 {
			_ = sent.Body.Close()
			sent.Body = http.NoBody
		}
	}
	if err := s.sign(ctx, sent); err != nil {
		if sent.Body != nil {
			_ = sent.Body.Close()
		}
		return nil, err
	}
	watched, moving := watch(ctx)
	sent = sent.WithContext(watched)
	if sent.Body != nil && sent.Body != http.NoBody {
		sent.Body = sending{sent.Body, moving}
	}
	began := time.Now()
	answer, err := s.client.Do(sent)
	if s.options.Observe != nil {
		status := 0
		if err == nil {
			status = answer.StatusCode
		}
		s.options.Observe(r.operation, status, time.Since(began))
	}
	if err != nil {
		defer moving.over()
		if ctx.Err() != nil && r.method != http.MethodPut && r.method != http.MethodDelete {
			return nil, ctx.Err()
		}
		return nil, moving.unanswered(err)
	}
	moving.answered()
	answer.Body = &receiving{answer.Body, moving}
	return answer, nil
}

func (s *Store) sign(ctx context.Context, request *http.Request) error {
	if s.options.Credentials == nil {
		return nil
	}
	if t, ok := s.options.Credentials.(TokenSource); ok {
		token, err := t.Token(ctx)
		if err != nil {
			return fmt.Errorf("storage credentials: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	keys, err := s.options.Credentials.Keys(ctx)
	if err != nil {
		return fmt.Errorf("storage credentials: %w", err)
	}
	request.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	signed := signer.SignV4(*request, keys.Access, keys.Secret, keys.Session, s.options.Region)
	request.Header = signed.Header
	return nil
}

// condition writes a condition in the dialect of the store.
func (s *Store) condition(header http.Header, c bucket.Condition) {
	etag, generation := splitTag(c.Matches)
	switch {
	case s.google && c.Absent:
		header.Set("X-Goog-If-Generation-Match", "0")
	case s.google && c.Matches != "":
		header.Set("X-Goog-If-Generation-Match", generation)
	case c.Absent:
		header.Set("If-None-Match", "*")
	case c.Matches != "":
		header.Set("If-Match", etag)
	}
}

// tag returns the version of an answer: on Google the entity tag and the
// generation, elsewhere the entity tag, always quoted.
func (s *Store) tag(answer *http.Response) bucket.Tag {
	etag := answer.Header.Get("Etag")
	if etag == "" {
		return ""
	}
	etag = quoted(etag)
	if s.google {
		generation := answer.Header.Get(generationHeader)
		if generation == "" {
			return ""
		}
		return bucket.Tag(etag + ";" + generation)
	}
	return bucket.Tag(etag)
}

func quoted(etag string) string { return `"` + strings.Trim(strings.TrimPrefix(etag, "W/"), `"`) + `"` }

func splitTag(tag bucket.Tag) (etag, generation string) {
	etag, generation, _ = strings.Cut(string(tag), ";")
	return etag, generation
}

// repeat attempts a read up to three times if another attempt may help.
func (s *Store) repeat(ctx context.Context, try func() error) error {
	pause := 100 * time.Millisecond
	for attempt := 1; ; attempt++ {
		err := try()
		again := errors.Is(err, bucket.ErrUnknown) || errors.Is(err, errBusy) || errors.Is(err, errRepeat)
		if !again || attempt == 3 {
			return err
		}
		if errors.Is(err, errRepeat) {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause + rand.N(pause)):
		}
		pause *= 2
	}
}

var errBusy = fmt.Errorf("the store is busy: %w", bucket.ErrUnknown)

// refusal returns the reason that a store gave for refusing a request.
func refusal(answer *http.Response) error {
	name := named(answer)
	_ = answer.Body.Close()
	if answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusConflict {
		return fmt.Errorf("%w: status %d %s", errBusy, answer.StatusCode, name)
	}
	if answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden {
		return fmt.Errorf("the store refused: status %d %s: %w", answer.StatusCode, name, fs.ErrPermission)
	}
	return fmt.Errorf("the store refused: status %d %s", answer.StatusCode, name)
}

// named returns the error name in the body of an answer.
func named(answer *http.Response) string {
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	_ = answer.Body.Close()
	if err != nil {
		return ""
	}
	answer.Body = io.NopCloser(strings.NewReader(string(text)))
	var body struct {
		Code string `xml:"Code"`
	}
	if xml.Unmarshal(text, &body) != nil {
		return ""
	}
	return body.Code
}

func slowDown(answer *http.Response) bool { return named(answer) == "SlowDown" }

// listing is one page of ListObjectsV2.
type listing struct {
	Contents []struct {
		Key          string
		Size         int64
		ETag         string
		LastModified time.Time
	}
	CommonPrefixes        []struct{ Prefix string }
	IsTruncated           bool
	NextContinuationToken string
}

// List returns every object below the prefix, page by page.
func (s *Store) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	under := prefix
	cut := 0
	if s.options.Prefix != "" {
		under = s.options.Prefix + "/" + prefix
		cut = len(s.options.Prefix) + 1
	}
	query := url.Values{"list-type": {"2"}, "prefix": {under}}
	if delimiter != "" {
		query.Set("delimiter", delimiter)
	}
	var all bucket.Listing
	for {
		var page listing
		err := s.repeat(ctx, func() error {
			answer, err := s.send(ctx, request{operation: "ListObjects", method: http.MethodGet, query: query})
			if err != nil {
				return err
			}
			if answer.StatusCode != http.StatusOK {
				return refusal(answer)
			}
			defer drain(answer)
			page = listing{}
			all.Date = date(answer)
			if err := xml.NewDecoder(io.LimitReader(answer.Body, 16<<20)).Decode(&page); err != nil {
				return fmt.Errorf("%w: %w", bucket.ErrUnknown, err)
			}
			return nil
		})
		if err != nil {
			return bucket.Listing{}, fmt.Errorf("list %s: %w", prefix, err)
		}
		for _, c := range page.Contents {
			if len(c.Key) <= cut || !strings.HasPrefix(c.Key, under) || strings.HasSuffix(c.Key, "/") {
				continue
			}
			entry := bucket.Entry{Key: c.Key[cut:], Size: c.Size, Modified: c.LastModified}
			if !s.google { // listings of Google do not include the generation
				entry.Tag = bucket.Tag(quoted(c.ETag))
			}
			all.Entries = append(all.Entries, entry)
		}
		for _, p := range page.CommonPrefixes {
			if strings.HasPrefix(p.Prefix, under) {
				all.Prefixes = append(all.Prefixes, p.Prefix[cut:])
			}
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return all, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}
