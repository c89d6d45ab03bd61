//go:build !amd64

package facet

const hasGather = false

func gatherBytes(*uint8, *uint64, int, uint64, *uint8) int { panic("no kernel") }

func gatherShorts(*uint16, *uint64, int, uint64, *uint16) int { panic("no kernel") }
