// reduce_precision of floats of a byte or less, compiled against interpreted: every code of each format, by formats with less of the mantissa, of
// the exponent, of both and of none.
// RUN: heddle compare -q --stages %s | FileCheck %s
// CHECK: compiled for
// CHECK-NOT: WRONG
// CHECK: the program computes the same up to heddle-dispatch
func.func @main(%x: tensor<ui8>) -> (tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %first = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %first : tensor<256xui8>
  %f8E5M2 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %r0 = stablehlo.reduce_precision %f8E5M2, format = e5m1 : tensor<256xf8E5M2>
  %o0 = stablehlo.bitcast_convert %r0 : (tensor<256xf8E5M2>) -> tensor<256xui8>
  %r1 = stablehlo.reduce_precision %f8E5M2, format = e4m2 : tensor<256xf8E5M2>
  %o1 = stablehlo.bitcast_convert %r1 : (tensor<256xf8E5M2>) -> tensor<256xui8>
  %r2 = stablehlo.reduce_precision %f8E5M2, format = e2m0 : tensor<256xf8E5M2>
  %o2 = stablehlo.bitcast_convert %r2 : (tensor<256xf8E5M2>) -> tensor<256xui8>
  %r3 = stablehlo.reduce_precision %f8E5M2, format = e8m0 : tensor<256xf8E5M2>
  %o3 = stablehlo.bitcast_convert %r3 : (tensor<256xf8E5M2>) -> tensor<256xui8>
  %r4 = stablehlo.reduce_precision %f8E5M2, format = e1m1 : tensor<256xf8E5M2>
  %o4 = stablehlo.bitcast_convert %r4 : (tensor<256xf8E5M2>) -> tensor<256xui8>
  %f8E4M3 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %r5 = stablehlo.reduce_precision %f8E4M3, format = e4m2 : tensor<256xf8E4M3>
  %o5 = stablehlo.bitcast_convert %r5 : (tensor<256xf8E4M3>) -> tensor<256xui8>
  %r6 = stablehlo.reduce_precision %f8E4M3, format = e3m3 : tensor<256xf8E4M3>
  %o6 = stablehlo.bitcast_convert %r6 : (tensor<256xf8E4M3>) -> tensor<256xui8>
  %r7 = stablehlo.reduce_precision %f8E4M3, format = e2m1 : tensor<256xf8E4M3>
  %o7 = stablehlo.bitcast_convert %r7 : (tensor<256xf8E4M3>) -> tensor<256xui8>
  %r8 = stablehlo.reduce_precision %f8E4M3, format = e8m0 : tensor<256xf8E4M3>
  %o8 = stablehlo.bitcast_convert %r8 : (tensor<256xf8E4M3>) -> tensor<256xui8>
  %r9 = stablehlo.reduce_precision %f8E4M3, format = e1m3 : tensor<256xf8E4M3>
  %o9 = stablehlo.bitcast_convert %r9 : (tensor<256xf8E4M3>) -> tensor<256xui8>
  %f8E3M4 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %r10 = stablehlo.reduce_precision %f8E3M4, format = e3m2 : tensor<256xf8E3M4>
  %o10 = stablehlo.bitcast_convert %r10 : (tensor<256xf8E3M4>) -> tensor<256xui8>
  %r11 = stablehlo.reduce_precision %f8E3M4, format = e2m4 : tensor<256xf8E3M4>
  %o11 = stablehlo.bitcast_convert %r11 : (tensor<256xf8E3M4>) -> tensor<256xui8>
  %r12 = stablehlo.reduce_precision %f8E3M4, format = e2m1 : tensor<256xf8E3M4>
  %o12 = stablehlo.bitcast_convert %r12 : (tensor<256xf8E3M4>) -> tensor<256xui8>
  %r13 = stablehlo.reduce_precision %f8E3M4, format = e5m0 : tensor<256xf8E3M4>
  %o13 = stablehlo.bitcast_convert %r13 : (tensor<256xf8E3M4>) -> tensor<256xui8>
  %r14 = stablehlo.reduce_precision %f8E3M4, format = e1m1 : tensor<256xf8E3M4>
  %o14 = stablehlo.bitcast_convert %r14 : (tensor<256xf8E3M4>) -> tensor<256xui8>
  %f8E4M3FN = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %r15 = stablehlo.reduce_precision %f8E4M3FN, format = e4m2 : tensor<256xf8E4M3FN>
  %o15 = stablehlo.bitcast_convert %r15 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  %r16 = stablehlo.reduce_precision %f8E4M3FN, format = e4m1 : tensor<256xf8E4M3FN>
  %o16 = stablehlo.bitcast_convert %r16 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  %r17 = stablehlo.reduce_precision %f8E4M3FN, format = e3m3 : tensor<256xf8E4M3FN>
  %o17 = stablehlo.bitcast_convert %r17 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  %r18 = stablehlo.reduce_precision %f8E4M3FN, format = e2m1 : tensor<256xf8E4M3FN>
  %o18 = stablehlo.bitcast_convert %r18 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  %r19 = stablehlo.reduce_precision %f8E4M3FN, format = e8m0 : tensor<256xf8E4M3FN>
  %o19 = stablehlo.bitcast_convert %r19 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  %f8E4M3FNUZ = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %r20 = stablehlo.reduce_precision %f8E4M3FNUZ, format = e4m2 : tensor<256xf8E4M3FNUZ>
  %o20 = stablehlo.bitcast_convert %r20 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %r21 = stablehlo.reduce_precision %f8E4M3FNUZ, format = e4m1 : tensor<256xf8E4M3FNUZ>
  %o21 = stablehlo.bitcast_convert %r21 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %r22 = stablehlo.reduce_precision %f8E4M3FNUZ, format = e3m3 : tensor<256xf8E4M3FNUZ>
  %o22 = stablehlo.bitcast_convert %r22 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %r23 = stablehlo.reduce_precision %f8E4M3FNUZ, format = e2m1 : tensor<256xf8E4M3FNUZ>
  %o23 = stablehlo.bitcast_convert %r23 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %r24 = stablehlo.reduce_precision %f8E4M3FNUZ, format = e8m0 : tensor<256xf8E4M3FNUZ>
  %o24 = stablehlo.bitcast_convert %r24 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %f8E4M3B11FNUZ = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3B11FNUZ>
  %r25 = stablehlo.reduce_precision %f8E4M3B11FNUZ, format = e4m1 : tensor<256xf8E4M3B11FNUZ>
  %o25 = stablehlo.bitcast_convert %r25 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xui8>
  %r26 = stablehlo.reduce_precision %f8E4M3B11FNUZ, format = e3m2 : tensor<256xf8E4M3B11FNUZ>
  %o26 = stablehlo.bitcast_convert %r26 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xui8>
  %r27 = stablehlo.reduce_precision %f8E4M3B11FNUZ, format = e1m0 : tensor<256xf8E4M3B11FNUZ>
  %o27 = stablehlo.bitcast_convert %r27 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xui8>
  %f8E5M2FNUZ = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2FNUZ>
  %r28 = stablehlo.reduce_precision %f8E5M2FNUZ, format = e5m1 : tensor<256xf8E5M2FNUZ>
  %o28 = stablehlo.bitcast_convert %r28 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xui8>
  %r29 = stablehlo.reduce_precision %f8E5M2FNUZ, format = e4m2 : tensor<256xf8E5M2FNUZ>
  %o29 = stablehlo.bitcast_convert %r29 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xui8>
  %r30 = stablehlo.reduce_precision %f8E5M2FNUZ, format = e3m0 : tensor<256xf8E5M2FNUZ>
  %o30 = stablehlo.bitcast_convert %r30 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xui8>
  %f8E8M0FNU = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %r31 = stablehlo.reduce_precision %f8E8M0FNU, format = e7m0 : tensor<256xf8E8M0FNU>
  %o31 = stablehlo.bitcast_convert %r31 : (tensor<256xf8E8M0FNU>) -> tensor<256xui8>
  %r32 = stablehlo.reduce_precision %f8E8M0FNU, format = e5m2 : tensor<256xf8E8M0FNU>
  %o32 = stablehlo.bitcast_convert %r32 : (tensor<256xf8E8M0FNU>) -> tensor<256xui8>
  %r33 = stablehlo.reduce_precision %f8E8M0FNU, format = e8m0 : tensor<256xf8E8M0FNU>
  %o33 = stablehlo.bitcast_convert %r33 : (tensor<256xf8E8M0FNU>) -> tensor<256xui8>
  %r34 = stablehlo.reduce_precision %f8E8M0FNU, format = e1m1 : tensor<256xf8E8M0FNU>
  %o34 = stablehlo.bitcast_convert %r34 : (tensor<256xf8E8M0FNU>) -> tensor<256xui8>
  // Less than a byte: each number of them is one of these.
  %f6E2M3FN = stablehlo.convert %f8E4M3FN : (tensor<256xf8E4M3FN>) -> tensor<256xf6E2M3FN>
  %r35 = stablehlo.reduce_precision %f6E2M3FN, format = e2m1 : tensor<256xf6E2M3FN>
  %o35 = stablehlo.convert %r35 : (tensor<256xf6E2M3FN>) -> tensor<256xf32>
  %r36 = stablehlo.reduce_precision %f6E2M3FN, format = e1m3 : tensor<256xf6E2M3FN>
  %o36 = stablehlo.convert %r36 : (tensor<256xf6E2M3FN>) -> tensor<256xf32>
  %r37 = stablehlo.reduce_precision %f6E2M3FN, format = e2m0 : tensor<256xf6E2M3FN>
  %o37 = stablehlo.convert %r37 : (tensor<256xf6E2M3FN>) -> tensor<256xf32>
  %r38 = stablehlo.reduce_precision %f6E2M3FN, format = e3m2 : tensor<256xf6E2M3FN>
  %o38 = stablehlo.convert %r38 : (tensor<256xf6E2M3FN>) -> tensor<256xf32>
  %f6E3M2FN = stablehlo.convert %f8E4M3FN : (tensor<256xf8E4M3FN>) -> tensor<256xf6E3M2FN>
  %r39 = stablehlo.reduce_precision %f6E3M2FN, format = e3m1 : tensor<256xf6E3M2FN>
  %o39 = stablehlo.convert %r39 : (tensor<256xf6E3M2FN>) -> tensor<256xf32>
  %r40 = stablehlo.reduce_precision %f6E3M2FN, format = e2m2 : tensor<256xf6E3M2FN>
  %o40 = stablehlo.convert %r40 : (tensor<256xf6E3M2FN>) -> tensor<256xf32>
  %r41 = stablehlo.reduce_precision %f6E3M2FN, format = e1m0 : tensor<256xf6E3M2FN>
  %o41 = stablehlo.convert %r41 : (tensor<256xf6E3M2FN>) -> tensor<256xf32>
  %r42 = stablehlo.reduce_precision %f6E3M2FN, format = e4m1 : tensor<256xf6E3M2FN>
  %o42 = stablehlo.convert %r42 : (tensor<256xf6E3M2FN>) -> tensor<256xf32>
  %f4E2M1FN = stablehlo.convert %f8E4M3FN : (tensor<256xf8E4M3FN>) -> tensor<256xf4E2M1FN>
  %r43 = stablehlo.reduce_precision %f4E2M1FN, format = e2m0 : tensor<256xf4E2M1FN>
  %o43 = stablehlo.convert %r43 : (tensor<256xf4E2M1FN>) -> tensor<256xf32>
  %r44 = stablehlo.reduce_precision %f4E2M1FN, format = e1m1 : tensor<256xf4E2M1FN>
  %o44 = stablehlo.convert %r44 : (tensor<256xf4E2M1FN>) -> tensor<256xf32>
  %r45 = stablehlo.reduce_precision %f4E2M1FN, format = e8m0 : tensor<256xf4E2M1FN>
  %o45 = stablehlo.convert %r45 : (tensor<256xf4E2M1FN>) -> tensor<256xf32>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o6, %o7, %o8, %o9, %o10, %o11, %o12, %o13, %o14, %o15, %o16, %o17, %o18, %o19, %o20, %o21, %o22, %o23, %o24, %o25, %o26, %o27, %o28, %o29, %o30, %o31, %o32, %o33, %o34, %o35, %o36, %o37, %o38, %o39, %o40, %o41, %o42, %o43, %o44, %o45 : tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
}
