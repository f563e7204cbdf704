// What is not needed for the failure goes; the multiplication that "fails" stays.
// RUN: printf '#!/bin/sh\ngrep -q arith.muli "$1" && exit 1\nexit 0\n' > %t.sh && chmod +x %t.sh
// RUN: heddle-reduce %s --reduction-tree="traversal-mode=0 test=%t.sh" | FileCheck %s

// CHECK-NOT: @spare
// CHECK: arith.muli
func.func @kept(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @spare(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
