package edge

type scores struct{}
