package api

import (
	"mime"
	"strconv"
	"strings"
)

// The media types of the interface.
const (
	mediaJSON   = "application/json"
	mediaNDJSON = "application/x-ndjson"
	mediaCSV    = "text/csv"
	mediaTSV    = "text/tab-separated-values"
)

// offered is a media type that an operation can respond with and the service's
// preference for it.
type offered struct {
	media   string
	quality float64
}

var (
	onlyJSON      = []offered{{mediaJSON, 1}}
	jsonAndNDJSON = []offered{{mediaJSON, 1}, {mediaNDJSON, 0.9}}
)

// negotiate returns the media type of the response for the values of the Accept
// header. It reports false if the client accepts none of the offers.
func negotiate(accept []string, offers []offered) (string, bool) {
	ranges := acceptRanges(accept)
	if len(ranges) == 0 {
		return offers[0].media, true
	}
	best, bestQuality := "", 0.0
	for _, offer := range offers {
		if quality := acceptedQuality(ranges, offer.media) * offer.quality; quality > bestQuality {
			best, bestQuality = offer.media, quality
		}
	}
	return best, best != ""
}

type acceptRange struct {
	media   string
	quality float64
}

func acceptRanges(accept []string) []acceptRange {
	var ranges []acceptRange
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			media, parameters, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			quality := 1.0
			if text, ok := parameters["q"]; ok {
				if quality, err = strconv.ParseFloat(text, 64); err != nil {
					continue
				}
			}
			ranges = append(ranges, acceptRange{media, quality})
		}
	}
	return ranges
}

// acceptedQuality returns the quality of the most specific range that covers
// the media type, or 0 if none does.
func acceptedQuality(ranges []acceptRange, media string) float64 {
	major, _, _ := strings.Cut(media, "/")
	quality, specificity := 0.0, 0
	for _, r := range ranges {
		found := 0
		switch r.media {
		case media:
			found = 3
		case major + "/*":
			found = 2
		case "*/*":
			found = 1
		}
		if found > specificity {
			quality, specificity = r.quality, found
		}
	}
	return quality
}

// mediaType returns the media type of a Content-Type header without
// parameters, in lower case.
func mediaType(contentType string) string {
	if contentType == mediaJSON { // as most clients write it
		return mediaJSON
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media
}
