// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// Sizes that a program computes are read between its launches.
func.func private @k(tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
plan.program @main arena 64 {
  %x = plan.buffer input 0 size 16 "x"
  %n = plan.buffer output 0 size 4 "n"
  %y = plan.buffer output 1 size 16 "y"
  plan.launch @k reads(%x) writes(%n, %y) nodes []
  // CHECK: plan.count "NonZero_0.count" from %{{.*}}{{$}}
  plan.count "NonZero_0.count" from %n
}
