package settle_test

import (
	"testing"

	"fairdeck/internal/cv/cvtest"
)

func TestMain(m *testing.M) { cvtest.Main(m) }
