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

// The logistic function is one quotient, corrected where there are fused
// operations, with one exponential of its own.
// CHECK-LABEL: func.func @logistic
// CHECK-NOT: math.exp
// CHECK: %[[QUOTIENT:.*]] = arith.divf
// CHECK-NOT: arith.divf
// CHECK: math.fma %[[QUOTIENT]], %{{.*}}, %[[QUOTIENT]] : vector<16xf32>
// CHECK: return
func.func @logistic(%x: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %size = math.absf %x : vector<16xf32>
  %minus = arith.negf %size : vector<16xf32>
  %e = math.exp %minus : vector<16xf32>
  %negative = arith.cmpf olt, %x, %zero : vector<16xf32>
  %top = arith.select %negative, %e, %one : vector<16xi1>, vector<16xf32>
  %bottom = arith.addf %one, %e : vector<16xf32>
  %0 = arith.divf %top, %bottom : vector<16xf32>
  return %0 : vector<16xf32>
}

// Another quotient is left alone.
// CHECK-LABEL: func.func @not_logistic
// CHECK: %[[QUOTIENT:.*]] = arith.divf
// CHECK-NEXT: return %[[QUOTIENT]] : f32
func.func @not_logistic(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %size = math.absf %x : f32
  %minus = arith.negf %size : f32
  %e = math.exp %minus : f32
  %negative = arith.cmpf ogt, %x, %zero : f32
  %top = arith.select %negative, %e, %one : f32
  %bottom = arith.addf %one, %e : f32
  %0 = arith.divf %top, %bottom : f32
  return %0 : f32
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
