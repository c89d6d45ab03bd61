package memory_test

import (
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/buckettest"
	"github.com/quiresearch/quire/internal/bucket/memory"
)

func TestBucketConforms(t *testing.T) {
	buckettest.Run(t, func(*testing.T) bucket.Bucket { return memory.New(nil) })
}
