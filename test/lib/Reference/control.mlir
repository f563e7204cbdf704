// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @main() {
  %n = stablehlo.constant dense<10> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // The limit is a value from outside of the loop.
  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
   cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %more = stablehlo.add %sum, %next : tensor<i32>
    stablehlo.return %next, %more : tensor<i32>, tensor<i32>
  }
  "check.expect_eq_const"(%r#1) {value = dense<55> : tensor<i32>} : (tensor<i32>) -> ()
  // An index out of range takes the last branch.
  %c = "stablehlo.case"(%n) ({
    stablehlo.return %zero : tensor<i32>
  }, {
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  "check.expect_eq_const"(%c) {value = dense<1> : tensor<i32>} : (tensor<i32>) -> ()
  %twice = stablehlo.composite "my.twice" %c {decomposition = @twice} : (tensor<i32>) -> tensor<i32>
  "check.expect_eq_const"(%twice) {value = dense<2> : tensor<i32>} : (tensor<i32>) -> ()
  %t = stablehlo.tuple %c, %twice : tuple<tensor<i32>, tensor<i32>>
  %e = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  "check.expect_eq_const"(%e) {value = dense<2> : tensor<i32>} : (tensor<i32>) -> ()
  return
}
func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.add %x, %x : tensor<i32>
  return %y : tensor<i32>
}
