// RUN: heddle-opt %s --heddle-split-complex --split-input-file | FileCheck %s

// Complex numbers come and go as pairs of a real tensor.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<3x2xf32> {heddle.name = "x", heddle.type = tensor<3xcomplex<f32>>}) -> (tensor<3x2xf32> {heddle.type = tensor<3xcomplex<f32>>})
// CHECK: %[[RE1:.*]] = stablehlo.slice %[[X]] [0:3, 0:1]
// CHECK: %[[RE:.*]] = stablehlo.reshape %[[RE1]] : (tensor<3x1xf32>) -> tensor<3xf32>
// CHECK: %[[IM1:.*]] = stablehlo.slice %[[X]] [0:3, 1:2]
// CHECK: %[[IM:.*]] = stablehlo.reshape %[[IM1]]
// CHECK: %[[A:.*]] = stablehlo.add %[[RE]], %[[RE]]
// CHECK: %[[B:.*]] = stablehlo.add %[[IM]], %[[IM]]
// CHECK: %[[C:.*]] = stablehlo.reshape %[[A]]
// CHECK: %[[D:.*]] = stablehlo.reshape %[[B]]
// CHECK: stablehlo.concatenate %[[C]], %[[D]], dim = 1
func.func @main(%x: tensor<3xcomplex<f32>> {heddle.name = "x"}) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.add %x, %x : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

// Functions of f32 are computed in f64, both parts together; products part by
// part.
// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]]:2 = stablehlo.composite "heddle.complex_exponential"
// CHECK: stablehlo.composite "heddle.complex_multiply_re" %[[E]]#0, %[[E]]#1
// CHECK: stablehlo.composite "heddle.complex_multiply_im" %[[E]]#0, %[[E]]#1
// CHECK: stablehlo.composite "heddle.complex_abs"
// CHECK-NOT: complex<
// CHECK: func.func private @complex_exponential(%{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK: stablehlo.exponential {{.*}} : tensor<3xf64>
func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %x : tensor<3xcomplex<f32>>
  %1 = stablehlo.multiply %0, %x : tensor<3xcomplex<f32>>
  %2 = stablehlo.abs %1 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// Sums reduce each part on its own; products mix them, and reduce both at
// once, with the formula in place.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: stablehlo.reduce(%{{[^,]*}} init: %{{[^,]*}}) applies stablehlo.add
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0]
// CHECK: reducer(%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>) (%[[C:.*]]: tensor<f64>, %[[D:.*]]: tensor<f64>)
// CHECK: stablehlo.multiply %[[A]], %[[B]]
func.func @main(%x: tensor<3xcomplex<f64>>) -> (tensor<complex<f64>>, tensor<complex<f64>>) {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0, %1 : tensor<complex<f64>>, tensor<complex<f64>>
}

// -----

// Values of loops are pairs.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<i32>, tensor<2xf32>, tensor<2xf32>
// CHECK-NOT: complex<
func.func @main(%x: tensor<2xcomplex<f32>>, %n: tensor<i32>) -> tensor<2xcomplex<f32>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<2xcomplex<f32>>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %z = stablehlo.multiply %y, %x : tensor<2xcomplex<f32>>
      stablehlo.return %j, %z : tensor<i32>, tensor<2xcomplex<f32>>
    }
  return %0#1 : tensor<2xcomplex<f32>>
}

// -----

// A comparator sees both elements of the real parts, then both of the imaginary
// ones.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.sort"
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>):
// CHECK-NEXT: stablehlo.compare LT, %[[C]], %[[D]]
func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %p = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
    %q = stablehlo.imag %b : (tensor<complex<f32>>) -> tensor<f32>
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

// A routine takes parts, under its own name.
// CHECK-LABEL: func.func @main
// CHECK: %{{.*}}:2 = stablehlo.composite "heddle.cholesky" %{{.*}}, %{{.*}} {composite_attributes = {lower = true}, decomposition = @heddle.cholesky}
// CHECK: func.func private @heddle.cholesky(tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
func.func @main(%x: tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x2xcomplex<f64>>
  return %0 : tensor<2x2xcomplex<f64>>
}

// -----

// A weight's bytes are seen as real numbers, not read.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.constant dense_resource<w> : tensor<2x2xf32>
func.func @main() -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
