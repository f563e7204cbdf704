// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-insert-transfers --heddle-build-plan --split-input-file --verify-diagnostics | FileCheck %s

// Arenas for each device, an event for what another device waits for, weights by init. The last launch waits for the
// second device only: what it needs of the first, the second waited for.
kernel.weight @w : tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}
func.func private @two(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @init arena 0 devices ["cpu", "sim:0", "sim:1"] persistent [#plan.memory<1, device, 64>] {
// CHECK-NEXT: %[[W:.*]] = plan.buffer weight 0 size 16 "w"{{$}}
// CHECK-NEXT: %[[D:.*]] = plan.buffer persistent 0 size 16 "w" on 1 device
// CHECK-NEXT: plan.copy %[[W]] to %[[D]] nodes [] queue 1
// CHECK-LABEL: plan.program @main arena 128 devices ["cpu", "sim:0", "sim:1"] arenas [#plan.memory<1, device, {{.*}}>, #plan.memory<2, device, {{.*}}>] init @init {
// CHECK-DAG: %[[X:.*]] = plan.buffer input 0
// CHECK-DAG: %[[P:.*]] = plan.buffer persistent 0 size 16 "w" on 1 device
// CHECK-DAG: %[[Y:.*]] = plan.buffer output 0
// CHECK: plan.copy %[[X]] to %[[X0:.*]] nodes [] queue 1{{$}}
// CHECK-NEXT: plan.launch @two reads(%[[X0]], %[[P]]) writes(%[[A:.*]]) nodes ["a"] queue 1{{$}}
// CHECK-NEXT: plan.copy %[[A]] to %[[AH:.*]] nodes ["a"] queue 1 signals [0]{{$}}
// CHECK-NEXT: plan.copy %[[AH]] to %[[A1:.*]] nodes ["a"] queue 2 after [0]{{$}}
// CHECK-NEXT: plan.copy %[[X]] to %[[X1:.*]] nodes [] queue 2{{$}}
// CHECK-NEXT: plan.launch @two reads(%[[A1]], %[[X1]]) writes(%[[B:.*]]) nodes ["b"] queue 2{{$}}
// CHECK-NEXT: plan.copy %[[B]] to %[[BH:.*]] nodes ["b"] queue 2 signals [1]{{$}}
// CHECK-NEXT: plan.launch @two reads(%[[AH]], %[[BH]]) writes(%[[Y]]) nodes ["c"] after [1]{{$}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = kernel.weight_ref @w : tensor<4xf32>
  %a = kernel.launch @two(%x, %w) {kernel.place = "sim:0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("a")
  %b = kernel.launch @two(%a, %x) {kernel.place = "sim:1"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("b")
  %c = kernel.launch @two(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("c")
  return %c : tensor<4xf32>
}

// -----

// A place in the process's memory is not used again while a device may still read it: nothing says that the copies to
// sim:0 are done when the launches on the cpu go on. On the cpu alone, three places do.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @three(tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main arena 1024 devices ["cpu", "sim:0"]
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %b = kernel.launch @k(%a) : (tensor<64xf32>) -> tensor<64xf32>
  %c = kernel.launch @k(%b) : (tensor<64xf32>) -> tensor<64xf32>
  %s = kernel.launch @three(%a, %b, %c) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %d = kernel.launch @k(%c) : (tensor<64xf32>) -> tensor<64xf32>
  %e = kernel.launch @k(%d) : (tensor<64xf32>) -> tensor<64xf32>
  return %s, %e : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{"tpu:0" is the name of no device}}
  %0 = kernel.transfer %x to "tpu:0" : tensor<4xf32>
  return %0 : tensor<4xf32>
}
