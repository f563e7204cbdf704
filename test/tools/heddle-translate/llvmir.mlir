// RUN: heddle-translate --mlir-to-llvmir %s | FileCheck %s

// CHECK: define i32 @add(i32 %[[A:.*]], i32 %[[B:.*]])
// CHECK: add i32 %[[A]], %[[B]]
llvm.func @add(%a: i32, %b: i32) -> i32 {
  %0 = llvm.add %a, %b : i32
  llvm.return %0 : i32
}
