package api

import (
	"context"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

func (a *API) auditRegistry(ctx context.Context, _ *Request) (*Response, error) {
	audit, err := a.node.AuditRegistry(ctx)
	if err != nil {
		return nil, err
	}
	return OK(audit), nil
}

func (a *API) repairRegistry(ctx context.Context, r *Request) (*Response, error) {
	body, err := r.OptionalBody()
	if err != nil {
		return nil, err
	}
	request, err := readRepair(body)
	if err != nil {
		return nil, err
	}
	if round := r.HTTP.Header.Get(headerRestore); round != "" && request.FromNodes {
		done, err := a.node.Restore(ctx, roundOf(round), request.Restore)
		if err != nil {
			return nil, err
		}
		return OK(done), nil
	}
	done, err := a.node.RepairRegistry(ctx, request)
	if err != nil {
		return nil, err
	}
	if request.FromNodes {
		if err := a.restoreFromNodes(ctx, r, request, &done); err != nil {
			// The registry is already repaired and files may be stored: no response may
			// claim that nothing was changed (I17).
			return nil, problem.StorageUnknown.New("resource", "registry").Because(err)
		}
	}
	return OK(done), nil
}

// readRepair parses the body of a repair.
func readRepair(body []byte) (registry.RepairRequest, error) {
	var (
		request registry.RepairRequest
		found   problem.List // with the structure of the body, reported alone
		names   problem.List
	)
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return request, found.Err()
	}
	value.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "promoteNewest":
			request.PromoteNewest, _ = member.Bool()
		case "restoreFromNodes":
			request.FromNodes, _ = member.Bool()
		case "restore":
			member.Items(func(_ int, item jsonread.Value) {
				text, ok := item.Text()
				if !ok {
					return
				}
				parsed, err := registry.ParseName(text)
				for _, p := range problem.All(err) {
					p.Path = item.Path().String()
					names.Report(p)
				}
				request.Restore = append(request.Restore, parsed)
			})
		default:
			return false
		}
		return true
	})
	if err := found.Err(); err != nil {
		return request, err
	}
	return request, names.Err()
}
