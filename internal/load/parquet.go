package load

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/quiresearch/quire/internal/written"
)

const parquetMark = "PAR1"

// openParquet reads a Parquet file. Input that does not allow seeking, such as
// standard input or a compressed file, is copied to a temporary file.
func (s *Source) openParquet(content io.Reader) error {
	file, isFile := s.counted.source.(*os.File)
	if isFile {
		if _, err := file.Seek(0, io.SeekStart); err != nil || s.Size == 0 || s.packed(file) {
			isFile = false
			if err == nil {
				if _, err := file.Seek(s.counted.count.Load(), io.SeekStart); err != nil {
					return err
				}
			}
		}
	}
	size := s.Size
	if !isFile {
		temporary, err := os.CreateTemp("", "quire-load-*.parquet")
		if err != nil {
			return err
		}
		s.close = append(s.close, func() error { return errors.Join(temporary.Close(), os.Remove(temporary.Name())) })
		if size, err = io.Copy(temporary, content); err != nil {
			return err
		}
		file = temporary
	}
	opened, err := parquet.OpenFile(file, size)
	if err != nil {
		return fmt.Errorf("read as Parquet: %w", err)
	}
	s.Format = "Parquet"
	s.Reader = &parquetReader{in: parquet.NewGenericReader[map[string]any](opened, opened.Schema()), members: membersOf(opened.Schema()), rows: opened.NumRows(), read: &s.counted.count, size: s.Size}
	return nil
}

// packed reports whether a file is not plain Parquet.
func (s *Source) packed(file *os.File) bool {
	var head [4]byte
	_, err := file.ReadAt(head[:], 0)
	return err != nil || string(head[:]) != parquetMark
}

type parquetReader struct {
	in      *parquet.GenericReader[map[string]any]
	members []member
	rows    int64
	read    *atomic.Int64 // progress, in bytes of the file
	size    int64
	number  int
	out     []byte
}

// Next returns the next row; members are in the order of the schema. The first row names
// every column.
func (r *parquetReader) Next(context.Context) (Row, error) {
	rows := []map[string]any{make(map[string]any, len(r.members))}
	if n, err := r.in.Read(rows); n == 0 {
		return Row{}, cmp.Or(err, io.EOF)
	}
	r.number++
	r.read.Store(int64(float64(r.number) / float64(max(r.rows, 1)) * float64(r.size)))
	r.out = appendRow(r.out[:0], r.members, rows[0], r.number == 1)
	return Row{Number: r.number, Document: r.out}, nil
}

// member is a named value of a group.
type member struct {
	name string
	node parquet.Node
}

func membersOf(group parquet.Node) []member {
	var all []member
	for _, field := range group.Fields() {
		all = append(all, member{field.Name(), field})
	}
	return all
}

func appendGroup(out []byte, members []member, values map[string]any) []byte {
	return appendRow(out, members, values, false)
}

// appendRow writes an object. Members without a value are left out, or null.
func appendRow(out []byte, members []member, values map[string]any, namesAll bool) []byte {
	out = append(out, '{')
	begun := false
	for _, one := range members {
		value := values[one.name]
		if value == nil && !namesAll {
			continue
		}
		if begun {
			out = append(out, ',')
		}
		begun = true
		out = append(appendText(out, one.name), ':')
		out = appendParquet(out, one.node, value)
	}
	return append(out, '}')
}

// appendParquet writes a value by its logical type.
func appendParquet(out []byte, node parquet.Node, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(out, "null"...)
	case map[string]any:
		return appendGroup(out, entries(node, value), value)
	case []any:
		out = append(out, '[')
		for i, one := range value {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendParquet(out, element(node), one)
		}
		return append(out, ']')
	case bool:
		return strconv.AppendBool(out, value)
	case int32:
		return appendWhole(out, node, int64(value))
	case int64:
		return appendWhole(out, node, value)
	case uint32:
		return strconv.AppendUint(out, uint64(value), 10)
	case uint64:
		return strconv.AppendUint(out, value, 10)
	case float32:
		return appendFloat(out, float64(value), 32)
	case float64:
		return appendFloat(out, value, 64)
	case time.Time:
		return appendText(out, written.Timestamp(value))
	case []byte:
		return appendBytes(out, node, string(value))
	case string:
		return appendBytes(out, node, value)
	}
	return appendText(out, fmt.Sprint(value))
}

// entries returns the members of a group; for a map, its keys.
func entries(node parquet.Node, values map[string]any) []member {
	if _, isMap := logicalType(node).(*format.MapType); !isMap {
		return membersOf(node)
	}
	var of parquet.Node
	for _, pair := range node.Fields() {
		for _, field := range pair.Fields() {
			if field.Name() == "value" {
				of = field
			}
		}
	}
	var all []member
	for _, name := range sortedKeys(values) {
		all = append(all, member{name, of})
	}
	return all
}

// element returns the element type of a list.
func element(node parquet.Node) parquet.Node {
	if _, isList := logicalType(node).(*format.ListType); isList {
		if lists := node.Fields(); len(lists) > 0 {
			if fields := lists[0].Fields(); len(fields) > 0 {
				return fields[0]
			}
			return lists[0]
		}
	}
	return node
}

// logicalType returns the logical type of a value, nil if it has only a
// physical type.
func logicalType(node parquet.Node) format.LogicalTypeValue {
	if node == nil || node.Type() == nil || node.Type().LogicalType() == nil {
		return nil
	}
	return node.Type().LogicalType().Value
}

func appendWhole(out []byte, node parquet.Node, n int64) []byte {
	switch logical := logicalType(node).(type) {
	case *format.DateType:
		return appendText(out, written.Timestamp(time.Unix(n*86400, 0).UTC()))
	case *format.TimestampType:
		switch logical.Unit.Value.(type) {
		case *format.MilliSeconds:
			return appendText(out, written.Timestamp(time.UnixMilli(n).UTC()))
		case *format.MicroSeconds:
			return appendText(out, written.Timestamp(time.UnixMicro(n).UTC()))
		}
		return appendText(out, written.Timestamp(time.Unix(0, n).UTC()))
	}
	return strconv.AppendInt(out, n, 10)
}

func appendFloat(out []byte, value float64, bits int) []byte {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return append(out, "null"...)
	}
	return strconv.AppendFloat(out, value, 'g', -1, bits)
}

// appendBytes appends a decimal as a number, text as a string, and other bytes
// in base64.
func appendBytes(out []byte, node parquet.Node, value string) []byte {
	if _, isDecimal := logicalType(node).(*format.DecimalType); isDecimal {
		if literal, _, ok := written.Number(value, '.'); ok {
			return append(out, literal...)
		}
	}
	if !utf8.ValidString(value) {
		return appendText(out, base64.StdEncoding.EncodeToString([]byte(value)))
	}
	return appendText(out, value)
}
