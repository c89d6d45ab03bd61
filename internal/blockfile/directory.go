package blockfile

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// directory finds sections in the entries at the end of a file, which it reads in
// place.
type directory struct {
	entries []byte
	end     int64    // of the last section, where the entries begin
	order   []uint32 // indexes of entries, by owner and then as in the file
}

// openDirectory checks the entries, which begin at offset.
func openDirectory(name string, entries []byte, offset int64) (directory, error) {
	d := directory{entries: entries, end: offset}
	end := int64(headerSize)
	for i := range d.len() {
		s := d.read(i)
		if s.Offset < end || s.Offset%Align != 0 || s.Offset > offset || s.Length < 0 || s.Length > offset-s.Offset {
			return d, Corrupt(name, offset+int64(i*entrySize), "section %v at %d with %d bytes", s.ID, s.Offset, s.Length)
		}
		end = s.Offset + s.Length
	}
	d.sort()
	if twice, ok := d.duplicate(); ok {
		return d, Corrupt(name, offset+int64(twice*entrySize), "section %v twice", d.read(twice).ID)
	}
	return d, nil
}

// sort groups the entries by owner. A segment is written owner by owner, except
// that the sections of the file itself come last.
func (d *directory) sort() {
	d.order = make([]uint32, 0, d.len())
	var others []uint32
	isSorted := true
	last := uint32(0)
	for i := range d.len() {
		owner := d.owner(i)
		if owner == 0 {
			d.order = append(d.order, uint32(i))
			continue
		}
		isSorted = isSorted && owner >= last
		last = owner
		others = append(others, uint32(i))
	}
	if !isSorted {
		slices.SortStableFunc(others, func(a, b uint32) int { return cmp.Compare(d.owner(int(a)), d.owner(int(b))) })
	}
	d.order = append(d.order, others...)
}

// duplicate returns an entry for a section that another entry describes too (BF3).
func (d *directory) duplicate() (entry int, found bool) {
	var seen [1 << 16 / 64]uint64 // parts of one owner
	for from := 0; from < len(d.order); {
		to := from
		for ; to < len(d.order) && d.owner(int(d.order[to])) == d.owner(int(d.order[from])); to++ {
			part := d.part(int(d.order[to]))
			if seen[part>>6]&(1<<(part&63)) != 0 {
				return int(d.order[to]), true
			}
			seen[part>>6] |= 1 << (part & 63)
		}
		for ; from < to; from++ {
			seen[d.part(int(d.order[from]))>>6] = 0
		}
	}
	return 0, false
}

func (d *directory) len() int { return len(d.entries) / entrySize }

func (d *directory) owner(i int) uint32 { return binary.LittleEndian.Uint32(d.entries[i*entrySize:]) }

func (d *directory) part(i int) uint16 { return binary.LittleEndian.Uint16(d.entries[i*entrySize+4:]) }

// of returns the indexes of the entries of an owner in the order of the file.
func (d *directory) of(owner uint32) []uint32 {
	from, _ := slices.BinarySearchFunc(d.order, owner, func(i, owner uint32) int {
		return cmp.Compare(d.owner(int(i)), owner)
	})
	n := sort.Search(len(d.order)-from, func(n int) bool { return d.owner(int(d.order[from+n])) > owner })
	return d.order[from : from+n]
}

// find returns the index of the entry of a section and whether there is one.
func (d *directory) find(id ID) (int, bool) {
	for _, i := range d.of(id.Owner) {
		if d.part(int(i)) == id.Part {
			return int(i), true
		}
	}
	return 0, false
}

// at returns the section that an entry describes. If the entry has changed since it
// was checked, because the disk now reads differently, at returns an empty section
// with a wrong checksum.
func (d *directory) at(i int) Section {
	s := d.read(i)
	if s.Offset < headerSize || s.Offset > d.end || s.Length < 0 || s.Length > d.end-s.Offset {
		return Section{ID: s.ID, Offset: headerSize, CRC32C: ^Checksum(nil)}
	}
	return s
}

func (d *directory) read(i int) Section {
	e := d.entries[i*entrySize:]
	return Section{
		ID:     ID{Owner: d.owner(i), Part: d.part(i)},
		Offset: int64(binary.LittleEndian.Uint64(e[8:])),
		Length: int64(binary.LittleEndian.Uint64(e[16:])),
		CRC32C: binary.LittleEndian.Uint32(e[24:]),
	}
}
