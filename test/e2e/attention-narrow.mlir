// Attention over floats of a byte, in the composite and written out, with masks and without: the same numbers as the interpreter's in every stage
// and compiled. Processors have one kernel for it where scores, softmax and sums are those of f32.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare -q --stages composite.mlir | FileCheck %s
// RUN: heddle compare -q --stages rounded.mlir | FileCheck %s
// RUN: heddle compare -q --stages widened.mlir | FileCheck %s
// RUN: heddle compare -q --stages widened-masked.mlir | FileCheck %s
// RUN: heddle compare -q --stages scores.mlir | FileCheck %s
// RUN: heddle compare -q --stages scores-masked.mlir | FileCheck %s
// RUN: heddle compare -q --stages weights.mlir | FileCheck %s
// RUN: heddle compare -q --stages whole.mlir | FileCheck %s
// RUN: heddle compare -q --stages whole-finite.mlir | FileCheck %s
// RUN: heddle compile -q composite.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < composite.heddle-dispatch.mlir
// RUN: heddle compile -q rounded.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < rounded.heddle-dispatch.mlir
// RUN: heddle compile -q widened.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < widened.heddle-dispatch.mlir
// RUN: heddle compile -q widened-masked.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < widened-masked.heddle-dispatch.mlir
// RUN: heddle compile -q scores.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < scores.heddle-dispatch.mlir
// RUN: heddle compile -q scores-masked.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=ROOT < scores-masked.heddle-dispatch.mlir
// RUN: heddle compile -q weights.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=PRODUCTS < weights.heddle-dispatch.mlir
// RUN: heddle compile -q whole.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=PRODUCTS < whole.heddle-dispatch.mlir
// RUN: heddle compile -q whole-finite.mlir --stop-after=heddle-dispatch && FileCheck %s --check-prefix=PRODUCTS < whole-finite.heddle-dispatch.mlir
// CHECK: compiled for
// CHECK-NOT: WRONG
// CHECK: the program computes the same up to heddle-dispatch
// ROOT-NOT: kernel.contract
// ROOT: kernel.attention
// ROOT-NOT: kernel.contract
// PRODUCTS-NOT: kernel.attention
// PRODUCTS-COUNT-2: kernel.contract

//--- composite.mlir
// A composite of f8, heads that share keys, and its mask.
func.func @main(%q: tensor<2x4x5x8xf8E4M3FN>, %k: tensor<2x2x37x8xf8E4M3FN>, %v: tensor<2x2x37x6xf8E5M2>, %m: tensor<5x37xf8E5M2>) -> tensor<2x4x5x6xf32> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v, %m {composite_attributes = {scale = 0.5 : f32, accumulator = f32, optional = ["mask"]}, decomposition = @attention} : (tensor<2x4x5x8xf8E4M3FN>, tensor<2x2x37x8xf8E4M3FN>, tensor<2x2x37x6xf8E5M2>, tensor<5x37xf8E5M2>) -> tensor<2x4x5x6xf32>
  return %0 : tensor<2x4x5x6xf32>
}
func.func private @attention(%q: tensor<2x4x5x8xf8E4M3FN>, %k: tensor<2x2x37x8xf8E4M3FN>, %v: tensor<2x2x37x6xf8E5M2>, %m: tensor<5x37xf8E5M2>) -> tensor<2x4x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<2x4x5x37xf32>
  %wq = stablehlo.convert %q : (tensor<2x4x5x8xf8E4M3FN>) -> tensor<2x4x5x8xf32>
  %wk = stablehlo.convert %k : (tensor<2x2x37x8xf8E4M3FN>) -> tensor<2x2x37x8xf32>
  %bk = stablehlo.broadcast_in_dim %wk, dims = [0, 1, 3, 4] : (tensor<2x2x37x8xf32>) -> tensor<2x2x2x37x8xf32>
  %hk = stablehlo.reshape %bk : (tensor<2x2x2x37x8xf32>) -> tensor<2x4x37x8xf32>
  %wv = stablehlo.convert %v : (tensor<2x2x37x6xf8E5M2>) -> tensor<2x2x37x6xf32>
  %bv = stablehlo.broadcast_in_dim %wv, dims = [0, 1, 3, 4] : (tensor<2x2x37x6xf32>) -> tensor<2x2x2x37x6xf32>
  %hv = stablehlo.reshape %bv : (tensor<2x2x2x37x6xf32>) -> tensor<2x4x37x6xf32>
  %s = stablehlo.dot_general %wq, %hk, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x5x8xf32>, tensor<2x4x37x8xf32>) -> tensor<2x4x5x37xf32>
  %t = stablehlo.multiply %s, %half : tensor<2x4x5x37xf32>
  %wm = stablehlo.convert %m : (tensor<5x37xf8E5M2>) -> tensor<5x37xf32>
  %bm = stablehlo.broadcast_in_dim %wm, dims = [2, 3] : (tensor<5x37xf32>) -> tensor<2x4x5x37xf32>
  %x = stablehlo.add %t, %bm : tensor<2x4x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x5x37xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<2x4x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<2x4x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x5x37xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<2x4x5x37xf32>
  %r = stablehlo.dot_general %p, %hv, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x5x37xf32>, tensor<2x4x37x6xf32>) -> tensor<2x4x5x6xf32>
  return %r : tensor<2x4x5x6xf32>
}

