// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// A program for several devices, and the one that fills their memory at load.
func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK: plan.program @load arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
plan.program @load arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
  %w = plan.buffer weight 0 size 16 "w"
  // CHECK: plan.buffer persistent 0 size 16 "w" on 1 device
  %d = plan.buffer persistent 0 size 16 "w" on 1 device
  // CHECK: plan.copy %{{.*}} to %{{.*}} nodes [] queue 1
  plan.copy %w to %d nodes [] queue 1
}
// CHECK: plan.program @main arena 64 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] init @load {
plan.program @main arena 64 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] init @load {
  %x = plan.buffer input 0 size 16 "x"
  %w = plan.buffer persistent 0 size 16 "w" on 1 device
  // CHECK: plan.buffer arena 0 size 16 "" on 1 device
  %a = plan.buffer arena 0 size 16 "" on 1 device
  %t = plan.buffer arena 0 size 16 ""
  // CHECK: plan.buffer output 0 size 16 "y"{{$}}
  %y = plan.buffer output 0 size 16 "y"
  plan.copy %x to %a nodes [] queue 1
  // CHECK: plan.launch @k reads(%{{.*}}, %{{.*}}) writes(%{{.*}}) nodes ["Add_0"] queue 1{{$}}
  plan.launch @k reads(%a, %w) writes(%a) nodes ["Add_0"] queue 1
  // CHECK: plan.copy %{{.*}} to %{{.*}} nodes ["Add_0"] queue 1 signals [0]
  plan.copy %a to %t nodes ["Add_0"] queue 1 signals [0]
  // CHECK: plan.launch @k reads(%{{.*}}, %{{.*}}) writes(%{{.*}}) nodes ["Add_1"] after [0]{{$}}
  plan.launch @k reads(%x, %t) writes(%y) nodes ["Add_1"] after [0]
}

// Two queues of one device, and memory that both sides reach.
// CHECK: plan.program @queues arena 0 devices ["cpu", "sim:1"] queues [0, 1, 1] arenas [#plan.memory<1, pinned, 16>, #plan.memory<1, device, 16>] {
plan.program @queues arena 0 devices ["cpu", "sim:1"] queues [0, 1, 1] arenas [#plan.memory<1, pinned, 16>, #plan.memory<1, device, 16>] {
  %x = plan.buffer input 0 size 16 "x"
  %p = plan.buffer arena 0 size 16 "" on 1 pinned
  %a = plan.buffer arena 0 size 16 "" on 1 device
  %y = plan.buffer output 0 size 16 "y"
  plan.launch @k reads(%x, %x) writes(%p) nodes [] signals [0]
  plan.launch @k reads(%p, %p) writes(%a) nodes [] queue 1 after [0] signals [1]
  plan.copy %a to %y nodes [] queue 2 after [1]
}
