package store

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets the test binary act as another process: one that is killed
// while it stores, or one without rights.
func TestMain(m *testing.M) {
	switch os.Getenv("FAIRDECK_STORE_CHILD") {
	case "":
		os.Exit(m.Run())
	case "append":
		err := appendUntilKilled(os.Getenv("FAIRDECK_STORE_DIR"))
		fmt.Println(err)
		os.Exit(1)
	case "open":
		openAndReport(os.Getenv("FAIRDECK_STORE_DIR"))
	}
}
