// RUN: heddle-opt %s --heddle-insert-transfers --split-input-file --verify-diagnostics | FileCheck %s

// Each value goes once to each device, from one device to another by way of the process.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @two(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[X0:.*]] = kernel.transfer %[[X]] to "sim:0"
// CHECK-NEXT: %[[A:.*]] = kernel.launch @k(%[[X0]]) {kernel.place = "sim:0"}
// CHECK-NEXT: %[[AH:.*]] = kernel.transfer %[[A]] to "cpu"
// CHECK-NEXT: %[[B:.*]] = kernel.launch @two(%[[X0]], %[[A]]) {kernel.place = "sim:0"}
// CHECK-NEXT: %[[BH:.*]] = kernel.transfer %[[B]] to "cpu"
// CHECK-NEXT: %[[C:.*]] = kernel.launch @two(%[[X]], %[[AH]]) :
// CHECK-NEXT: %[[A1:.*]] = kernel.transfer %[[AH]] to "sim:1"
// CHECK-NEXT: %[[B1:.*]] = kernel.transfer %[[BH]] to "sim:1"
// CHECK-NEXT: %[[D:.*]] = kernel.launch @two(%[[A1]], %[[B1]]) {kernel.place = "sim:1"}
// CHECK-NEXT: %[[DH:.*]] = kernel.transfer %[[D]] to "cpu"
// CHECK-NEXT: %[[E:.*]] = kernel.launch @two(%[[C]], %[[DH]]) :
// CHECK-NEXT: return %[[E]], %[[BH]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = kernel.launch @two(%x, %a) {kernel.place = "sim:0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = kernel.launch @two(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = kernel.launch @two(%a, %b) {kernel.place = "sim:1"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = kernel.launch @two(%c, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %e, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is reshaped moves as it was; the reshape is made again where it arrived.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @flat(tensor<2x2xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = kernel.launch @k(%[[X]]) :
// CHECK-NEXT: %[[A0:.*]] = kernel.transfer %[[A]] to "sim:0" : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = tensor.expand_shape %[[A0]]
// CHECK-NEXT: %[[B:.*]] = kernel.launch @flat(%[[R]]) {kernel.place = "sim:0"}
// CHECK-NEXT: %[[C:.*]] = kernel.launch @k(%[[A0]]) {kernel.place = "sim:0"}
// CHECK-NEXT: %[[CH:.*]] = kernel.transfer %[[C]] to "cpu"
func.func @reshaped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = kernel.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %b = kernel.launch @flat(%r) {kernel.place = "sim:0"} : (tensor<2x2xf32>) -> tensor<4xf32>
  %c = kernel.launch @k(%a) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// What a loop reads from outside moves before it, what it carries lies in the process's memory.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @two(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @less(tensor<4xf32>) -> tensor<i1> attributes {kernel.entry}
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[X0:.*]] = kernel.transfer %[[X]] to "sim:0"
// CHECK-NEXT: stablehlo.while
// CHECK: %[[I0:.*]] = kernel.transfer %{{.*}} to "sim:0"
// CHECK-NEXT: %[[N:.*]] = kernel.launch @two(%[[I0]], %[[X0]])
// CHECK-NEXT: %[[NH:.*]] = kernel.transfer %[[N]] to "cpu"
// CHECK-NEXT: stablehlo.return %[[NH]]
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<4xf32>
   cond {
    %p = kernel.launch @less(%i) : (tensor<4xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = kernel.launch @two(%i, %x) {kernel.place = "sim:0"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is placed on "sim", which is the name of no device}}
  %0 = kernel.launch @k(%x) {kernel.place = "sim"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
