module fairdeck

go 1.26

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/montanaflynn/stats v0.14.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
