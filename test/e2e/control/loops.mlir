// Loops and branches in compiled programs, each compared with the interpreter.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare count.mlir --input 0=10
// RUN: heddle compare count.mlir --input 0=0
// RUN: heddle compare swap.mlir --input 2=7
// RUN: heddle compare swap.mlir --input 2=0
// RUN: heddle compare rotate.mlir --input 2=5
// RUN: heddle compare twice.mlir
// RUN: heddle compare nested.mlir --input 1=3 --input 2=4
// RUN: heddle compare captured.mlir --input 0=0
// RUN: heddle compare captured.mlir --input 0=1
// RUN: heddle compare cases.mlir --input 0=0
// RUN: heddle compare cases.mlir --input 0=1
// RUN: heddle compare cases.mlir --input 0=7
// RUN: heddle compare cases.mlir --input 0=-1
// RUN: heddle compare carried-flag.mlir
// RUN: heddle compare weights.mlir
// RUN: heddle compare tuples.mlir --input 0=6
// RUN: heddle compare unsigned.mlir
// RUN: heddle compare empty.mlir --input 1=3
// RUN: heddle compile count.mlir -o count.heddle
// RUN: heddle run count.heddle --input 0=10 | FileCheck %s
// CHECK: out0: i32 scalar, from 10 to 10

//--- count.mlir
func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %f = stablehlo.constant dense<1.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %c0, %x = %f) : tensor<i32>, tensor<f32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<1.5> : tensor<f32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %x, %half : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
}

//--- swap.mlir
// What is carried changes places, and the inputs stay as they are.
func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>, %n: tensor<i32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %x = %a, %y = %b) : tensor<i32>, tensor<5xf32>, tensor<5xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %y, %x : tensor<i32>, tensor<5xf32>, tensor<5xf32>
  }
  %s = stablehlo.add %a, %0#1 : tensor<5xf32>
  return %0#1, %0#2, %s : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

//--- rotate.mlir
// A circle of three, a value that is read by two, and one that begins as another does.
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:5 = stablehlo.while(%i = %c0, %x = %a, %y = %b, %z = %b, %u = %a)
      : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %1, %y, %z, %2, %x : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#1, %0#2, %0#3, %0#4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

//--- twice.mlir
// One value becomes two carried ones.
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %x = %a, %y = %a) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %1, %2, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}

//--- nested.mlir
// A loop in a loop, a loop in a branch of it.
func.func @main(%a: tensor<6xf32>, %n: tensor<i32>, %m: tensor<i32>) -> tensor<6xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<6xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%j = %c0, %y = %x) : tensor<i32>, tensor<6xf32>
     cond {
      %p = stablehlo.compare LT, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %1 = stablehlo.add %y, %g : tensor<6xf32>
      %2 = stablehlo.add %1, %x : tensor<6xf32>
      %3 = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<6xf32>
    }
    %odd = stablehlo.and %i, %one : tensor<i32>
    %p = stablehlo.compare EQ, %odd, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %w:2 = stablehlo.while(%j = %c0, %y = %q#1) : tensor<i32>, tensor<6xf32>
       cond {
        %p2 = stablehlo.compare LE, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p2 : tensor<i1>
      } do {
        %half = stablehlo.constant dense<0.5> : tensor<6xf32>
        %1 = stablehlo.multiply %y, %half : tensor<6xf32>
        %2 = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %2, %1 : tensor<i32>, tensor<6xf32>
      }
      stablehlo.return %w#1 : tensor<6xf32>
    }, {
      stablehlo.return %q#1 : tensor<6xf32>
    }) : (tensor<i1>) -> tensor<6xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r : tensor<i32>, tensor<6xf32>
  }
  return %0#1 : tensor<6xf32>
}

