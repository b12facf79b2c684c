// Package house keeps the order of the house: what may import what, what no
// package may do, and that the files of testdata are the ones that their
// manifest names. It has tests only; each one states a rule of
// ARCHITECTURE.md and fails with the file that breaks it.
package house
