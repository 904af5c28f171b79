// Package mutants damages small files of every container format and finds out whether records are lost without an error:
//
//	go test ./build/tools/mutants -run TestMutants -timeout 1h -mutants 100000 -out ../../results/mutants.md
//	go test ./build/tools/mutants -run TestMutants -only 1234 -v -write FILE
//
// Each mutant has one to three changes: a structural byte, a bit or a piece is removed, added, doubled or moved, or the end
// is cut off. The changes are made in the bytes of the file, in the text before it is packed, or among the entries of an
// archive. The function judge says what is allowed.
package mutants
