// What recognizers make of attention gives the same numbers as the model's own ops, and fewer kernels: a guarded softmax
// with rows that see nothing, rotary embeddings in both spellings, keys and values shared by several heads without a copy.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare guarded.mlir
// RUN: heddle compare rope.mlir
// RUN: heddle compare shared.mlir
// RUN: heddle compare mixed.mlir
// RUN: heddle compare quiet.mlir
// RUN: heddle compile guarded.mlir -q --stop-after=heddle-plan && FileCheck %s --check-prefix=ONE < guarded.heddle-plan.mlir
// RUN: heddle compile rope.mlir -q --stop-after=heddle-plan && FileCheck %s --check-prefix=TWO < rope.heddle-plan.mlir
// RUN: heddle compile shared.mlir -q --stop-after=heddle-plan && FileCheck %s --check-prefix=ONE < shared.heddle-plan.mlir

// ONE: plan.program
// ONE: plan.launch
// ONE-NOT: plan.launch
// TWO: plan.program
// TWO-COUNT-2: plan.launch
// TWO-NOT: plan.launch

//--- guarded.mlir
func.func @main(%q: tensor<3x5x4xf32>, %k: tensor<3x4x37xf32>, %v: tensor<3x37x6xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x5x37xf32>
  // The second row sees nothing, the third has a score that is NaN.
  %row = stablehlo.constant dense<[[0.0], [0xFF800000], [0x7FC00000], [1.0], [-2.0]]> : tensor<5x1xf32>
  %m = stablehlo.broadcast_in_dim %row, dims = [1, 2] : (tensor<5x1xf32>) -> tensor<3x5x37xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x4xf32>, tensor<3x4x37xf32>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %w = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %nan = stablehlo.compare NE, %w, %w : (tensor<3x5x37xf32>, tensor<3x5x37xf32>) -> tensor<3x5x37xi1>
  %p = stablehlo.select %nan, %zeros, %w : tensor<3x5x37xi1>, tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- rope.mlir
func.func @main(%x: tensor<2x3x38xf32>, %y: tensor<2x3x38xf32>, %c: tensor<3x38xf32>, %s: tensor<3x38xf32>, %hc: tensor<2x3x19xf32>, %hs: tensor<2x3x19xf32>) -> (tensor<2x3x38xf32>, tensor<2x3x38xf32>) {
  %a = stablehlo.slice %x [0:2, 0:3, 0:19] : (tensor<2x3x38xf32>) -> tensor<2x3x19xf32>
  %b = stablehlo.slice %x [0:2, 0:3, 19:38] : (tensor<2x3x38xf32>) -> tensor<2x3x19xf32>
  %ya = stablehlo.slice %y [0:2, 0:3, 0:19] : (tensor<2x3x38xf32>) -> tensor<2x3x19xf32>
  %yb = stablehlo.slice %y [0:2, 0:3, 19:38] : (tensor<2x3x38xf32>) -> tensor<2x3x19xf32>
  %cosine = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x38xf32>) -> tensor<2x3x38xf32>
  %sine = stablehlo.broadcast_in_dim %s, dims = [1, 2] : (tensor<3x38xf32>) -> tensor<2x3x38xf32>
  %0 = stablehlo.negate %b : tensor<2x3x19xf32>
  %1 = stablehlo.concatenate %0, %a, dim = 2 : (tensor<2x3x19xf32>, tensor<2x3x19xf32>) -> tensor<2x3x38xf32>
  %2 = stablehlo.multiply %x, %cosine : tensor<2x3x38xf32>
  %3 = stablehlo.multiply %1, %sine : tensor<2x3x38xf32>
  %4 = stablehlo.add %2, %3 : tensor<2x3x38xf32>
  %5 = stablehlo.multiply %ya, %hc : tensor<2x3x19xf32>
  %6 = stablehlo.multiply %yb, %hs : tensor<2x3x19xf32>
  %7 = stablehlo.subtract %5, %6 : tensor<2x3x19xf32>
  %8 = stablehlo.multiply %yb, %hc : tensor<2x3x19xf32>
  %9 = stablehlo.multiply %ya, %hs : tensor<2x3x19xf32>
  %10 = stablehlo.add %8, %9 : tensor<2x3x19xf32>
  %11 = stablehlo.concatenate %7, %10, dim = 2 : (tensor<2x3x19xf32>, tensor<2x3x19xf32>) -> tensor<2x3x38xf32>
  return %4, %11 : tensor<2x3x38xf32>, tensor<2x3x38xf32>
}

//--- shared.mlir
func.func @main(%q: tensor<2x6x5x4xf32>, %key: tensor<2x3x7x4xf32>, %value: tensor<2x3x7x4xf32>) -> tensor<2x6x5x4xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %key, dims = [0, 1, 3, 4] : (tensor<2x3x7x4xf32>) -> tensor<2x3x2x7x4xf32>
  %k = stablehlo.reshape %0 : (tensor<2x3x2x7x4xf32>) -> tensor<2x6x7x4xf32>
  %1 = stablehlo.broadcast_in_dim %value, dims = [0, 1, 3, 4] : (tensor<2x3x7x4xf32>) -> tensor<2x3x2x7x4xf32>
  %v = stablehlo.reshape %1 : (tensor<2x3x2x7x4xf32>) -> tensor<2x6x7x4xf32>
  %x = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x7xf32>
  %2 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x6x5x7xf32>, tensor<f32>) -> tensor<2x6x5xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<2x6x5xf32>) -> tensor<2x6x5x7xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<2x6x5x7xf32>
  %5 = stablehlo.exponential %4 : tensor<2x6x5x7xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x6x5x7xf32>, tensor<f32>) -> tensor<2x6x5xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x6x5xf32>) -> tensor<2x6x5x7xf32>
  %p = stablehlo.divide %5, %7 : tensor<2x6x5x7xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x6x5x7xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x5x4xf32>
  return %r : tensor<2x6x5x4xf32>
}
//--- mixed.mlir
// bf16 scores that are summed and weighed in f32.
func.func @main(%q: tensor<3x5x4xbf16>, %k: tensor<3x37x4xbf16>, %v: tensor<3x37x6xf32>, %m: tensor<3x5x37xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xbf16>, tensor<3x37x4xbf16>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}
//--- quiet.mlir
// A sum that starts from 1 weighs nothing, too: no softmax.
func.func @main(%q: tensor<3x5x8xf32>, %k: tensor<3x37x8xf32>, %v: tensor<3x37x6xf32>, %m: tensor<3x5x37xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf32>, tensor<3x37x8xf32>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %one) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}