//--- rounded.mlir
// The sums of f32 are rounded to f8.
func.func @main(%q: tensor<2x4x5x8xf8E5M2>, %k: tensor<2x2x37x8xf8E5M2>, %v: tensor<2x2x37x6xf8E5M2>) -> tensor<2x4x5x6xf8E4M3FN> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {scale = 0.5 : f32, accumulator = f32}, decomposition = @attention} : (tensor<2x4x5x8xf8E5M2>, tensor<2x2x37x8xf8E5M2>, tensor<2x2x37x6xf8E5M2>) -> tensor<2x4x5x6xf8E4M3FN>
  return %0 : tensor<2x4x5x6xf8E4M3FN>
}
func.func private @attention(%q: tensor<2x4x5x8xf8E5M2>, %k: tensor<2x2x37x8xf8E5M2>, %v: tensor<2x2x37x6xf8E5M2>) -> tensor<2x4x5x6xf8E4M3FN> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<2x4x5x37xf32>
  %wq = stablehlo.convert %q : (tensor<2x4x5x8xf8E5M2>) -> tensor<2x4x5x8xf32>
  %wk = stablehlo.convert %k : (tensor<2x2x37x8xf8E5M2>) -> tensor<2x2x37x8xf32>
  %bk = stablehlo.broadcast_in_dim %wk, dims = [0, 1, 3, 4] : (tensor<2x2x37x8xf32>) -> tensor<2x2x2x37x8xf32>
  %hk = stablehlo.reshape %bk : (tensor<2x2x2x37x8xf32>) -> tensor<2x4x37x8xf32>
  %wv = stablehlo.convert %v : (tensor<2x2x37x6xf8E5M2>) -> tensor<2x2x37x6xf32>
  %bv = stablehlo.broadcast_in_dim %wv, dims = [0, 1, 3, 4] : (tensor<2x2x37x6xf32>) -> tensor<2x2x2x37x6xf32>
  %hv = stablehlo.reshape %bv : (tensor<2x2x2x37x6xf32>) -> tensor<2x4x37x6xf32>
  %s = stablehlo.dot_general %wq, %hk, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x5x8xf32>, tensor<2x4x37x8xf32>) -> tensor<2x4x5x37xf32>
  %t = stablehlo.multiply %s, %half : tensor<2x4x5x37xf32>
  %0 = stablehlo.reduce(%t init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x5x37xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x37xf32>
  %2 = stablehlo.subtract %t, %1 : tensor<2x4x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<2x4x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x5x37xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<2x4x5x37xf32>
  %r = stablehlo.dot_general %p, %hv, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x5x37xf32>, tensor<2x4x37x6xf32>) -> tensor<2x4x5x6xf32>
  %y = stablehlo.convert %r : (tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf8E4M3FN>
  return %y : tensor<2x4x5x6xf8E4M3FN>
}

//--- widened.mlir
// Converted before they are multiplied.
func.func @main(%q: tensor<3x5x8xf8E4M3FN>, %k: tensor<3x37x8xf8E4M3FN>, %v: tensor<3x37x6xf8E4M3FN>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wq = stablehlo.convert %q : (tensor<3x5x8xf8E4M3FN>) -> tensor<3x5x8xf32>
  %wk = stablehlo.convert %k : (tensor<3x37x8xf8E4M3FN>) -> tensor<3x37x8xf32>
  %wv = stablehlo.convert %v : (tensor<3x37x6xf8E4M3FN>) -> tensor<3x37x6xf32>
  %s = stablehlo.dot_general %wq, %wk, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf32>, tensor<3x37x8xf32>) -> tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %wv, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- widened-masked.mlir
