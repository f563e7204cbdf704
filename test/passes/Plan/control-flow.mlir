// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// What a loop carries has one buffer, which the result keeps: the kernel that
// allows it writes over what it reads, the update reaches one slice, and no
// copy is left but that of the caller's input.
func.func private @less(tensor<i32>) -> tensor<i1> attributes {kernel.entry}
func.func private @next(tensor<i32> {kernel.in_place = 0 : i64}) -> tensor<i32> attributes {kernel.entry}
func.func private @zero() -> tensor<i32> attributes {kernel.entry}
func.func private @update(tensor<64x8xf32> {kernel.tied = 0 : i64}, tensor<i32>) -> tensor<64x8xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[X:.*]] = plan.buffer input 0
// CHECK: %[[I:.*]] = plan.buffer arena {{.*}} size 4
// CHECK: %[[Y:.*]] = plan.buffer output 0
// CHECK: %[[P:.*]] = plan.buffer arena {{.*}} size 1
// CHECK-NEXT: plan.launch @zero reads() writes(%[[I]])
// CHECK-NEXT: plan.copy %[[X]] to %[[Y]]
// CHECK-NEXT: plan.loop condition {
// CHECK-NEXT: plan.launch @less reads(%[[I]]) writes(%[[P]])
// CHECK-NEXT: } while %[[P]] do {
// CHECK-NEXT: plan.launch @update reads(%[[Y]], %[[I]]) writes(%[[Y]])
// CHECK-NEXT: plan.launch @next reads(%[[I]]) writes(%[[I]])
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @main(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %c0 = kernel.launch @zero() : () -> tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %c = %x) : tensor<i32>, tensor<64x8xf32>
   cond {
    %p = kernel.launch @less(%i) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = kernel.launch @update(%c, %i) : (tensor<64x8xf32>, tensor<i32>) -> tensor<64x8xf32>
    %2 = kernel.launch @next(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<64x8xf32>
  }
  return %0#1 : tensor<64x8xf32>
}

// -----

// Two that change places need a third.
func.func private @test(tensor<4xf32>) -> tensor<i1> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: } while %{{.*}} do {
// CHECK-NEXT: plan.copy %[[A:.*]] to %[[T:.*]] nodes
// CHECK-NEXT: plan.copy %[[B:.*]] to %[[A]] nodes
// CHECK-NEXT: plan.copy %[[T]] to %[[B]] nodes
// CHECK-NEXT: }
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<4xf32>, tensor<4xf32>
   cond {
    %p = kernel.launch @test(%a) : (tensor<4xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is used in a loop and made before it keeps its place to the loop's end:
// nothing in the loop may lie there, while temporaries of one round share.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @test(tensor<64xf32>) -> tensor<i1> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main arena 768
// CHECK: plan.buffer arena [[C:.*]] size 256
// CHECK-NOT: plan.buffer arena [[C]] size 256
// CHECK: plan.loop
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %0 = stablehlo.while(%a = %x) : tensor<64xf32>
   cond {
    %p = kernel.launch @test(%a) : (tensor<64xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = kernel.launch @two(%a, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %2 = kernel.launch @k(%1) : (tensor<64xf32>) -> tensor<64xf32>
    %3 = kernel.launch @k(%2) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %3 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// A branch writes its result where the program wants it; what lives on is
// copied. The false branch is number 0.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[P:.*]] = plan.buffer input 0 size 1
// CHECK: %[[X:.*]] = plan.buffer input 1
// CHECK: %[[Y:.*]] = plan.buffer output 0
// CHECK: plan.branch %[[P]] cases {
// CHECK-NEXT: plan.copy %[[X]] to %[[Y]]
// CHECK-NEXT: }, {
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[Y]])
// CHECK-NEXT: }
func.func @main(%p: tensor<i1>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = kernel.launch @k(%x) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %1 : tensor<64xf32>
  }, {
    stablehlo.return %x : tensor<64xf32>
  }) : (tensor<i1>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Who reads the old value goes first, with what it needs: no copy of it.
func.func private @less(tensor<i32>) -> tensor<i1> attributes {kernel.entry}
func.func private @sum(tensor<64x8xf32>, tensor<i32>) -> tensor<i32> attributes {kernel.entry}
func.func private @next(tensor<i32>) -> tensor<i32> attributes {kernel.entry}
func.func private @update(tensor<64x8xf32> {kernel.tied = 0 : i64}, tensor<i32>) -> tensor<64x8xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: } while %{{.*}} do {
// CHECK-NEXT: plan.launch @next
// CHECK-NEXT: plan.launch @sum reads(%[[Y:.*]], %{{.*}})
// CHECK-NEXT: plan.launch @update reads(%[[Y]], %{{.*}}) writes(%[[Y]])
// CHECK-NOT: plan.copy %{{.*}} to %[[Y]]
// CHECK: nodes
func.func @main(%x: tensor<64x8xf32>, %n: tensor<i32>) -> (tensor<64x8xf32>, tensor<i32>) {
  %0:2 = stablehlo.while(%i = %n, %c = %x) : tensor<i32>, tensor<64x8xf32>
   cond {
    %p = kernel.launch @less(%i) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = kernel.launch @update(%c, %i) : (tensor<64x8xf32>, tensor<i32>) -> tensor<64x8xf32>
    %2 = kernel.launch @next(%i) : (tensor<i32>) -> tensor<i32>
    %3 = kernel.launch @sum(%c, %2) : (tensor<64x8xf32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %3, %1 : tensor<i32>, tensor<64x8xf32>
  }
  return %0#1, %0#0 : tensor<64x8xf32>, tensor<i32>
}

// -----

// What each round of an inner loop reads anew may not be written over in one:
// neither what is made before the loop nor what it only hands on.
func.func private @k(tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @over(tensor<64xf32> {kernel.in_place = 0 : i64}) -> tensor<64xf32> attributes {kernel.entry}
func.func private @two(tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry}
func.func private @test(tensor<64xf32>) -> tensor<i1> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: plan.launch @k reads(%{{.*}}) writes(%[[C:[^)]*]])
// CHECK-NOT: writes(%[[C]])
// CHECK: plan.launch @two
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<64xf32>
   cond {
    %p = kernel.launch @test(%a) : (tensor<64xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = kernel.launch @k(%y) : (tensor<64xf32>) -> tensor<64xf32>
    %1:2 = stablehlo.while(%d = %a, %e = %c) : tensor<64xf32>, tensor<64xf32>
     cond {
      %p = kernel.launch @test(%d) : (tensor<64xf32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = kernel.launch @over(%e) : (tensor<64xf32>) -> tensor<64xf32>
      %3 = kernel.launch @over(%2) : (tensor<64xf32>) -> tensor<64xf32>
      %4 = kernel.launch @two(%d, %3) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      stablehlo.return %4, %e : tensor<64xf32>, tensor<64xf32>
    }
    stablehlo.return %1#0 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
