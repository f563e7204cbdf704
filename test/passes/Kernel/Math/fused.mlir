// A multiply-add that may be rounded twice is a product and a sum where there is no instruction for it; one that may not stays one
// everywhere.
// RUN: heddle-opt %s --heddle-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: heddle-opt %s --heddle-expand-math=fma=false | FileCheck %s --check-prefixes=CHECK,NONE

// CHECK-LABEL: @may_round_twice
// FMA: math.fma %arg0, %arg1, %arg2 : vector<16xf32>
// NONE-NOT: math.fma
// NONE: %[[PRODUCT:.*]] = arith.mulf %arg0, %arg1
// NONE: arith.addf %[[PRODUCT]], %arg2
// NONE-NOT: math.fma
func.func @may_round_twice(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<16xf32>) -> vector<16xf32> {
  %0 = math.fma %a, %b, %c fastmath<contract> : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: @rounds_once
// CHECK-NEXT: math.fma %arg0, %arg1, %arg2 : vector<16xf32>
// CHECK-NEXT: return
func.func @rounds_once(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<16xf32>) -> vector<16xf32> {
  %0 = math.fma %a, %b, %c : vector<16xf32>
  return %0 : vector<16xf32>
}