func.func @main(%q: tensor<3x5x8xf8E5M2>, %k: tensor<3x37x8xf8E5M2>, %v: tensor<3x37x6xf8E4M3FN>, %m: tensor<3x5x37xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wq = stablehlo.convert %q : (tensor<3x5x8xf8E5M2>) -> tensor<3x5x8xf32>
  %wk = stablehlo.convert %k : (tensor<3x37x8xf8E5M2>) -> tensor<3x37x8xf32>
  %wv = stablehlo.convert %v : (tensor<3x37x6xf8E4M3FN>) -> tensor<3x37x6xf32>
  %s = stablehlo.dot_general %wq, %wk, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf32>, tensor<3x37x8xf32>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %wv, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- scores.mlir
// Queries and keys of f8, scores and values of f32.
func.func @main(%q: tensor<3x5x8xf8E4M3FN>, %k: tensor<3x37x8xf8E4M3FN>, %v: tensor<3x37x6xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf8E4M3FN>, tensor<3x37x8xf8E4M3FN>) -> tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- scores-masked.mlir
func.func @main(%q: tensor<3x5x8xf8E5M2>, %k: tensor<3x37x8xf8E5M2>, %v: tensor<3x37x6xf32>, %m: tensor<3x5x37xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf8E5M2>, tensor<3x37x8xf8E5M2>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf32>, tensor<3x37x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- weights.mlir
// Weights that are rounded to f8 to be multiplied by values of f8.
func.func @main(%q: tensor<3x5x8xf8E4M3FN>, %k: tensor<3x37x8xf8E4M3FN>, %v: tensor<3x37x6xf8E5M2>, %m: tensor<3x5x37xf32>) -> tensor<3x5x6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf8E4M3FN>, tensor<3x37x8xf8E4M3FN>) -> tensor<3x5x37xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x37xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf32>
  %w = stablehlo.convert %p : (tensor<3x5x37xf32>) -> tensor<3x5x37xf8E5M2>
  %r = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf8E5M2>, tensor<3x37x6xf8E5M2>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}

//--- whole.mlir
// All of f8: with an infinity, and without one, which scores that do not count would need.
func.func @main(%q: tensor<3x5x8xf8E5M2>, %k: tensor<3x37x8xf8E5M2>, %v: tensor<3x37x6xf8E5M2>, %m: tensor<3x5x37xf8E5M2>) -> tensor<3x5x6xf8E5M2> {
  %lowest = stablehlo.constant dense<0xFC> : tensor<f8E5M2>
  %zero = stablehlo.constant dense<0.0> : tensor<f8E5M2>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf8E5M2>, tensor<3x37x8xf8E5M2>) -> tensor<3x5x37xf8E5M2>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf8E5M2>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf8E5M2>, tensor<f8E5M2>) -> tensor<3x5xf8E5M2>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf8E5M2>) -> tensor<3x5x37xf8E5M2>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf8E5M2>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf8E5M2>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf8E5M2>, tensor<f8E5M2>) -> tensor<3x5xf8E5M2>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf8E5M2>) -> tensor<3x5x37xf8E5M2>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf8E5M2>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf8E5M2>, tensor<3x37x6xf8E5M2>) -> tensor<3x5x6xf8E5M2>
  return %r : tensor<3x5x6xf8E5M2>
}

//--- whole-finite.mlir
func.func @main(%q: tensor<3x5x8xf8E4M3FN>, %k: tensor<3x37x8xf8E4M3FN>, %v: tensor<3x37x6xf8E4M3FN>, %m: tensor<3x5x37xf8E4M3FN>) -> tensor<3x5x6xf8E4M3FN> {
  %lowest = stablehlo.constant dense<-448.0> : tensor<f8E4M3FN>
  %zero = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xf8E4M3FN>, tensor<3x37x8xf8E4M3FN>) -> tensor<3x5x37xf8E4M3FN>
  %x = stablehlo.add %s, %m : tensor<3x5x37xf8E4M3FN>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x37xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3x5xf8E4M3FN>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf8E4M3FN>) -> tensor<3x5x37xf8E4M3FN>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x37xf8E4M3FN>
  %3 = stablehlo.exponential %2 : tensor<3x5x37xf8E4M3FN>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x37xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3x5xf8E4M3FN>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf8E4M3FN>) -> tensor<3x5x37xf8E4M3FN>
  %p = stablehlo.divide %3, %5 : tensor<3x5x37xf8E4M3FN>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x37xf8E4M3FN>, tensor<3x37x6xf8E4M3FN>) -> tensor<3x5x6xf8E4M3FN>
  return %r : tensor<3x5x6xf8E4M3FN>
}
