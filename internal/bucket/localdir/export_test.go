package localdir

import "os"

// FailSync makes the next syncs of directories fail.
func (b *Bucket) FailSync(err error) { b.sync = func(*os.File) error { return err } }

// MendSync makes syncs of directories succeed again.
func (b *Bucket) MendSync() { b.sync = (*os.File).Sync }

// CountSync makes b count its directory syncs in count.
func (b *Bucket) CountSync(count *int) {
	b.sync = func(directory *os.File) error {
		*count++
		return directory.Sync()
	}
}
