// Package mutants damages small files of every container and finds out whether records are lost without a word:
//
//	go test ./build/tools/mutants -run TestMutants -timeout 1h -mutants 100000 -out ../../results/mutants.md
//	go test ./build/tools/mutants -run TestMutants -only 1234 -v -write FILE
//
// Each mutant has one to three changes: a structural byte, a bit or a piece less, more, twice or elsewhere, the end cut
// off; in the bytes of the file, in the text before it is packed, or among the entries of an archive. judge has the
// law.
package mutants
