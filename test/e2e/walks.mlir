// One walk in place of a window per point or a sort of everything, against the interpreter: sizes around a vector, every place of the dimension.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare cumulative.mlir
// RUN: heddle compare cumulative.mlir -t x86-64-v2
// RUN: heddle compare first.mlir
// RUN: heddle compare first.mlir -t x86-64-v2

//--- cumulative.mlir
func.func @main(%x: tensor<3x7x21xf32>, %n: tensor<5x40xi32>, %h: tensor<4x32xbf16>, %l: tensor<50x5xf32>, %one: tensor<1x19xf64>) -> (tensor<3x7x21xf32>, tensor<3x7x21xf32>, tensor<3x7x21xf32>, tensor<5x40xi32>, tensor<5x40xi32>, tensor<4x32xbf16>, tensor<50x5xf32>, tensor<1x19xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [6, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 7, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x7x21xf32>, tensor<f32>) -> tensor<3x7x21xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [0, 0], [0, 20]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 1, 21>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x7x21xf32>, tensor<f32>) -> tensor<3x7x21xf32>
  %unit = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = "stablehlo.reduce_window"(%x, %unit) <{padding = dense<[[2, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 3, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x7x21xf32>, tensor<f32>) -> tensor<3x7x21xf32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %3 = "stablehlo.reduce_window"(%n, %least) <{padding = dense<[[0, 0], [39, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 40>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5x40xi32>, tensor<i32>) -> tensor<5x40xi32>
  %4 = "stablehlo.reduce_window"(%n, %least) <{padding = dense<[[0, 4], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 5, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5x40xi32>, tensor<i32>) -> tensor<5x40xi32>
  %hzero = stablehlo.constant dense<0.0> : tensor<bf16>
  %5 = "stablehlo.reduce_window"(%h, %hzero) <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4x32xbf16>, tensor<bf16>) -> tensor<4x32xbf16>
  %never = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %6 = "stablehlo.reduce_window"(%l, %never) <{padding = dense<[[49, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 50, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    %d = stablehlo.subtract %a, %b : tensor<f32>
    %u = stablehlo.compare NE, %d, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.add %a, %b : tensor<f32>
    %c = stablehlo.abs %d : tensor<f32>
    %e = stablehlo.negate %c : tensor<f32>
    %f = stablehlo.exponential %e : tensor<f32>
    %g = stablehlo.log_plus_one %f : tensor<f32>
    %i = stablehlo.add %m, %g : tensor<f32>
    %r = stablehlo.select %u, %s, %i : tensor<i1>, tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<50x5xf32>, tensor<f32>) -> tensor<50x5xf32>
  %dzero = stablehlo.constant dense<0.0> : tensor<f64>
  %7 = "stablehlo.reduce_window"(%one, %dzero) <{padding = dense<[[0, 0], [18, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 19>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<1x19xf64>, tensor<f64>) -> tensor<1x19xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x7x21xf32>, tensor<3x7x21xf32>, tensor<3x7x21xf32>, tensor<5x40xi32>, tensor<5x40xi32>, tensor<4x32xbf16>, tensor<50x5xf32>, tensor<1x19xf64>
}
//--- first.mlir
func.func @main(%x: tensor<6x300xf32>, %y: tensor<200x5xf32>) -> (tensor<6x7xf32>, tensor<6x7xi32>, tensor<6x299xf32>, tensor<6x35xf32>, tensor<6x35xi32>, tensor<3x5xf32>, tensor<2x5xi32>, tensor<6x4xf32>, tensor<6x4xi32>, tensor<6x30xf32>) {
  %v, %i = chlo.top_k(%x, k = 7) : tensor<6x300xf32> -> (tensor<6x7xf32>, tensor<6x7xi32>)
  %w, %j = chlo.top_k(%x, k = 299) : tensor<6x300xf32> -> (tensor<6x299xf32>, tensor<6x299xi32>)
  // Few different numbers: of equals, the first.
  %five = stablehlo.constant dense<5.0> : tensor<6x300xf32>
  %scaled = stablehlo.multiply %x, %five : tensor<6x300xf32>
  %few = stablehlo.floor %scaled : tensor<6x300xf32>
  %fv, %fi = chlo.top_k(%few, k = 35) : tensor<6x300xf32> -> (tensor<6x35xf32>, tensor<6x35xi32>)
  // Negative numbers have no root: not a number counts as largest.
  %root = stablehlo.sqrt %x : tensor<6x300xf32>
  %nv, %ni = chlo.top_k(%root, k = 4) : tensor<6x300xf32> -> (tensor<6x4xf32>, tensor<6x4xi32>)
  %places = stablehlo.iota dim = 0 : tensor<200x5xi32>
  %s:2 = "stablehlo.sort"(%y, %places) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<200x5xf32>, tensor<200x5xi32>) -> (tensor<200x5xf32>, tensor<200x5xi32>)
  %first = stablehlo.slice %s#0 [0:3, 0:5] : (tensor<200x5xf32>) -> tensor<3x5xf32>
  %later = stablehlo.slice %s#1 [2:4, 0:5] : (tensor<200x5xi32>) -> tensor<2x5xi32>
  // Falling keys: every one goes before all that are kept.
  %fall = stablehlo.iota dim = 1 : tensor<6x300xf32>
  %t = "stablehlo.sort"(%fall) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %more = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }) : (tensor<6x300xf32>) -> tensor<6x300xf32>
  %last = stablehlo.slice %t [0:6, 0:30] : (tensor<6x300xf32>) -> tensor<6x30xf32>
  return %v, %i, %w, %fv, %fi, %first, %later, %nv, %ni, %last : tensor<6x7xf32>, tensor<6x7xi32>, tensor<6x299xf32>, tensor<6x35xf32>, tensor<6x35xi32>, tensor<3x5xf32>, tensor<2x5xi32>, tensor<6x4xf32>, tensor<6x4xi32>, tensor<6x30xf32>
}
