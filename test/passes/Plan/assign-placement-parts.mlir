// Parts of a model take about the same time by the target's estimate, not as many launches; no device stays without.

// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim" | FileCheck %s
// RUN: sed 's/heddle.target = "x86-64-v3"/heddle.source = "x"/' %s | heddle-opt --heddle-assign-placement="devices=cpu,sim" | FileCheck %s --check-prefix=COUNT

module attributes {heddle.target = "x86-64-v3"} {
  func.func private @small(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
  func.func private @wide(tensor<4xf32>) -> tensor<1048576xf32> attributes {kernel.entry}

  // CHECK-LABEL: func.func @late
  // COUNT-LABEL: func.func @late
  func.func @late(%x: tensor<4xf32>) -> tensor<1048576xf32> {
    // CHECK: kernel.launch @small(%{{[^)]*}}) :
    // CHECK: kernel.launch @small(%{{[^)]*}}) :
    // CHECK: kernel.launch @small(%{{[^)]*}}) :
    // CHECK: kernel.launch @wide(%{{[^)]*}}) {kernel.place = "sim:0"}
    // Nobody knows a time without a target.
    // COUNT: kernel.launch @small(%{{[^)]*}}) :
    // COUNT: kernel.launch @small(%{{[^)]*}}) :
    // COUNT: kernel.launch @small(%{{[^)]*}}) {kernel.place = "sim:0"}
    // COUNT: kernel.launch @wide(%{{[^)]*}}) {kernel.place = "sim:0"}
    %0 = kernel.launch @small(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = kernel.launch @small(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = kernel.launch @small(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = kernel.launch @wide(%2) : (tensor<4xf32>) -> tensor<1048576xf32>
    return %3 : tensor<1048576xf32>
  }
}
