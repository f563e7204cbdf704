// A state on a device, which the cpu works on by copies as well: each wait is needed, and each that is missing is found.
// RUN: heddle-opt %s --heddle-insert-transfers --heddle-build-plan -o %t
// RUN: %python %S/each_wait.py heddle-opt %t | FileCheck %s
// CHECK: {{[1-9]}} plans refused, 0 not
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t
// PLAN: plan.state "cache" size 256 on 1 {{ *}}device

// A buffer of it that says to lie elsewhere, and a kernel of the cpu that reads it, are refused, too.
// RUN: sed 's/state 0 size 256 "cache" on 1  device/state 0 size 256 "cache"/' %t | not heddle-opt - 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: error: {{.*}}cannot reach a buffer in host memory
// RUN: sed 's/size 256 on 1  device/size 256/' %t | not heddle-opt - 2>&1 | FileCheck %s --check-prefix=HOME
// HOME: error: {{.*}}is in another memory than its state
// RUN: sed 's/on 1  device changed/on 1  device/' %t | not heddle-opt - 2>&1 | FileCheck %s --check-prefix=UNCHANGED
// UNCHANGED: error: {{.*}}a state that the program does not change
// RUN: sed 's/queue 1//' %t | not heddle-opt - 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: {{.*}}runs on cpu, which cannot reach a buffer in device memory of sim:0

func.func private @put(tensor<64xf32> {kernel.tied = 0}, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func @step(%c: tensor<64xf32> {heddle.state = "cache"}, %x: tensor<64xf32> {heddle.name = "x"})
    -> (tensor<64xf32> {heddle.state = "cache"}, tensor<64xf32> {heddle.name = "y"}) {
  %0 = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = kernel.launch @k(%c) {kernel.place = "sim:0"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = kernel.launch @put(%c, %0) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %3 = kernel.launch @two(%2, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %4 = kernel.launch @put(%2, %3) {kernel.place = "sim:0"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %4, %3 : tensor<64xf32>, tensor<64xf32>
}
