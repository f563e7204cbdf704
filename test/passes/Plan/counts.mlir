// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// What is told a computed size, by whatever types its kernel has, comes behind what computes it, and so does what needs that; the count is read between.
!kept = tensor<8x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @ones() -> !kept attributes {kernel.entry}
func.func private @sum(!kept) -> tensor<4xf32> attributes {kernel.entry}
func.func private @other(tensor<8x4xf32>) -> tensor<8x4xf32> attributes {kernel.entry}
func.func private @count(tensor<8x4xf32>) -> tensor<1xi32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[X:.*]] = plan.buffer input 0
// CHECK: %[[N:.*]] = plan.buffer output 0 size 4
// CHECK: %[[ONES:.*]] = plan.buffer arena {{.*}} {bytes = #size.expression<16 * n>
// CHECK: plan.launch @other
// CHECK-NEXT: plan.launch @count reads(%[[X]]) writes(%[[N]])
// CHECK-NEXT: plan.count "n" from %[[N]]
// CHECK-NEXT: plan.launch @ones reads() writes(%[[ONES]])
// CHECK-NEXT: plan.launch @sum reads(%[[ONES]])
// CHECK-NEXT: }
func.func @main(%x: tensor<8x4xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<4xf32>, tensor<8x4xf32>) {
  %ones = kernel.launch @ones() : () -> !kept
  %sum = kernel.launch @sum(%ones) : (!kept) -> tensor<4xf32>
  %other = kernel.launch @other(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %count = kernel.launch @count(%x) : (tensor<8x4xf32>) -> tensor<1xi32>
  %n = tensor.collapse_shape %count [] : tensor<1xi32> into tensor<i32>
  return %n, %sum, %other : tensor<i32>, tensor<4xf32>, tensor<8x4xf32>
}
}

// -----

// Nobody reads a count that no launch is told.
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK-NOT: plan.count
// CHECK: plan.launch @count
// CHECK-NOT: plan.count
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<8xf32> {heddle.shape = #size.extents<n>}) {
  %0:2 = kernel.launch @count(%x) : (tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<i32>, tensor<8xf32>
}
}

// -----

// What is left of a count is most where that is least: memory is as large as can be.
!rest = tensor<8xf32, #size.extents<-n + 8>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
func.func private @rest(tensor<8xf32>) -> !rest attributes {kernel.entry}
func.func private @sum(!rest) -> tensor<f32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[REST:.*]] = plan.buffer arena {{[0-9]+}} size 32 ""{{$}}
// CHECK: plan.launch @rest reads(%{{.*}}) writes(%[[REST]])
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<f32>) {
  %n = kernel.launch @count(%x) : (tensor<8xf32>) -> tensor<i32>
  %rest = kernel.launch @rest(%x) : (tensor<8xf32>) -> !rest
  %sum = kernel.launch @sum(%rest) : (!rest) -> tensor<f32>
  return %n, %sum : tensor<i32>, tensor<f32>
}
}


// -----

