package cli

// plural returns a count with its noun, such as "1 row" or "1,234 rows".
func plural(n int, one, many string) string {
	if n == 1 {
		return grouped(n) + " " + one
	}
	return grouped(n) + " " + many
}
