// RUN: heddle-opt %s --heddle-simplify --split-input-file | FileCheck %s

// What a loop carries unchanged is read from outside; what it carries for
// nobody is gone.
// CHECK-LABEL: func.func @invariant
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<i32>)
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %[[X]]) : tensor<i32>, tensor<4xf32>
// CHECK: stablehlo.compare LT, %{{.*}}, %[[N]]
// CHECK: stablehlo.add %{{.*}}, %[[W]]
func.func @invariant(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:5 = stablehlo.while(%i = %c0, %a = %x, %v = %w, %m = %n, %dead = %x) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>
   cond {
    %p = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %a, %v : tensor<4xf32>
    %3 = stablehlo.add %dead, %v : tensor<4xf32>
    stablehlo.return %1, %2, %v, %m, %3 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What all branches return is that.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%{{.*}}: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = "stablehlo.if"
// CHECK: return %[[X]], %[[R]] : tensor<4xf32>, tensor<4xf32>
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:3 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %x, %1, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A tuple is carried as its members, a token not at all.
// CHECK-LABEL: func.func @tuples
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<i32>, tensor<f32>
// CHECK-NOT: tuple
// CHECK-NOT: token
func.func @tuples(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %t = stablehlo.tuple %n, %x : tuple<tensor<i32>, tensor<f32>>
  %k = stablehlo.after_all : !stablehlo.token
  %0:2 = "stablehlo.while"(%t, %k) ({
  ^bb0(%s: tuple<tensor<i32>, tensor<f32>>, %l: !stablehlo.token):
    %i = stablehlo.get_tuple_element %s[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<i32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%s: tuple<tensor<i32>, tensor<f32>>, %l: !stablehlo.token):
    %i = stablehlo.get_tuple_element %s[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<i32>
    %y = stablehlo.get_tuple_element %s[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %z = stablehlo.add %y, %y : tensor<f32>
    %r = stablehlo.tuple %j, %z : tuple<tensor<i32>, tensor<f32>>
    %m = stablehlo.after_all %l : !stablehlo.token
    stablehlo.return %r, %m : tuple<tensor<i32>, tensor<f32>>, !stablehlo.token
  }) : (tuple<tensor<i32>, tensor<f32>>, !stablehlo.token) -> (tuple<tensor<i32>, tensor<f32>>, !stablehlo.token)
  %1 = stablehlo.get_tuple_element %0#0[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  return %1 : tensor<f32>
}
