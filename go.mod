module fairdeck

go 1.26

require (
	gocv.io/x/gocv v0.31.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/google/go-cmp v0.7.0
	github.com/montanaflynn/stats v0.14.0
	gonum.org/v1/gonum v0.17.0
)
