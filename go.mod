module fairdeck

go 1.26
