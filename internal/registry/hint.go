package registry

import (
	"context"

	"github.com/quiresearch/quire/internal/versioned"
)

// Hint tells other nodes about the newest manifests and settings. Hints only
// increase, are advisory, and cost one replacement of the registry for all of them.
func (r *Registry) Hint(ctx context.Context, manifests, settings map[ID]uint64) error {
	return r.change(ctx, func(next *state) error {
		changed := false
		for _, index := range next.Indexes {
			if revision := settings[index.ID]; revision > index.Settings {
				index.Settings, changed = revision, true
			}
			for name, g := range index.Generations {
				if version := manifests[g.ID]; version > g.Manifest {
					g.Manifest = version
					index.Generations[name], changed = g, true
				}
			}
		}
		if !changed {
			return versioned.ErrUnchanged
		}
		return nil
	})
}

// Unhinted returns the manifest versions that are newer than the hints of the
// listed generations.
func (r *Registry) Unhinted(manifests map[ID]uint64) map[ID]uint64 {
	newer := make(map[ID]uint64)
	for _, index := range r.state().Indexes {
		for _, g := range index.Generations {
			if version := manifests[g.ID]; version > g.Manifest {
				newer[g.ID] = version
			}
		}
	}
	return newer
}

// Hinted returns the newest manifest version of a generation that a hint named, and
// false when none did.
func (r *Registry) Hinted(generation ID) (version uint64, ok bool) {
	for _, index := range r.state().Indexes {
		for _, g := range index.Generations {
			if g.ID == generation {
				return g.Manifest, g.Manifest > 0
			}
		}
	}
	return 0, false
}

// HintedSettings returns the newest settings revision of an index that a hint
// named, and false when none did.
func (r *Registry) HintedSettings(index ID) (revision uint64, ok bool) {
	for _, known := range r.state().Indexes {
		if known.ID == index {
			return known.Settings, known.Settings > 0
		}
	}
	return 0, false
}

// Lists returns the name of an index and whether it is listed.
func (r *Registry) Lists(index ID) (name string, ok bool) {
	for name, known := range r.state().Indexes {
		if known.ID == index {
			return name, true
		}
	}
	return "", false
}

// listsGeneration reports whether a generation is listed.
func (r *Registry) listsGeneration(generation ID) bool {
	for _, index := range r.state().Indexes {
		for _, g := range index.Generations {
			if g.ID == generation {
				return true
			}
		}
	}
	return false
}
