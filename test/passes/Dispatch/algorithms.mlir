// What a model asks of products, for a processor, whose kernels multiply operands as they are, and for a target that has kernels for tf32 and for three
// products of bf16 too.

// RUN: heddle-opt %s --heddle-lower -o %t.lower.mlir
// RUN: heddle-opt %t.lower.mlir --heddle-dispatch=target=x86-64-v3 | FileCheck %s --check-prefix=CPU
// RUN: heddle-opt %t.lower.mlir --heddle-assign-target="target=x86-64-v3 spelled" -o %t.spelled.mlir
// RUN: sed -e 's/"contraction f16 f16 f32"/"contraction f32 f32 f32 tf32", "contraction f32 f32 f32 bf16x3"/' %t.spelled.mlir > %t.other.mlir
// RUN: heddle-opt %t.other.mlir --heddle-dispatch | FileCheck %s --check-prefix=OTHER

// Other words are no products that a kernel could name.
// RUN: sed -e 's/"contraction f16 f16 f32"/"contraction f32 f32 f32 bf16x1"/' %t.spelled.mlir > %t.wrong.mlir
// RUN: not heddle-opt %t.wrong.mlir --heddle-dispatch 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}heddle.target

// One kernel for all of them: the most exact product is that of the operands.
// CPU: func.func private @k0
// CPU-NOT: algorithm
// CPU-NOT: precision
// CPU-NOT: func.func private @k1
// CPU: func.func @main
// CPU-COUNT-6: kernel.launch @k0

// A kernel for each that is asked for and there is. Nine products are more than any kernel has: they are exact, as are those of which nothing is said.
// OTHER: func.func private @k0
// OTHER: kernel.contract {{.*}} {{[{]}}algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32
// OTHER: func.func private @k1
// OTHER: kernel.contract {{.*}} {{[{]}}algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, {{.*}}num_primitive_operations = 3
// OTHER: func.func private @k2
// OTHER-NOT: algorithm
// OTHER: kernel.contract {{.*}} {extents = {{.*}}iterator_types = [{{[^]]*}}]} :
// OTHER: func.func private @k3
// OTHER: kernel.contract {{.*}} {extents = {{.*}}precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]
// OTHER: func.func @main
// OTHER: kernel.launch @k0
// OTHER: kernel.launch @k1
// OTHER: kernel.launch @k2
// OTHER: kernel.launch @k2
// OTHER: kernel.launch @k3
// OTHER: kernel.launch @k0
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 9, allow_imprecise_accumulation = false> : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
