// SPDX-License-Identifier: BSD-3-Clause

// Goroutines, channels, maps, collections of garbage, recovered faults and
// started programs.
package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"sort"
	"sync"
)

type node struct {
	value int
	next  *node
}

func fault(n *node) (caught bool) {
	defer func() { caught = recover() != nil }()
	return n.value < 0
}

func main() {
	var group sync.WaitGroup
	numbers := make(chan int, 16)
	sums := make([]int, 8)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for n := range numbers {
				sums[i] += n
			}
		}(i)
	}
	for i := 0; i < 20000; i++ {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	total := 0
	for _, sum := range sums {
		total += sum
	}
	faults := 0
	for i := 0; i < 100; i++ {
		if fault(nil) {
			faults++
		}
	}
	words := map[string]int{}
	for i := 0; i < 50000; i++ {
		words[fmt.Sprint(i%1000)] += i
		if i%10000 == 0 {
			runtime.GC()
		}
	}
	keys := []string{}
	for key := range words {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	said, err := exec.Command("echo", "child").Output()
	fmt.Println(total, faults, len(words), keys[7], words["7"], string(said), err)
}
