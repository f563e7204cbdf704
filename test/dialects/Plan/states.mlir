// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

func.func private @k(tensor<16xf32>, tensor<4xf32>) -> tensor<16xf32> attributes {kernel.entry}
// CHECK: plan.state "cache" size 64
plan.state "cache" size 64
// CHECK: plan.state "far" size 128 on 1 device
plan.state "far" size 128 on 1 device
// CHECK: plan.program @main arena 0 {
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  // CHECK: %[[C:.*]] = plan.buffer state 0 size 64 "cache" changed
  %c = plan.buffer state 0 size 64 "cache" changed
  // CHECK: plan.launch @k reads(%[[C]], %{{.*}}) writes(%[[C]]) nodes []
  plan.launch @k reads(%c, %x) writes(%c) nodes []
}
// CHECK: plan.program @peek arena 0 devices ["cpu", "sim:0"] {
plan.program @peek arena 0 devices ["cpu", "sim:0"] {
  // CHECK: plan.buffer state 0 size 64 "cache"{{$}}
  %c = plan.buffer state 0 size 64 "cache"
  // CHECK: plan.buffer state 1 size 128 "far" on 1 device changed
  %d = plan.buffer state 1 size 128 "far" on 1 device changed
  %y = plan.buffer output 0 size 64 "y"
  plan.copy %c to %y nodes []
}
