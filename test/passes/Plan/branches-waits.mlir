// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-insert-transfers --heddle-build-plan | FileCheck %s

// The branch waits until x is made, but not for b, which is made from x then: what a case makes has another place than x, also where that case does not read it.
// CHECK-LABEL: plan.program @main
// CHECK-DAG: %[[X:.*]] = plan.buffer arena 256 size 256 "" on 1 device
// CHECK-DAG: %[[C:.*]] = plan.buffer arena 768 size 256 "" on 1 device
// CHECK-DAG: %[[D:.*]] = plan.buffer arena 768 size 256 "" on 1 device
// CHECK: plan.launch @k reads(%{{.*}}) writes(%[[X]]) nodes ["x"] queue 1 signals [0]
// CHECK: plan.launch @k reads(%[[X]]) writes(%{{.*}}) nodes ["b"] queue 1
// CHECK: plan.branch %0 cases {
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[C]]) nodes ["c"]
// CHECK: plan.launch @k reads(%{{.*}}) writes(%[[D]]) nodes ["d"]
// CHECK-NEXT: plan.launch @k reads(%[[D]]) writes(%{{.*}}) nodes ["e"]
// CHECK: } nodes [] after [0]
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @main(%p: tensor<i32>, %h: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %x = kernel.launch @k(%h) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("x")
  %b = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("b")
  %y = "stablehlo.case"(%p) ({
    %0 = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("c")
    stablehlo.return %0 : tensor<64xf32>
  }, {
    %0 = kernel.launch @k(%h) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("d")
    %1 = kernel.launch @k(%0) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("e")
    stablehlo.return %1 : tensor<64xf32>
  }) : (tensor<i32>) -> tensor<64xf32>
  return %y, %b : tensor<64xf32>, tensor<64xf32>
}