//--- captured.mlir
// Branches that return inputs, each other's values and constants.
func.func @main(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = stablehlo.sine %a : tensor<4xf32>
  %0:3 = "stablehlo.if"(%p) ({
    stablehlo.return %a, %s, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }, {
    %1 = stablehlo.add %s, %b : tensor<4xf32>
    stablehlo.return %b, %1, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//--- cases.mlir
// An index that names no branch takes the last one.
func.func @main(%i: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    %1 = stablehlo.add %a, %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- carried-flag.mlir
// The condition is a carried value itself; the loop's input is a weight.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %limit = stablehlo.constant dense<50.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %abs = stablehlo.abs %a : tensor<4xf32>
  %0:2 = stablehlo.while(%p = %t, %x = %w) : tensor<i1>, tensor<4xf32>
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %x, %abs : tensor<4xf32>
    %2 = stablehlo.add %1, %w : tensor<4xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.compare LT, %3, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4, %2 : tensor<i1>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

//--- weights.mlir
// A weight that is carried along unchanged is packed, and read in the loop.
func.func @main(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.iota dim = 0 : tensor<16x16xf32>
  %row = stablehlo.constant dense<[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 16.]> : tensor<16xf32>
  %b = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %scale = stablehlo.constant dense<0.01> : tensor<16x16xf32>
  %kb = stablehlo.add %k, %b : tensor<16x16xf32>
  %w = stablehlo.multiply %kb, %scale : tensor<16x16xf32>
  %0:3 = stablehlo.while(%i = %c0, %x = %a, %u = %w) : tensor<i32>, tensor<2x16xf32>, tensor<16x16xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<2x16xf32>, tensor<16x16xf32>) -> tensor<2x16xf32>
    %3 = stablehlo.tanh %2 : tensor<2x16xf32>
    stablehlo.return %1, %3, %u : tensor<i32>, tensor<2x16xf32>, tensor<16x16xf32>
  }
  return %0#1 : tensor<2x16xf32>
}

//--- tuples.mlir
// Tuples and tokens around loops and branches are only a way of writing.
func.func private @step(%t: tuple<tensor<i32>, tensor<f32>>) -> tuple<tensor<i32>, tensor<f32>> {
  %i = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<i32>
  %x = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %y = stablehlo.add %x, %x : tensor<f32>
  %b:2 = stablehlo.optimization_barrier %j, %y : tensor<i32>, tensor<f32>
  %r = stablehlo.tuple %b#0, %b#1 : tuple<tensor<i32>, tensor<f32>>
  return %r : tuple<tensor<i32>, tensor<f32>>
}
func.func @main(%n: tensor<i32>) -> tensor<f32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %f = stablehlo.constant dense<1.0> : tensor<f32>
  %start = stablehlo.tuple %c0, %f : tuple<tensor<i32>, tensor<f32>>
  %token = stablehlo.after_all : !stablehlo.token
  %0:2 = "stablehlo.while"(%start, %token) ({
  ^bb0(%s: tuple<tensor<i32>, tensor<f32>>, %k: !stablehlo.token):
    %i = stablehlo.get_tuple_element %s[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%s: tuple<tensor<i32>, tensor<f32>>, %k: !stablehlo.token):
    %1 = func.call @step(%s) : (tuple<tensor<i32>, tensor<f32>>) -> tuple<tensor<i32>, tensor<f32>>
    %2 = stablehlo.after_all %k : !stablehlo.token
    stablehlo.return %1, %2 : tuple<tensor<i32>, tensor<f32>>, !stablehlo.token
  }) : (tuple<tensor<i32>, tensor<f32>>, !stablehlo.token) -> (tuple<tensor<i32>, tensor<f32>>, !stablehlo.token)
  %x = stablehlo.get_tuple_element %0#0[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  %limit = stablehlo.constant dense<20.0> : tensor<f32>
  %p = stablehlo.compare LT, %x, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %t = "stablehlo.if"(%p) ({
    %r = stablehlo.tuple %x, %0#1 : tuple<tensor<f32>, !stablehlo.token>
    stablehlo.return %r : tuple<tensor<f32>, !stablehlo.token>
  }, {
    %h = stablehlo.negate %x : tensor<f32>
    %r = stablehlo.tuple %h, %0#1 : tuple<tensor<f32>, !stablehlo.token>
    stablehlo.return %r : tuple<tensor<f32>, !stablehlo.token>
  }) : (tensor<i1>) -> tuple<tensor<f32>, !stablehlo.token>
  %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, !stablehlo.token>) -> tensor<f32>
  return %y : tensor<f32>
}

//--- unsigned.mlir
// The signs of types are in the ops.
func.func @main(%a: tensor<4xui8>) -> tensor<4xui8> {
  %c0 = stablehlo.constant dense<0> : tensor<ui8>
  %n = stablehlo.constant dense<200> : tensor<ui8>
  %step = stablehlo.constant dense<50> : tensor<ui8>
  %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<ui8>, tensor<4xui8>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %step : tensor<ui8>
    %2 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<ui8>) -> tensor<4xui8>
    %3 = stablehlo.maximum %x, %2 : tensor<4xui8>
    stablehlo.return %1, %3 : tensor<ui8>, tensor<4xui8>
  }
  return %0#1 : tensor<4xui8>
}

//--- empty.mlir
// Tensors without elements are carried, too.
func.func @main(%a: tensor<0x3xf32>, %n: tensor<i32>) -> (tensor<0x3xf32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<0x3xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %x : tensor<0x3xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<0x3xf32>
  }
  return %0#1, %0#0 : tensor<0x3xf32>, tensor<i32>
}
