// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-assign-placement="devices=sim:0,sim:1 rules=b=sim:1 is-piece" --heddle-insert-transfers --heddle-build-plan --split-input-file | FileCheck %s

// Weights that are laid out at load go to an arena of init's, and from there to where programs read them: on each device
// that does, once for all readers. What two kernels make of one weight is brought once. The arena is as large as the largest.
kernel.weight @w : tensor<4x40xf32> packing "* k n -> * n/32 k n%32" {
  %0 = stablehlo.constant dense<1.0> : tensor<4x40xf32>
  kernel.yield %0 : tensor<4x40xf32>
}
kernel.weight @u : tensor<4x8xf32> packing "* k n -> * n/32 k n%32" {
  %0 = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  kernel.yield %0 : tensor<4x8xf32>
}
kernel.weight @plain : tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}
func.func private @left(tensor<2x4x32xf32>) -> tensor<4x20xf32> attributes {kernel.entry}
func.func private @right(tensor<2x4x32xf32>) -> tensor<4x20xf32> attributes {kernel.entry}
func.func private @small(tensor<1x4x32xf32>) -> tensor<4x8xf32> attributes {kernel.entry}
func.func private @k(tensor<4xf32>, tensor<80xf32>, tensor<4x20xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @m(tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @init arena 0 devices ["cpu", "sim:0", "sim:1"] arenas [#plan.memory<1, device, 1024>, #plan.memory<2, device, 512>] persistent [#plan.memory<1, device, 640>, #plan.memory<2, device, 192>] {
// CHECK-NEXT: %[[W:.*]] = plan.buffer weight 0 size 1024 "w"
// CHECK-NEXT: %[[A:.*]] = plan.buffer arena 0 size 1024 "" on 1 device
// CHECK-NEXT: %[[LEFT:.*]] = plan.buffer persistent 0 size 320 "w" on 1 device
// CHECK-NEXT: %[[RIGHT:.*]] = plan.buffer persistent 320 size 320 "w" on 1 device
// CHECK-NEXT: %[[U:.*]] = plan.buffer weight 1 size 512 "u"
// CHECK-NEXT: %[[B:.*]] = plan.buffer arena 0 size 512 "" on 2 device
// CHECK-NEXT: %[[SMALL:.*]] = plan.buffer persistent 0 size 128 "u" on 2 device
// CHECK-NEXT: %[[P:.*]] = plan.buffer weight 2 size 16 "plain"
// CHECK-NEXT: %[[PLAIN:.*]] = plan.buffer persistent 128 size 16 "plain" on 2 device
// CHECK-NEXT: plan.copy %[[W]] to %[[A]] nodes [] queue 1
// CHECK-NEXT: plan.launch @left reads(%[[A]]) writes(%[[LEFT]]) nodes [] queue 1
// CHECK-NEXT: plan.launch @right reads(%[[A]]) writes(%[[RIGHT]]) nodes [] queue 1
// CHECK-NEXT: plan.copy %[[U]] to %[[B]] nodes [] queue 2
// CHECK-NEXT: plan.launch @small reads(%[[B]]) writes(%[[SMALL]]) nodes [] queue 2
// CHECK-NEXT: plan.copy %[[P]] to %[[PLAIN]] nodes [] queue 2
// CHECK-LABEL: plan.program @main
// CHECK-SAME: init @init
// CHECK-NOT: @left
// CHECK: plan.launch @k reads(%{{.*}}, %[[L:.*]], %[[R:.*]]) writes(%{{.*}}) nodes ["a"] queue 1
// CHECK: plan.launch @m
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = kernel.weight_ref @w : tensor<2x4x32xf32>
  %u = kernel.weight_ref @u : tensor<1x4x32xf32>
  %p = kernel.weight_ref @plain : tensor<4xf32>
  %l = kernel.launch @left(%w) {kernel.at_load} : (tensor<2x4x32xf32>) -> tensor<4x20xf32>
  %l1 = tensor.collapse_shape %l [[0, 1]] : tensor<4x20xf32> into tensor<80xf32>
  %r = kernel.launch @right(%w) {kernel.at_load} : (tensor<2x4x32xf32>) -> tensor<4x20xf32>
  %a = kernel.launch @k(%x, %l1, %r) : (tensor<4xf32>, tensor<80xf32>, tensor<4x20xf32>) -> tensor<4xf32> loc("a")
  %s = kernel.launch @small(%u) {kernel.at_load} : (tensor<1x4x32xf32>) -> tensor<4x8xf32>
  %b = kernel.launch @m(%a, %s, %p) : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32> loc("b")
  %s2 = kernel.launch @small(%u) {kernel.at_load} : (tensor<1x4x32xf32>) -> tensor<4x8xf32>
  %c = kernel.launch @m(%b, %s2, %p) : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32> loc("b")
  return %c : tensor<4xf32>
}

// -----

// A kernel of the cpu reads the weight where it is mapped, and what it makes is in the memory of the process.
kernel.weight @w : tensor<4x8xf32> packing "* k n -> * n/32 k n%32" {
  %0 = stablehlo.constant dense<1.0> : tensor<4x8xf32>
  kernel.yield %0 : tensor<4x8xf32>
}
func.func private @lay_out(tensor<1x4x32xf32>) -> tensor<4x8xf32> attributes {kernel.entry}
func.func private @host(tensor<4x8xf32>) -> tensor<4x8xf32> attributes {kernel.entry, kernel.host = "it is told so"}
// CHECK-LABEL: plan.program @init arena 0 persistent [#plan.memory<0, host, 128>] {
// CHECK-NEXT: %[[W:.*]] = plan.buffer weight 0 size 512 "w"
// CHECK-NEXT: %[[P:.*]] = plan.buffer persistent 0 size 128 "w"{{$}}
// CHECK-NEXT: plan.launch @lay_out reads(%[[W]]) writes(%[[P]]) nodes []{{$}}
// CHECK: plan.launch @host
func.func @main() -> tensor<4x8xf32> {
  %w = kernel.weight_ref @w : tensor<1x4x32xf32>
  %l = kernel.launch @lay_out(%w) {kernel.at_load} : (tensor<1x4x32xf32>) -> tensor<4x8xf32>
  %y = kernel.launch @host(%l) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("b")
  return %y : tensor<4x8xf32>
}
