package s3_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/buckettest"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/bucket/s3"
)

// fakeStore answers as Amazon S3 addressed by host, or as Google Cloud Storage. It
// implements only the rules of the dialect.
type fakeStore struct {
	t        *testing.T
	isGoogle bool
	host     string // host that requests must name
	prefix   string // prefix of the path, before the key
	objects  *memory.Bucket
}

func (f *fakeStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != f.host {
		f.t.Errorf("request to %s, want %s", r.Host, f.host)
	}
	key, ok := strings.CutPrefix(r.URL.Path, f.prefix)
	if !ok {
		f.t.Errorf("path %s", r.URL.Path)
	}
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	switch {
	case r.Method == http.MethodGet && r.URL.Query().Get("list-type") == "2":
		f.list(w, r)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		f.get(w, r, key)
	case r.Method == http.MethodPut:
		f.put(w, r, key)
	case r.Method == http.MethodDelete:
		f.answer(w, f.conditional(r, key, func(c bucket.Condition) error {
			_, err := f.objects.Delete(r.Context(), key, c)
			return err
		}), http.StatusNoContent)
	}
}

// version returns the number of a write, which the memory bucket uses as its tag.
func version(tag bucket.Tag) uint64 {
	n, _ := strconv.ParseUint(string(tag), 16, 64)
	return n
}

func etag(content []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(content)) }

func (f *fakeStore) read(ctx context.Context, key string) ([]byte, bucket.Object, error) {
	return bucket.ReadAll(ctx, f.objects, key, "", 1<<20)
}

func (f *fakeStore) label(w http.ResponseWriter, content []byte, tag bucket.Tag) {
	w.Header().Set("Etag", etag(content))
	if f.isGoogle {
		w.Header().Set("X-Goog-Generation", fmt.Sprint(version(tag)))
	} else { // as unique as a writeId makes it in every body
		w.Header().Set("Etag", fmt.Sprintf(`"%x-%s"`, md5.Sum(content), tag))
	}
}

func (f *fakeStore) get(w http.ResponseWriter, r *http.Request, key string) {
	content, object, err := f.read(r.Context(), key)
	if err != nil {
		f.answer(w, err, 0)
		return
	}
	f.label(w, content, object.Tag)
	if unless := r.Header.Get("If-None-Match"); unless != "" && unless == w.Header().Get("Etag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(content)
}

// conditional reads the condition of a request in the dialect of the store.
func (f *fakeStore) conditional(r *http.Request, key string, do func(bucket.Condition) error) error {
	condition := bucket.Always
	current := func(matches func(content []byte, tag bucket.Tag) bool) error {
		content, object, err := f.read(r.Context(), key)
		if err != nil {
			return err
		}
		if !matches(content, object.Tag) {
			return bucket.ErrCondition
		}
		condition = bucket.Matches(object.Tag)
		return nil
	}
	var err error
	if f.isGoogle {
		if r.Header.Get("If-Match") != "" || r.Header.Get("If-None-Match") != "" {
			f.t.Error("a condition of S3 was sent to Google")
		}
		switch generation := r.Header.Get("X-Goog-If-Generation-Match"); generation {
		case "":
		case "0":
			condition = bucket.Absent()
		default:
			err = current(func(_ []byte, tag bucket.Tag) bool { return fmt.Sprint(version(tag)) == generation })
			if errors.Is(err, bucket.ErrNotFound) {
				err = bucket.ErrCondition // Google does not distinguish them
			}
		}
	} else {
		if r.Header.Get("If-None-Match") == "*" {
			condition = bucket.Absent()
		}
		if match := r.Header.Get("If-Match"); match != "" {
			err = current(func(content []byte, tag bucket.Tag) bool {
				return fmt.Sprintf(`"%x-%s"`, md5.Sum(content), tag) == match
			})
		}
	}
	if err != nil {
		return err
	}
	return do(condition)
}

func (f *fakeStore) put(w http.ResponseWriter, r *http.Request, key string) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))))
	sent := r.Header.Get("X-Amz-Checksum-Crc32c")
	if f.isGoogle {
		sent = strings.TrimPrefix(r.Header.Get("X-Goog-Hash"), "crc32c=")
	}
	if sent != sum {
		http.Error(w, "<Error><Code>BadDigest</Code></Error>", http.StatusBadRequest)
		return
	}
	var written bucket.Written
	err = f.conditional(r, key, func(c bucket.Condition) (err error) {
		written, err = f.objects.PutIf(r.Context(), key, bucket.Bytes(content), c)
		return err
	})
	if err == nil {
		f.label(w, content, written.Tag)
	}
	f.answer(w, err, http.StatusOK)
}

