// RUN: heddle-opt %s --heddle-assign-placement="devices=cuda,sim rules=counts=sim,told=sim,*=cuda" | FileCheck %s
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cuda,sim rules=told=cuda" 2>&1 | FileCheck %s --check-prefix=UNTOLD
// RUN: heddle-opt %s --heddle-assign-placement="devices=cuda,sim rules=told=cuda is-piece" | FileCheck %s --check-prefix=PIECE
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cuda rules=told=cuda" 2>&1 | FileCheck %s --check-prefix=HOST

// What is told a size that the program computes goes where a rule says, or that is an error: queues of cuda read no counts. Of what a rule places together with
// others it stays on the cpu.
// UNTOLD: the rule "told=cuda" matches only nodes whose sizes the program computes, which queues of cuda:0 are not told; place them on cpu or sim
// In a piece of a model the rule may be for another.
// PIECE: kernel.launch @ones() :
// HOST: the rule "told=cuda" matches the name of no node that has a kernel
!kept = tensor<8x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @other(tensor<8x4xf32>) -> tensor<8x4xf32> attributes {kernel.entry}
func.func private @count(tensor<8x4xf32>) -> tensor<i32> attributes {kernel.entry}
func.func private @ones() -> !kept attributes {kernel.entry}
func.func private @sum(!kept) -> tensor<4xf32> attributes {kernel.entry}
func.func @main(%x: tensor<8x4xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<4xf32>) {
  // CHECK: kernel.launch @other(%{{.*}}) {kernel.place = "cuda:0"}
  // CHECK: kernel.launch @count(%{{.*}}) {kernel.place = "sim:0"}
  // CHECK: kernel.launch @ones() {kernel.place = "sim:0"}
  // CHECK: kernel.launch @sum(%{{.*}}){{ *}}:
  %other = kernel.launch @other(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> loc("other")
  %n = kernel.launch @count(%other) : (tensor<8x4xf32>) -> tensor<i32> loc("counts")
  %ones = kernel.launch @ones() : () -> !kept loc("told")
  %sum = kernel.launch @sum(%ones) : (!kept) -> tensor<4xf32> loc("sums")
  return %n, %sum : tensor<i32>, tensor<4xf32>
}
}
