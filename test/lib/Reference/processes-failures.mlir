// RUN: not heddle test --interpret %s | FileCheck %s

// A process that never gets what it waits for ends in an error, not in a hang.
module {
  func.func private @waits() -> tensor<i32> {
    %t = stablehlo.create_token : !stablehlo.token
    // CHECK: processes-failures.mlir: [HDL-0381] 'stablehlo.recv' waits on channel 3, on which nothing is sent
    %y:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    return %y#0 : tensor<i32>
  }
  func.func @main() {
    %r = "interpreter.run_parallel"() {programs = [[@waits]]} : () -> tensor<i32>
    check.expect_eq %r, %r : tensor<i32>
    return
  }
}

// -----

module {
  func.func private @gathers(%x: tensor<1xi32>) -> tensor<2xi32> {
    // CHECK: [HDL-0381] 'stablehlo.all_gather' waits for replica 1, partition 0, which never sends
    %y = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<2xi32>
    return %y : tensor<2xi32>
  }
  func.func private @ends() { return }
  func.func @main() {
    %x = stablehlo.constant dense<1> : tensor<1xi32>
    %r = "interpreter.run_parallel"(%x) {programs = [[@gathers], [@ends]]} : (tensor<1xi32>) -> tensor<2xi32>
    check.expect_eq %r, %r : tensor<2xi32>
    return
  }
}

// -----

func.func @alone() {
  %x = stablehlo.constant dense<1> : tensor<1xi32>
  // CHECK: [HDL-0380] 'stablehlo.all_gather' names process 1 of 1; `interpreter.run_parallel` runs several
  %y = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<2xi32>
  check.expect_eq %y, %y : tensor<2xi32>
  return
}

// -----

// CHECK: has a row of 1 programs; the first has 2
func.func private @f() { return }
func.func @main() {
  "interpreter.run_parallel"() {programs = [[@f, @f], [@f]]} : () -> ()
  return
}

// CHECK: 0 passed, 1 failed
