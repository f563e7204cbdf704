// A number that a kernel reads out of a tensor is read inside: dispatches pass tensors alone.
// RUN: heddle-opt %s --heddle-form-dispatches | FileCheck %s
module attributes {heddle.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @main
  // CHECK: kernel.dispatch(%[[X:.*]] = %arg0 : tensor<6x4xi8>, %[[Z:.*]] = %arg1 : tensor<i8>)
  // CHECK: %[[N:.*]] = tensor.extract %[[Z]][] : tensor<i8>
  // CHECK: kernel.pad %[[X]], %[[N]]
  // CHECK: kernel.yield
  // CHECK-NOT: tensor.extract
  func.func @main(%x: tensor<6x4xi8>, %zero: tensor<i8>) -> tensor<8x4xi8> {
    %n = tensor.extract %zero[] : tensor<i8>
    %0 = kernel.pad %x, %n {low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>} : tensor<6x4xi8>, i8 -> tensor<8x4xi8>
    return %0 : tensor<8x4xi8>
  }
}
