// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: plan.program @main
plan.program @main arena 64 {
  %x = plan.buffer input 0 size 16 "x"
  %r = plan.buffer arena 0 size 4 ""
  %y = plan.buffer output 0 size 16 "y"
  %z = plan.buffer output 1 size 32 "z"
  %n = plan.buffer output 2 size 4 "n"
  // CHECK: plan.rank to %{{.*}}
  plan.rank to %n
  // CHECK: plan.collective "all_reduce" by "sum" %{{.*}} to %{{.*}} groups [0, 1, 2, 3] of 2 type f32 channel 1 nodes ["dot"]
  plan.collective "all_reduce" by "sum" %x to %y groups [0, 1, 2, 3] of 2 type f32 channel 1 nodes ["dot"]
  // CHECK: plan.collective "all_gather" %{{.*}} to %{{.*}} groups [0, 1] of 2 type f32 nodes []
  plan.collective "all_gather" %x to %z groups [0, 1] of 2 type f32 nodes []
}
