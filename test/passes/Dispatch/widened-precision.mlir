// A target that takes no f16 multiplies f32, and has a kernel that rounds these to tf32: what the model asks of the f16 product is asked of the f32 one.

// RUN: heddle-opt %s --heddle-lower --heddle-assign-target="target=x86-64-v3 spelled" -o %t.spelled.mlir
// RUN: sed -e 's/"contraction f16 f16 f32"/"contraction f32 f32 f32 tf32"/' %t.spelled.mlir > %t.other.mlir
// RUN: heddle-opt %t.other.mlir --heddle-dispatch | FileCheck %s

// CHECK: kernel.contract {{.*}}precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]{{.*}} : tensor<8x64xf32>, tensor<
func.func @main(%x: tensor<8x64xf16>, %w: tensor<64x8xf16>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf16>, tensor<64x8xf16>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
