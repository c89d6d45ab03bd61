package server

import (
	"io"
	"log/slog"
	"os"

	"github.com/quiresearch/quire/internal/config"
)

// NewLog returns the log of a node: text, or one JSON object per line.
func NewLog(c config.Log, to io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		level = slog.LevelInfo
	}
	if !c.JSON {
		return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}))
	}
	handler := slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			a.Key = "timestamp"
		}
		return a
	}})
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return slog.New(handler).With("logger", "quire", "host", host)
}
