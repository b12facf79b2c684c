//go:build !unix

package store

// syncDir does nothing where folders cannot be synchronised; NTFS keeps its
// names in a journal.
func syncDir(string) error { return nil }
