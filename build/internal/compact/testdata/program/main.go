// Command program does what needs the tables that the linker writes: it grows stacks,
// collects garbage, defers, recovers, and tells where it is.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) count() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.count() + t.right.count()
}

func deep(n int) (sum int) {
	defer func() {
		if r := recover(); r != nil {
			sum = -1
		}
	}()
	var room [64]int
	if n == 0 {
		return room[n+64] // panics
	}
	room[n%64] = n
	return deep(n-1) + room[n%64]
}

func where() string {
	pc, file, line, ok := runtime.Caller(1)
	return fmt.Sprintln(runtime.FuncForPC(pc).Name(), strings.HasSuffix(file, "main.go") && line > 0, ok)
}

func main() {
	fmt.Print(where())
	var group sync.WaitGroup
	counts := make([]int, 8)
	for i := range counts {
		group.Go(func() {
			for range 5 {
				counts[i] += grow(10 + i%3).count()
				runtime.GC()
			}
		})
	}
	group.Wait()
	fmt.Println(counts, deep(20_000))
	if len(os.Args) > 1 {
		panic("the end")
	}
}