// As much memory as any count leaves, of a size that the call chooses.
!rest = tensor<8xf32, #size.extents<m - n>>
module attributes {heddle.symbols = [{name = "m", minimum = 4, maximum = 8}, {name = "n", minimum = 0, maximum = 4, computed}]} {
func.func private @count(tensor<8xf32, #size.extents<m>>) -> tensor<i32> attributes {kernel.entry}
func.func private @rest(tensor<8xf32, #size.extents<m>>) -> !rest attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[REST:.*]] = plan.buffer output 1 size 32 "out1" {bytes = #size.expression<4 * m>}
// CHECK: plan.launch @rest reads(%{{.*}}) writes(%[[REST]])
// CHECK-NEXT: }
func.func @main(%x: tensor<8xf32, #size.extents<m>>) -> (tensor<i32> {heddle.extent = "n"}, !rest) {
  %n = kernel.launch @count(%x) : (tensor<8xf32, #size.extents<m>>) -> tensor<i32>
  %rest = kernel.launch @rest(%x) : (tensor<8xf32, #size.extents<m>>) -> !rest
  return %n, %rest : tensor<i32>, !rest
}
}

// -----

// Calls with effects keep the model's order where the first waits for a count: what counts does not.
!kept = tensor<8xf32, #size.extents<n>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @ones() -> !kept attributes {kernel.entry}
func.func private @tell(!kept) -> tensor<f32> attributes {kernel.entry, kernel.custom_call = {target = "tell", api_version = 4 : i32, side_effect = true, attributes = {}, backend_config = "", operands = [!kept], results = [tensor<f32>]}}
func.func private @log(tensor<8xf32>) -> tensor<f32> attributes {kernel.entry, kernel.custom_call = {target = "log", api_version = 4 : i32, side_effect = true, attributes = {}, backend_config = "", operands = [tensor<8xf32>], results = [tensor<f32>]}}
func.func private @pure(tensor<8xf32>) -> tensor<f32> attributes {kernel.entry, kernel.custom_call = {target = "pure", api_version = 4 : i32, side_effect = false, attributes = {}, backend_config = "", operands = [tensor<8xf32>], results = [tensor<f32>]}}
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: plan.launch @pure
// CHECK-NEXT: plan.launch @count
// CHECK-NEXT: plan.count "n"
// CHECK-NEXT: plan.launch @ones
// CHECK-NEXT: plan.launch @tell
// CHECK-NEXT: plan.launch @log
// CHECK-NEXT: }
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<f32>, tensor<f32>, tensor<f32>) {
  %ones = kernel.launch @ones() : () -> !kept
  %0 = kernel.launch @tell(%ones) : (!kept) -> tensor<f32>
  %1 = kernel.launch @log(%x) : (tensor<8xf32>) -> tensor<f32>
  %2 = kernel.launch @pure(%x) : (tensor<8xf32>) -> tensor<f32>
  %n = kernel.launch @count(%x) : (tensor<8xf32>) -> tensor<i32>
  return %n, %0, %1, %2 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
}
}

// -----

// A state that is written before and behind a count is changed in place: what overwrites it waits for its reader, which waits for the count.
!kept = tensor<8xf32, #size.extents<n>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @put(tensor<8xf32> {kernel.tied = 0}, tensor<8xf32>) -> tensor<8xf32> attributes {kernel.entry}
func.func private @again(tensor<8xf32> {kernel.tied = 0}, tensor<8xf32>) -> tensor<8xf32> attributes {kernel.entry}
func.func private @take(tensor<8xf32>) -> !kept attributes {kernel.entry}
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[C:.*]] = plan.buffer state 0 size 32 "cache" changed
// CHECK-NOT: plan.copy
// CHECK: plan.launch @put reads(%[[C]], %{{.*}}) writes(%[[C]])
// CHECK-NEXT: plan.launch @count
// CHECK-NEXT: plan.count "n"
// CHECK-NEXT: plan.launch @take reads(%[[C]])
// CHECK-NEXT: plan.launch @again reads(%[[C]], %{{.*}}) writes(%[[C]])
// CHECK-NEXT: }
func.func @main(%c: tensor<8xf32> {heddle.state = "cache"}, %x: tensor<8xf32>)
    -> (tensor<8xf32> {heddle.state = "cache"}, tensor<i32> {heddle.extent = "n"}, !kept) {
  %0 = kernel.launch @put(%c, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %kept = kernel.launch @take(%0) : (tensor<8xf32>) -> !kept
  %1 = kernel.launch @again(%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n = kernel.launch @count(%x) : (tensor<8xf32>) -> tensor<i32>
  return %1, %n, %kept : tensor<8xf32>, tensor<i32>, !kept
}
}

// -----

// Where the count follows from what overwrites the state, the reader is left a copy.
!kept = tensor<8xf32, #size.extents<n>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @put(tensor<8xf32> {kernel.tied = 0}, tensor<8xf32>) -> tensor<8xf32> attributes {kernel.entry}
func.func private @take(tensor<8xf32>) -> !kept attributes {kernel.entry}
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[C:.*]] = plan.buffer state 0 size 32 "cache" changed
// CHECK: plan.copy %[[C]] to %[[T:.*]] nodes
// CHECK-NEXT: plan.launch @put reads(%[[T]], %{{.*}}) writes(%[[T]])
// CHECK-NEXT: plan.launch @count reads(%[[T]])
// CHECK-NEXT: plan.count "n"
// CHECK-NEXT: plan.launch @take reads(%[[C]])
// CHECK-NEXT: plan.copy %[[T]] to %[[C]]
// CHECK-NEXT: }
func.func @main(%c: tensor<8xf32> {heddle.state = "cache"}, %x: tensor<8xf32>)
    -> (tensor<8xf32> {heddle.state = "cache"}, tensor<i32> {heddle.extent = "n"}, !kept) {
  %kept = kernel.launch @take(%c) : (tensor<8xf32>) -> !kept
  %0 = kernel.launch @put(%c, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n = kernel.launch @count(%0) : (tensor<8xf32>) -> tensor<i32>
  return %0, %n, %kept : tensor<8xf32>, tensor<i32>, !kept
}
}

// -----

// A device whose queues read counts reads one where it was made, in the queue of all that is told it; another gets a copy.
!kept = tensor<8xf32, #size.extents<n>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
func.func private @take(tensor<8xf32>) -> !kept attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: plan.launch @count reads(%{{.*}}) writes(%[[D:.*]]) nodes [] queue 1
// CHECK: plan.copy %[[D]] to %[[N:.*]] nodes [] queue 1 signals [[[E:.*]]]
// CHECK-NEXT: plan.count "n" from %[[D]] queue 1
// CHECK-NEXT: plan.copy %[[N]] to %[[D1:.*]] nodes [] queue 2 after [[[E]]]
// CHECK-NEXT: plan.count "n" from %[[D1]] queue 2
// CHECK-NOT: plan.count
// CHECK-DAG: plan.launch @take {{.*}} queue 1
// CHECK-DAG: plan.launch @take {{.*}} queue 2
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, !kept, !kept) {
  %x0 = kernel.transfer %x to "sim:0" : tensor<8xf32>
  %x1 = kernel.transfer %x to "sim:1" : tensor<8xf32>
  %0 = kernel.launch @count(%x0) {kernel.place = "sim:0"} : (tensor<8xf32>) -> tensor<i32>
  %n = kernel.transfer %0 to "cpu" : tensor<i32>
  %1 = kernel.launch @take(%x0) {kernel.place = "sim:0"} : (tensor<8xf32>) -> !kept
  %2 = kernel.launch @take(%x1) {kernel.place = "sim:1"} : (tensor<8xf32>) -> !kept
  %3 = kernel.transfer %1 to "cpu" : !kept
  %4 = kernel.transfer %2 to "cpu" : !kept
  return %n, %3, %4 : tensor<i32>, !kept, !kept
}
}
