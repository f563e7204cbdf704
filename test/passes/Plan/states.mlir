// RUN: heddle-opt %s --split-input-file --heddle-build-plan | FileCheck %s

// A state is one buffer for what is read and what is kept: an update in place copies nothing.
// CHECK: plan.state "cache" size 256
// CHECK-LABEL: plan.program @update arena 0
// CHECK-NEXT: %[[C:.*]] = plan.buffer state 0 size 256 "cache" changed
// CHECK-NEXT: %[[X:.*]] = plan.buffer input 0 size 16 "x"
// CHECK-NEXT: %[[Y:.*]] = plan.buffer output 0 size 256 "y"
// CHECK-NEXT: plan.launch @put reads(%[[C]], %[[X]]) writes(%[[C]])
// CHECK-NEXT: plan.launch @k reads(%[[C]]) writes(%[[Y]])
// CHECK-NEXT: }
func.func private @put(tensor<64xf32> {kernel.tied = 0}, tensor<4xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @update(%c: tensor<64xf32> {heddle.state = "cache"}, %x: tensor<4xf32> {heddle.name = "x"})
    -> (tensor<64xf32> {heddle.state = "cache"}, tensor<64xf32> {heddle.name = "y"}) {
  %0 = kernel.launch @put(%c, %x) : (tensor<64xf32>, tensor<4xf32>) -> tensor<64xf32>
  %1 = kernel.launch @k(%0) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// What it held before is wanted after the update: that is made elsewhere. An entry that keeps nothing changes nothing.
// CHECK-LABEL: plan.program @both arena 256
// CHECK-NEXT: %[[C:.*]] = plan.buffer state 0 size 256 "cache" changed
// CHECK-NEXT: %[[T:.*]] = plan.buffer arena 0 size 256 ""
// CHECK-NEXT: %[[OLD:.*]] = plan.buffer output 0 size 256 "old"
// CHECK-NEXT: plan.copy %[[C]] to %[[T]]
// CHECK-NEXT: plan.launch @put reads(%[[T]]) writes(%[[T]])
// CHECK-NEXT: plan.copy %[[C]] to %[[OLD]]
// CHECK-NEXT: plan.copy %[[T]] to %[[C]]
// CHECK-NEXT: }
// CHECK-LABEL: plan.program @peek arena 0
// CHECK-NEXT: %[[C:.*]] = plan.buffer state 0 size 256 "cache"{{$}}
// CHECK-NEXT: %[[Y:.*]] = plan.buffer output 0 size 256 "y"
// CHECK-NEXT: plan.copy %[[C]] to %[[Y]]
// CHECK-NEXT: plan.launch @put reads(%[[Y]]) writes(%[[Y]])
// CHECK-LABEL: plan.program @fill arena 0
// CHECK-NEXT: %[[C:.*]] = plan.buffer state 0 size 256 "cache" changed
// CHECK-NEXT: %[[X:.*]] = plan.buffer input 0 size 256 "x"
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[C]])
func.func private @put(tensor<64xf32> {kernel.tied = 0}) -> tensor<64xf32> attributes {kernel.entry}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @both(%c: tensor<64xf32> {heddle.state = "cache"})
    -> (tensor<64xf32> {heddle.name = "old"}, tensor<64xf32> {heddle.state = "cache"}) {
  %0 = kernel.launch @put(%c) : (tensor<64xf32>) -> tensor<64xf32>
  return %c, %0 : tensor<64xf32>, tensor<64xf32>
}
func.func @peek(%c: tensor<64xf32> {heddle.state = "cache"}) -> (tensor<64xf32> {heddle.name = "y"}) {
  %0 = kernel.launch @put(%c) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @fill(%x: tensor<64xf32> {heddle.name = "x"}) -> (tensor<64xf32> {heddle.state = "cache"}) {
  %0 = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Two that change places go by way of a third.
// CHECK: plan.state "a" size 256
// CHECK-NEXT: plan.state "b" size 256
// CHECK-LABEL: plan.program @swap arena 256
// CHECK-NEXT: %[[A:.*]] = plan.buffer state 0 size 256 "a" changed
// CHECK-NEXT: %[[B:.*]] = plan.buffer state 1 size 256 "b" changed
// CHECK-NEXT: %[[T:.*]] = plan.buffer arena 0 size 256 ""
// CHECK-NEXT: plan.copy %[[B]] to %[[T]]
// CHECK-NEXT: plan.copy %[[A]] to %[[B]]
// CHECK-NEXT: plan.copy %[[T]] to %[[A]]
func.func @swap(%a: tensor<64xf32> {heddle.state = "a"}, %b: tensor<64xf32> {heddle.state = "b"})
    -> (tensor<64xf32> {heddle.state = "a"}, tensor<64xf32> {heddle.state = "b"}) {
  return %b, %a : tensor<64xf32>, tensor<64xf32>
}

// -----

// What an entry keeps is nobody's to give: a donated input that is a state is none.
// CHECK-LABEL: plan.program @donated arena 0
// CHECK: %[[C:.*]] = plan.buffer state 0 size 256 "cache" changed
// CHECK-NEXT: plan.launch @put reads(%[[C]]) writes(%[[C]])
// CHECK-NEXT: }
func.func private @put(tensor<64xf32> {kernel.tied = 0}) -> tensor<64xf32> attributes {kernel.entry}
func.func @donated(%c: tensor<64xf32> {heddle.state = "cache", tf.aliasing_output = 0 : i32})
    -> (tensor<64xf32> {heddle.state = "cache"}) {
  %0 = kernel.launch @put(%c) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
