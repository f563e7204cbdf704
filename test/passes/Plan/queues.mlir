// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-insert-transfers --heddle-build-plan --split-input-file | FileCheck %s

// Two chains on one device that meet at the end: each has a queue, with the copies that it needs.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @chains arena 0 devices ["cpu", "sim:0"] queues [0, 1, 1]
// CHECK: plan.copy %{{.*}} to %[[X:.*]] nodes [] queue 1{{$}}
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[A:.*]]) nodes ["a"] queue 1{{$}}
// CHECK-NEXT: plan.copy %{{.*}} to %[[Y:.*]] nodes [] queue 2{{$}}
// CHECK-NEXT: plan.launch @k reads(%[[Y]]) writes(%[[B:.*]]) nodes ["b"] queue 2{{$}}
// CHECK-NEXT: plan.launch @k reads(%[[A]]) writes(%[[C:.*]]) nodes ["c"] queue 1 signals [0]{{$}}
// CHECK-NEXT: plan.launch @k reads(%[[B]]) writes(%[[D:.*]]) nodes ["d"] queue 2{{$}}
// CHECK-NEXT: plan.launch @two reads(%[[C]], %[[D]]) writes(%[[E:.*]]) nodes ["e"] queue 2 after [0]{{$}}
// CHECK-NEXT: plan.copy %[[E]] to %{{.*}} nodes ["e"] queue 2{{$}}
func.func @chains(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %a = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("a")
  %b = kernel.launch @k(%y) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("b")
  %c = kernel.launch @k(%a) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("c")
  %d = kernel.launch @k(%b) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32> loc("d")
  %e = kernel.launch @two(%c, %d) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> loc("e")
  return %e : tensor<64xf32>
}

// -----

// One chain has one queue, whatever it copies; the cpu has one in any case.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @chain arena
// CHECK-SAME: devices ["cpu", "sim:0"] arenas
// CHECK-NOT: queue 2
// CHECK: }
func.func @chain(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %b = kernel.launch @two(%a, %y) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %c = kernel.launch @k(%b) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %d = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %e = kernel.launch @two(%d, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %c, %e : tensor<64xf32>, tensor<64xf32>
}

// -----

// What comes back from the cpu waits for all that its chain did before: a second queue would gain nothing.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @back arena
// CHECK-NOT: queues
// CHECK: }
func.func @back(%x: tensor<64xf32>) -> tensor<64xf32> {
  %a = kernel.launch @k(%x) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %b = kernel.launch @k(%a) : (tensor<64xf32>) -> tensor<64xf32>
  %c = kernel.launch @k(%b) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}
