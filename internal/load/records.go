package load

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

var errQuote = errors.New(`a quotation mark is not closed, or not followed by a separator; write "" for one inside a cell`)

// records returns CSV text record by record. A quotation mark that is never closed costs
// only its own line, not the rows below it.
//
// A record ends with the line where its quotes are closed. If they never are, its first
// line is refused, and reading continues after that line. The same happens if a mark
// inside the quotes is neither doubled nor followed by a separator and the first line
// alone has as many cells as the header: 2,"Best" buy,5 is a row of its own.
type records struct {
	text      *bufio.Reader
	separator byte
	columns   int    // of the header; 0 while it is read
	buffer    []byte // whole lines
	at        int    // offset in buffer of the next record
	record    []byte // the rest of the current record
	passed    int    // bytes of the records so far, refused ones included
	wasted    int    // bytes read ahead of refused lines
}

// Reading ahead of lines whose quotes are never closed takes time in proportion to the
// file: all together may read maxRow bytes, aheadShare times what they pass, and
// leastAhead for each.
const (
	aheadShare = 16
	leastAhead = 4 << 10
)

// Read returns bytes of one record, or a *RowError for a line that is refused.
func (r *records) Read(p []byte) (int, error) {
	if len(r.record) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.record)
	r.record = r.record[n:]
	return n, nil
}

// next finds the end of the next record.
func (r *records) next() error {
	if r.at > len(r.buffer)/2 {
		r.buffer, r.at = append(r.buffer[:0], r.buffer[r.at:]...), 0
	}
	most := min(maxRow, max(leastAhead, maxRow+aheadShare*r.passed-r.wasted))
	isInside, hasBare := false, false
	first, end := 0, r.at
	for {
		line, err := r.line(end)
		if len(line) == 0 {
			if isInside && errors.Is(err, io.EOF) {
				return r.refuse(first, end)
			}
			return err
		}
		end += len(line)
		if first == 0 {
			first = end
		}
		isInside, hasBare = r.scan(line, isInside, hasBare)
		switch {
		case isInside && end-r.at > most, end > first && hasBare && r.isComplete(r.buffer[r.at:first]):
			return r.refuse(first, end)
		case !isInside:
			r.passed += end - r.at
			r.record, r.at = r.buffer[r.at:end], end
			return nil
		}
	}
}

// refuse drops the text up to an offset of the buffer and returns a *RowError for it.
// ahead is the offset up to which the text was read to find that out.
func (r *records) refuse(end, ahead int) error {
	err := &RowError{Text: shorten(string(bytes.TrimRight(r.buffer[r.at:end], "\r\n"))), Err: errQuote}
	r.wasted += ahead - end
	r.passed += end - r.at
	r.at = end
	return err
}

// isComplete reports whether a line has a cell for every column if quotation marks have
// no meaning.
func (r *records) isComplete(line []byte) bool {
	return r.columns > 0 && bytes.Count(line, []byte{r.separator}) >= r.columns-1
}

// line returns the line that begins at an offset of the buffer. A last line without a
// line feed is returned together with the error.
func (r *records) line(start int) ([]byte, error) {
	if i := bytes.IndexByte(r.buffer[start:], '\n'); i >= 0 {
		return r.buffer[start : start+i+1], nil
	}
	for {
		part, err := r.text.ReadSlice('\n')
		r.buffer = append(r.buffer, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.buffer[start:], err
		}
	}
}

// scan scans a line. It returns whether the line ends inside quotes, and whether any
// mark inside quotes was neither doubled nor followed by a separator or the end of the
// line.
func (r *records) scan(line []byte, isInside, hasBare bool) (bool, bool) {
	if !isInside && bytes.IndexByte(line, '"') < 0 {
		return false, hasBare
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	for {
		if !isInside && (len(line) == 0 || line[0] != '"') {
			i := bytes.IndexByte(line, r.separator)
			if i < 0 {
				return false, hasBare
			}
			line = line[i+1:]
			continue
		}
		if !isInside {
			isInside, line = true, line[1:]
		}
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			return true, hasBare
		}
		line = line[i+1:]
		switch {
		case len(line) == 0:
			return false, hasBare
		case line[0] == '"':
			line = line[1:]
		case line[0] == r.separator:
			isInside, line = false, line[1:]
		default:
			hasBare = true
		}
	}
}
