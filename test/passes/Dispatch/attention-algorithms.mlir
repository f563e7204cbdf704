// What a model asks of attention's two products: the root says it of each. A processor's kernel multiplies operands as they are, whatever is asked. Another
// target has a kernel that rounds to tf32 too: it takes what asks for that of both products.

// RUN: heddle-opt %s --heddle-lower -o %t.lower.mlir
// RUN: heddle-opt %t.lower.mlir --heddle-assign-target="target=x86-64-v3 spelled" -o %t.spelled.mlir
// RUN: heddle-opt %t.spelled.mlir --heddle-select-composites | FileCheck %s --check-prefix=ROOTS
// RUN: heddle-opt %t.spelled.mlir --heddle-dispatch | FileCheck %s --check-prefix=CPU
// RUN: sed -e 's/"attention f32 f32 f32"/"attention f32 f32 f32", "attention f32 f32 f32 tf32"/' %t.spelled.mlir > %t.other.mlir
// RUN: heddle-opt %t.other.mlir --heddle-dispatch | FileCheck %s --check-prefix=OTHER

// A target that only rounds has no kernel for the others.
// RUN: sed -e 's/"attention f32 f32 f32"/"attention f32 f32 f32 tf32"/' %t.spelled.mlir > %t.rounding.mlir
// RUN: heddle-opt %t.rounding.mlir --heddle-dispatch | FileCheck %s --check-prefix=ROUNDING

// ROOTS: func.func @main
// ROOTS: kernel.attention {{.*}}score_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, {{.*}}value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32
// ROOTS: kernel.attention
// ROOTS-NOT: value_algorithm
// ROOTS-SAME: score_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32
// ROOTS-NOT: value_algorithm
// ROOTS: kernel.attention {{.*}}score_precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>], value_precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
// ROOTS-NOT: precision
// ROOTS-COUNT-2: kernel.attention
// ROOTS-NOT: kernel.contract

// One kernel for all of them.
// CPU: func.func private @k0
// CPU-NOT: algorithm
// CPU-NOT: precision
// CPU-NOT: func.func private @k1
// CPU: func.func @main
// CPU-COUNT-5: kernel.launch @k0

// Scores alone in tf32 are as good exactly. Where three products ask for something, nobody knows which of them are the root's two.
// OTHER: func.func private @k0
// OTHER: kernel.attention {{.*}}score_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, {{.*}}value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32
// OTHER: func.func private @k1
// OTHER-NOT: algorithm
// OTHER-NOT: precision
// OTHER: kernel.attention
// OTHER-NOT: algorithm
// OTHER-NOT: precision
// OTHER: func.func private @k2
// OTHER: kernel.attention {{.*}}score_precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>], value_precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
// OTHER-NOT: kernel.attention
// OTHER: func.func @main
// OTHER: kernel.launch @k0
// OTHER: kernel.launch @k1
// OTHER: kernel.launch @k2
// OTHER: kernel.launch @k1

// ROUNDING: func.func private @k0
// ROUNDING: kernel.attention {{.*}}score_algorithm = {{.*}}value_algorithm =
// ROUNDING-NOT: kernel.attention
// ROUNDING: func.func @main
// ROUNDING: kernel.launch @k0
// ROUNDING-NOT: kernel.launch @k0
func.func @main(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> (tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>) {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @rounded} : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %1 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @scores_rounded} : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %2 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @exact} : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %3 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @plain} : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %4 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @squared} : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %0, %1, %2, %3, %4 : tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>, tensor<3x5x6xf32>
}

func.func private @rounded(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x5x4xf32>, tensor<3x7x4xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.exponential %0 : tensor<3x5x7xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %2 : tensor<3x5x6xf32>
}

func.func private @scores_rounded(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x5x4xf32>, tensor<3x7x4xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.exponential %0 : tensor<3x5x7xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %2 : tensor<3x5x6xf32>
}

func.func private @exact(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, DEFAULT] : (tensor<3x5x4xf32>, tensor<3x7x4xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.exponential %0 : tensor<3x5x7xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %2 : tensor<3x5x6xf32>
}

func.func private @plain(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x7x4xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.exponential %0 : tensor<3x5x7xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %2 : tensor<3x5x6xf32>
}

func.func private @squared(%q: tensor<3x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<3x5x4xf32>, tensor<3x7x4xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.exponential %0 : tensor<3x5x7xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %3 = stablehlo.dot_general %2, %2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x6xf32>, tensor<3x5x6xf32>) -> tensor<3x5x5xf32>
  %4 = stablehlo.dot_general %3, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %4 : tensor<3x5x6xf32>
}
