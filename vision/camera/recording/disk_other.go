//go:build !unix

package recording

// syncDir does nothing where folders cannot be synchronised; NTFS keeps its
// names in a journal.
func syncDir(string) error { return nil }

func freeBytes(string) (int64, bool) { return 0, false }
