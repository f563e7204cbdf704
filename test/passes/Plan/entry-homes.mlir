// RUN: heddle-opt %s --split-input-file --heddle-insert-transfers | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-insert-transfers=tensors | FileCheck %s --check-prefix=TENSORS
// RUN: heddle-opt %s --split-input-file --heddle-insert-transfers --heddle-build-plan | FileCheck %s --check-prefix=PLAN

// One device alone works on the state, in both entries: it lies there, and a call copies none of it.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<64xf32> {heddle.place = "sim:0", heddle.state = "cache"}
// CHECK: %[[X:.*]] = kernel.transfer %{{.*}} to "sim:0"
// CHECK-NEXT: %[[N:.*]] = kernel.launch @put(%[[C]], %[[X]])
// CHECK-NOT: kernel.transfer %[[N]]
// CHECK: return %[[N]],
// PLAN: plan.state "cache" size 256 on 1 {{ *}}device
// PLAN-LABEL: plan.program @step
// PLAN: %[[C:.*]] = plan.buffer state 0 size 256 "cache" on 1 {{ *}}device changed
// PLAN-NOT: plan.copy %[[C]]
// PLAN-NOT: to %[[C]]
// PLAN: plan.program @fill
func.func private @put(tensor<64xf32> {kernel.tied = 0}, tensor<4xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @step(%c: tensor<64xf32> {heddle.state = "cache"}, %x: tensor<4xf32> {heddle.name = "x"})
    -> (tensor<64xf32> {heddle.state = "cache"}, tensor<64xf32> {heddle.name = "y"}) {
  %0 = kernel.launch @put(%c, %x) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<4xf32>) -> tensor<64xf32>
  %1 = kernel.launch @k(%0) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
func.func @fill(%x: tensor<8x8xf32> {heddle.name = "x"}) -> (tensor<64xf32> {heddle.state = "cache"}) {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %0 = kernel.launch @k(%f) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Another entry reads it on another device, or on the cpu: it lies in the process's memory, whatever was said before.
// CHECK-LABEL: func.func @step
// CHECK-SAME: {heddle.state = "a"}
// CHECK-SAME: {heddle.state = "b"}
// CHECK-SAME: {heddle.state = "kept"}
// CHECK-SAME: ({{.*}}{heddle.state = "a"}, {{.*}}{heddle.state = "b"}, {{.*}}{heddle.state = "kept"})
// PLAN: plan.state "a" size 256{{$}}
// PLAN-NEXT: plan.state "b" size 256{{$}}
// PLAN-NEXT: plan.state "kept" size 256{{$}}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @step(%a: tensor<64xf32> {heddle.state = "a", heddle.place = "sim:1"}, %b: tensor<64xf32> {heddle.state = "b"},
                %kept: tensor<64xf32> {heddle.state = "kept"})
    -> (tensor<64xf32> {heddle.state = "a"}, tensor<64xf32> {heddle.state = "b"}, tensor<64xf32> {heddle.state = "kept"}) {
  %0 = kernel.launch @k(%a) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = kernel.launch @k(%b) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %kept : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @peek(%a: tensor<64xf32> {heddle.state = "a"}, %b: tensor<64xf32> {heddle.state = "b"})
    -> (tensor<64xf32> {heddle.name = "y"}, tensor<64xf32> {heddle.name = "z"}) {
  %0 = kernel.launch @k(%a) {kernel.place = "sim:1"} : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// Two that change places do so by way of the process's memory; what control flow carries is there, too.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: {heddle.state = "a"}
// CHECK-SAME: {heddle.state = "b"}
// PLAN: plan.state "a" size 256{{$}}
// PLAN-NEXT: plan.state "b" size 256{{$}}
// PLAN-NEXT: plan.state "c" size 256{{$}}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @less(tensor<64xf32>) -> tensor<i1> attributes {kernel.entry}
func.func @swap(%a: tensor<64xf32> {heddle.state = "a"}, %b: tensor<64xf32> {heddle.state = "b"}, %c: tensor<64xf32> {heddle.state = "c"})
    -> (tensor<64xf32> {heddle.state = "a"}, tensor<64xf32> {heddle.state = "b"}, tensor<64xf32> {heddle.state = "c"}) {
  %0 = kernel.launch @k(%a) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = stablehlo.while(%i = %c) : tensor<64xf32>
   cond {
    %q = kernel.launch @less(%i) : (tensor<64xf32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = kernel.launch @k(%i) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %2 : tensor<64xf32>
  }
  return %b, %0, %1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// What callers give and take, where that was asked for: %both has two readers on two devices, %host one on the cpu, and nobody reads %unread. A result that
// is an argument is no device's.
// TENSORS-LABEL: func.func @tensors(
// TENSORS-SAME: %{{[a-z0-9]+}}: tensor<64xf32> {heddle.place = "sim:0"}, %{{[a-z0-9]+}}: tensor<64xf32>, %{{[a-z0-9]+}}: tensor<64xf32>, %{{[a-z0-9]+}}: tensor<64xf32>)
// TENSORS-SAME: -> (tensor<64xf32> {heddle.place = "sim:0"}, tensor<64xf32>, tensor<64xf32>)
// TENSORS: kernel.launch @k
// CHECK-LABEL: func.func @tensors(
// CHECK-NOT: heddle.place
// CHECK: return
func.func private @k(%x: tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry} {
  return %x : tensor<64xf32>
}
func.func @tensors(%one: tensor<64xf32>, %both: tensor<64xf32>, %host: tensor<64xf32>, %unread: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = kernel.launch @k(%one) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = kernel.launch @k(%both) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = kernel.launch @k(%both) {kernel.place = "sim:1"} : (tensor<64xf32>) -> tensor<64xf32>
  %3 = kernel.launch @k(%host) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %3, %unread : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// What the device counts is the host's, who says by it how large results are, and so are these; what is neither is the device's.
// TENSORS-LABEL: func.func @counted
// TENSORS-SAME: -> (tensor<i32> {heddle.extent = "n"}, tensor<8xf32> {heddle.shape = #size.extents<n>}, tensor<8xf32> {{{.*}}heddle.place = "sim:0"
// TENSORS-COUNT-2: kernel.transfer
// TENSORS: return
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<8xf32>) attributes {kernel.entry}
func.func @counted(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<8xf32> {heddle.shape = #size.extents<n>}, tensor<8xf32> {heddle.name = "y"}) {
  %0:3 = kernel.launch @count(%x) {kernel.place = "sim:0"} : (tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2 : tensor<i32>, tensor<8xf32>, tensor<8xf32>
}
}
