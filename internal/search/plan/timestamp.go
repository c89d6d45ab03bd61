package plan

import "time"

// timestampForms are the date-times a clause may name: an offset is needed,
// seconds and their fraction are not.
var timestampForms = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04Z07",
}

// timestampMillis reads an ISO 8601 date-time with an offset as milliseconds
// since 1970; finer digits are cut.
func timestampMillis(text string) (int64, bool) {
	for _, form := range timestampForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}
