package definition

// Capabilities lists what the node can analyse. The functions are those of package
// locale and of the node's locale data. A nil function restricts nothing: every tag
// is supported as written, and no locale splits compounds.
type Capabilities struct {
	// Locale returns the canonical form of a tag and whether the node supports it.
	Locale func(tag string) (canonical string, supported bool)
	// Compounding reports whether the words of a locale are split into parts.
	Compounding func(tag string) bool
	// Decompounds reports whether the node holds compound data for a tag.
	Decompounds func(tag string) bool
}

// DefaultLocale is the locale of values without a declared one.
const DefaultLocale = "en"

func (c Capabilities) locale(tag string) (string, bool) {
	if c.Locale == nil {
		return tag, true
	}
	return c.Locale(tag)
}

// lacksCompoundData reports whether splitting words of the locale needs data that
// the node does not have.
func (c Capabilities) lacksCompoundData(tag string) bool {
	if c.Compounding == nil || !c.Compounding(tag) {
		return false
	}
	return c.Decompounds == nil || !c.Decompounds(tag)
}

// LacksData reports whether a field of the locale would be rejected because the
// node does not have the data it needs.
func (c Capabilities) LacksData(tag string) bool {
	_, supported := c.locale(tag)
	return !supported || c.lacksCompoundData(tag)
}
