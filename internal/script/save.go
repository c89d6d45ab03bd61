package script

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// save saves a member or header of an answer: name=member.inner or name=Header.
func (n *Node) save(assignment string, body []byte, header http.Header) error {
	name, path, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%q is not name=member", assignment)
	}
	if value := header.Get(path); value != "" {
		n.saved[name] = value
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	for part := range strings.SplitSeq(path, ".") {
		object, isObject := value.(map[string]any)
		if !isObject || object[part] == nil {
			return fmt.Errorf("save %s: the answer has no %s", name, path)
		}
		value = object[part]
	}
	n.saved[name] = fmt.Sprint(value)
	return nil
}

// expandAll expands all lines.
func (n *Node) expandAll(lines []string) []string {
	expanded := make([]string, len(lines))
	for i, line := range lines {
		expanded[i] = n.expand(line)
	}
	return expanded
}

// expand replaces ${name} with saved values.
func (n *Node) expand(line string) string {
	for name, value := range n.saved {
		line = strings.ReplaceAll(line, "${"+name+"}", value)
	}
	return line
}
