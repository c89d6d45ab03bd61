package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
)

// headerRestore asks a node, on behalf of another one, for one round of a
// restore.
const headerRestore = "X-Service-Restore"

// restoreRounds maps the words that nodes use in requests to each other to
// rounds. An unknown word counts as "any".
var restoreRounds = []struct {
	word  string
	round node.Round
}{{"owned", node.OwnedCopies}, {"newest", node.NewestCopies}, {"any", node.AllCopies}}

func roundOf(word string) node.Round {
	for _, known := range restoreRounds {
		if known.word == word {
			return known.round
		}
	}
	return node.AllCopies
}

// largestRestored bounds the response of another node.
const largestRestored = 16 << 20

// restoreFromNodes makes this node and the others store again the objects that
// the bucket lost and they still hold. The nodes that write the indexes go
// first, because their state is the newest, then nodes whose copies are at
// least as new as the newest known state, then any node. States stored but
// missing from the registry are registered.
func (a *API) restoreFromNodes(ctx context.Context, r *Request, request registry.RepairRequest, done *registry.Repair) error {
	peers, err := a.node.Peers(ctx)
	if err != nil {
		a.log.Warn("cannot ask other nodes for lost objects", "error", err)
	}
	var uploaded []string
	for _, next := range restoreRounds {
		here, err := a.node.Restore(ctx, next.round, request.Restore)
		if err != nil {
			return err
		}
		uploaded = append(uploaded, here.Uploaded...)
		for _, address := range peers {
			there, err := a.askToRestore(ctx, r, address, next.word, request.Restore)
			if err != nil {
				a.log.Warn("a node does not answer a request for lost objects", "address", address, "error", err)
				continue
			}
			uploaded = append(uploaded, there.Uploaded...)
		}
	}
	left, err := a.node.Restore(ctx, node.AllCopies, nil)
	if err != nil {
		return err
	}
	if len(uploaded) > 0 {
		again, err := a.node.RepairRegistry(ctx, registry.RepairRequest{PromoteNewest: request.PromoteNewest})
		if err != nil {
			return err
		}
		done.CreatedIndexes = append(done.CreatedIndexes, again.CreatedIndexes...)
		done.AddedGenerations = append(done.AddedGenerations, again.AddedGenerations...)
		done.Promoted = append(done.Promoted, again.Promoted...)
	}
	slices.Sort(uploaded)
	done.Uploaded, done.Lost = slices.Compact(uploaded), left.Lost
	return nil
}

// askToRestore asks one node for a round, using the credential of the caller.
func (a *API) askToRestore(ctx context.Context, r *Request, address, round string, named []registry.Name) (node.Restored, error) {
	var done node.Restored
	target, ok := writerURL(address)
	if !ok {
		return done, errors.New("the address is not scheme://host:port")
	}
	names := make([]string, len(named))
	for i, name := range named {
		names[i] = name.String()
	}
	body, err := json.Marshal(map[string]any{"restoreFromNodes": true, "restore": names})
	if err != nil {
		return done, err
	}
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, target.JoinPath(r.HTTP.URL.Path).String(), bytes.NewReader(body))
	if err != nil {
		return done, err
	}
	asked.Header.Set("Content-Type", mediaJSON)
	asked.Header.Set(headerForwarded, "true")
	asked.Header.Set(headerRestore, round)
	if credential := r.HTTP.Header.Values("Authorization"); len(credential) > 0 {
		asked.Header["Authorization"] = credential
	}
	answer, err := a.transport.RoundTrip(asked)
	if err != nil {
		return done, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, largestRestored))
	if err != nil {
		return done, err
	}
	if answer.StatusCode != http.StatusOK {
		return done, fmt.Errorf("status %d", answer.StatusCode)
	}
	return done, json.Unmarshal(content, &done)
}