func (f *fakeStore) answer(w http.ResponseWriter, err error, status int) {
	switch {
	case err == nil:
		w.WriteHeader(status)
	case errors.Is(err, bucket.ErrNotFound):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		w.WriteHeader(http.StatusPreconditionFailed)
	}
}

// list answers in pages of two, so that clients must follow them.
func (f *fakeStore) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	listing, err := f.objects.List(r.Context(), query.Get("prefix"), query.Get("delimiter"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	type entry struct {
		Key          string
		Size         int64
		ETag         string
		LastModified time.Time
	}
	type common struct{ Prefix string }
	page := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []entry
		CommonPrefixes        []common
		IsTruncated           bool
		NextContinuationToken string
	}{}
	from, _ := strconv.Atoi(query.Get("continuation-token"))
	for i, e := range listing.Entries {
		if i < from || i >= from+2 {
			continue
		}
		content, _, err := f.read(r.Context(), e.Key)
		if err != nil {
			continue
		}
		label := etag(content)
		if !f.isGoogle {
			label = fmt.Sprintf(`"%x-%s"`, md5.Sum(content), e.Tag)
		}
		page.Contents = append(page.Contents, entry{e.Key, e.Size, label, e.Modified})
	}
	if from == 0 {
		for _, p := range listing.Prefixes {
			page.CommonPrefixes = append(page.CommonPrefixes, common{p})
		}
	}
	if page.IsTruncated = from+2 < len(listing.Entries); page.IsTruncated {
		page.NextContinuationToken = fmt.Sprint(from + 2)
	}
	var body bytes.Buffer
	if err := xml.NewEncoder(&body).Encode(page); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body.Bytes())
}

// dial sends requests for any host to one server.
func dial(server *httptest.Server) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		sent := r.Clone(r.Context())
		sent.Host, sent.URL.Scheme, sent.URL.Host = r.URL.Host, "http", server.Listener.Addr().String()
		return http.DefaultTransport.RoundTrip(sent)
	})
}

func TestDialectsConform(t *testing.T) {
	for _, c := range []struct {
		name, url, host, prefix string
		isGoogle                bool
	}{
		{"host style", "", "shelf.s3.eu-north-1.amazonaws.com", "/", false},
		{"path style", "https://s3.example.org:9000", "s3.example.org:9000", "/shelf/", false},
		{"google", "https://storage.googleapis.com", "storage.googleapis.com", "/shelf/", true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			open := func(t *testing.T) bucket.Bucket {
				server := httptest.NewServer(&fakeStore{t: t, isGoogle: c.isGoogle, host: c.host, prefix: c.prefix, objects: memory.New(time.Now)})
				t.Cleanup(server.Close)
				store, err := s3.New(s3.Options{URL: c.url, Bucket: "shelf", Region: "eu-north-1", Prefix: "deep/inside",
					Credentials: s3.Static("a", "s", ""), Transport: dial(server)})
				if err != nil {
					t.Fatal(err)
				}
				return store
			}
			buckettest.Run(t, open)
			if err := s3.Probe(t.Context(), open(t)); err != nil {
				t.Error(err)
			}
		})
	}
}
