// RUN: heddle-opt %s --heddle-expand-math | FileCheck %s
// RUN: heddle-opt %s --heddle-expand-math=fma=false | FileCheck %s --check-prefix=NOFMA

// NOFMA-NOT: math.fma

// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: arith.shli {{.*}} : vector<16xi32>
// CHECK: return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Seldom needed: in f64, rounded.
// CHECK-LABEL: func.func @atan
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK-NOT: math.atan
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @atan(%x: f32) -> f32 {
  %0 = math.atan %x : f32
  return %0 : f32
}

// 16-bit floats compute in f32 and round after each operation; bf16 by integers.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[Y:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: arith.bitcast %[[S]] : f32 to i32
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: return
func.func @narrow(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.addf %x, %y : bf16
  return %0 : bf16
}

// A maximum with a constant is one comparison: 0 is larger than -0, NaN stays.
// CHECK-LABEL: func.func @maximum
// CHECK-COUNT-1: arith.cmpf ole, %{{.*}}, %[[ZERO:.*]] : f32
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @maximum(%x: f32) -> f32 {
  %c = arith.constant 0.0 : f32
  %0 = arith.maximumf %x, %c : f32
  return %0 : f32
}

// Without it the sign bits of zeros and NaN take two more.
// CHECK-LABEL: func.func @minimum
// CHECK-COUNT-2: arith.cmpf olt
// CHECK: arith.ori
// CHECK: arith.cmpf uno
// CHECK: return
func.func @minimum(%x: f32, %y: f32) -> f32 {
  %0 = arith.minimumf %x, %y : f32
  return %0 : f32
}

// What every processor does stays.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.absf
// CHECK-NEXT: return
func.func @stays(%x: f64) -> f64 {
  %0 = math.sqrt %x : f64
  %1 = math.absf %0 : f64
  return %1 : f64
}
