// RUN: heddle-opt %s --split-input-file --verify-diagnostics | heddle-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = kernel.transfer %{{.*}} to "sim:0" : tensor<4xf32>
  %a = kernel.transfer %x to "sim:0" : tensor<4xf32>
  // CHECK: kernel.transfer %[[A]] to "cpu" : tensor<4xf32>
  %b = kernel.transfer %a to "cpu" : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: func.func @placed
func.func @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.launch @k(%{{.*}}) {kernel.place = "sim:0"}
  %a = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{kernel.place wants the name of a device, on a launch}}
  %a = kernel.launch @k(%x) {kernel.place = 1} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
