package elasticsearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/load"
)

// Documents reads the documents as of one point in time.
type Documents struct {
	cursor cursor
	hits   []hit
	number int
	out    []byte

	Total int    // number of documents at the beginning
	Way   string // for people: "point in time" or "scroll"
}

// cursor reads pages of a consistent snapshot.
type cursor interface {
	// next returns the next page; a page without hits is the end.
	next(ctx context.Context) (page, error)
	// close releases the snapshot in the cluster.
	close(ctx context.Context) error
}

type hit struct {
	ID     string         `json:"_id"`
	Source jsontext.Value `json:"_source"`
	Sort   jsontext.Value `json:"sort"`
}

type page struct {
	ScrollID string `json:"_scroll_id"`
	PointID  string `json:"pit_id"`
	TimedOut bool   `json:"timed_out"`
	Shards   struct {
		Total    int `json:"total"`
		Failed   int `json:"failed"`
		Failures []struct {
			Reason struct {
				Reason string `json:"reason"`
			} `json:"reason"`
		} `json:"failures"`
	} `json:"_shards"`
	Hits struct {
		Total jsontext.Value `json:"total"`
		Hits  []hit          `json:"hits"`
	} `json:"hits"`
}

// page reads a page. A cluster that cannot read some shards answers with the documents
// of the others. page returns an error then, because only part of the index would be
// copied.
func (c *Cluster) page(ctx context.Context, path string, body any) (page, error) {
	var read page
	if err := c.call(ctx, http.MethodPost, path, body, &read); err != nil {
		return page{}, err
	}
	if failed := read.Shards.Failed; failed > 0 {
		reason := ""
		if len(read.Shards.Failures) > 0 {
			reason = ": " + read.Shards.Failures[0].Reason.Reason
		}
		return page{}, fmt.Errorf("%d of %d shards of %s do not answer%s", failed, read.Shards.Total, c.Index, reason)
	}
	if read.TimedOut {
		return page{}, fmt.Errorf("the search of %s timed out before every shard answered", c.Index)
	}
	return read, nil
}

// pageSize is the number of documents read per request; keepAlive is how long
// the cluster keeps the snapshot between two requests.
const (
	pageSize  = 1000
	keepAlive = "10m"
)

// KeyField is the member of a document that holds its _id.
const KeyField = "_id"

// Open fixes the snapshot and reads the first page. Elasticsearch before 7.12
// and OpenSearch before 3.3 cannot page through a point in time in shard order;
// they, and clusters that refuse a point in time for any other reason, are read
// with a scroll.
func (c *Cluster) Open(ctx context.Context) (*Documents, error) {
	for _, kind := range pointKinds {
		opened, err := c.openPoint(ctx, kind)
		if err != nil {
			continue
		}
		d := &Documents{cursor: opened, Way: "point in time"}
		if err := d.begin(ctx); err == nil {
			return d, nil
		}
		_ = d.Close(ctx) // on failure, the cluster drops it after keepAlive
	}
	d := &Documents{cursor: &scroll{cluster: c}, Way: "scroll"}
	return d, d.begin(ctx)
}

// begin reads the first page.
func (d *Documents) begin(ctx context.Context) error {
	first, err := d.cursor.next(ctx)
	if err != nil {
		return err
	}
	d.hits = first.Hits.Hits
	var total struct {
		Value int `json:"value"`
	}
	if err := json.Unmarshal(first.Hits.Total, &total); err == nil {
		d.Total = total.Value
	}
	return nil
}

// Next returns the next document, with its _id as a member.
func (d *Documents) Next(ctx context.Context) (load.Row, error) {
	if len(d.hits) == 0 {
		following, err := d.cursor.next(ctx)
		if err != nil {
			return load.Row{}, err
		}
		if d.hits = following.Hits.Hits; len(d.hits) == 0 {
			return load.Row{}, io.EOF
		}
	}
	one := d.hits[0]
	d.hits = d.hits[1:]
	d.number++
	source := bytes.TrimSpace(one.Source)
	if len(source) < 2 || source[0] != '{' {
		return load.Row{}, &load.RowError{Number: d.number, Text: one.ID, Err: errors.New("the index does not keep _source")}
	}
	d.out = append(d.out[:0], `{"`+KeyField+`":`...)
	d.out, _ = jsontext.AppendQuote(d.out, one.ID)
	if inner := bytes.TrimSpace(source[1:]); inner[0] != '}' {
		d.out = append(d.out, ',')
	}
	d.out = append(d.out, source[1:]...)
	return load.Row{Number: d.number, Document: d.out}, nil
}

// Close releases the snapshot in the cluster, even if ctx has ended.
func (d *Documents) Close(ctx context.Context) error {
	return d.cursor.close(context.WithoutCancel(ctx))
}
