// Branches of a graph on three devices, by turns and by lot: each wait is needed, and each that is missing is found.
// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-assign-placement="devices=cpu,sim:0,sim:1 by=alternate" --heddle-insert-transfers --heddle-build-plan -o %t.1
// RUN: %python %S/each_wait.py heddle-opt %t.1 | FileCheck %s
// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-assign-placement="devices=cpu,sim:0,sim:1 by=random:5" --heddle-insert-transfers --heddle-build-plan -o %t.2
// RUN: %python %S/each_wait.py heddle-opt %t.2 | FileCheck %s
// One device alone has waits between its own two queues.
// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-assign-placement="devices=sim:0" --heddle-insert-transfers --heddle-build-plan -o %t.3
// RUN: %python %S/each_wait.py heddle-opt %t.3 | FileCheck %s
// RUN: FileCheck %s --check-prefix=QUEUES --input-file %t.3
// QUEUES: plan.program @main {{.*}}devices ["cpu", "sim:0"] queues [0, 1, 1]
// CHECK: {{[1-9][0-9]+}} plans refused, 0 not

func.func private @k(tensor<64xf32> {kernel.in_place = 0}) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32> {kernel.in_place = 0}, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @less(tensor<64xf32>) -> tensor<i1> attributes {kernel.entry}
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %b = kernel.launch @k(%a) : (tensor<64xf32>) -> tensor<64xf32>
  %c = kernel.launch @k(%y) : (tensor<64xf32>) -> tensor<64xf32>
  %d = kernel.launch @two(%a, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %e = kernel.launch @two(%b, %d) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %f = kernel.launch @k(%c) : (tensor<64xf32>) -> tensor<64xf32>
  %p = kernel.launch @less(%f) : (tensor<64xf32>) -> tensor<i1>
  %g = stablehlo.while(%i = %e) : tensor<64xf32>
   cond {
    %q = kernel.launch @less(%i) : (tensor<64xf32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %0 = kernel.launch @two(%i, %d) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1 = kernel.launch @k(%0) : (tensor<64xf32>) -> tensor<64xf32>
    %2 = kernel.launch @two(%1, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %2 : tensor<64xf32>
  }
  %h = "stablehlo.if"(%p) ({
    %0 = kernel.launch @two(%g, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1 = kernel.launch @k(%0) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %1 : tensor<64xf32>
  }, {
    %0 = kernel.launch @two(%f, %g) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %0 : tensor<64xf32>
  }) : (tensor<i1>) -> tensor<64xf32>
  %j = kernel.launch @two(%h, %e) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %l = kernel.launch @two(%j, %f) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %l, %h : tensor<64xf32>, tensor<64xf32>
}
