// Floats keep their bits where they are only moved, whichever of many codes a NaN has: in every stage, and compiled.
// Random bits may be those of any number, also of six bits, of which no tensor of integers has elements.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare -q --stages moved.mlir | FileCheck %s
// RUN: heddle compare -q --stages random.mlir | FileCheck %s
// RUN: heddle compare -q --stages ordered.mlir | FileCheck %s
// CHECK: compiled for
// CHECK-NOT: WRONG
// CHECK: stage heddle-lower, interpreted:
// CHECK-NOT: WRONG
// CHECK: stage heddle-dispatch, interpreted:
// CHECK-NOT: WRONG
// CHECK: the program computes the same up to heddle-dispatch

//--- moved.mlir
func.func @main(%x: tensor<ui8>) -> (tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<192xui16>, tensor<192xui16>, tensor<256xui32>) {
  %zeros = stablehlo.constant dense<0> : tensor<256xui8>
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %first = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %first : tensor<256xui8>
  %three = stablehlo.constant dense<3> : tensor<256xui8>
  %low = stablehlo.and %bits, %three : tensor<256xui8>
  %some = stablehlo.compare NE, %low, %zeros : (tensor<256xui8>, tensor<256xui8>) -> tensor<256xi1>
  %words = stablehlo.reshape %bits : (tensor<256xui8>) -> tensor<128x2xui8>
  %a0 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %r0 = stablehlo.reverse %a0, dims = [0] : tensor<256xf8E5M2>
  %s0 = stablehlo.select %some, %a0, %r0 : tensor<256xi1>, tensor<256xf8E5M2>
  %t0 = stablehlo.slice %s0 [1:256:2] : (tensor<256xf8E5M2>) -> tensor<128xf8E5M2>
  %c0 = stablehlo.concatenate %t0, %r0, dim = 0 : (tensor<128xf8E5M2>, tensor<256xf8E5M2>) -> tensor<384xf8E5M2>
  %o0 = stablehlo.bitcast_convert %c0 : (tensor<384xf8E5M2>) -> tensor<384xui8>
  %a1 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %r1 = stablehlo.reverse %a1, dims = [0] : tensor<256xf8E4M3>
  %s1 = stablehlo.select %some, %a1, %r1 : tensor<256xi1>, tensor<256xf8E4M3>
  %t1 = stablehlo.slice %s1 [1:256:2] : (tensor<256xf8E4M3>) -> tensor<128xf8E4M3>
  %c1 = stablehlo.concatenate %t1, %r1, dim = 0 : (tensor<128xf8E4M3>, tensor<256xf8E4M3>) -> tensor<384xf8E4M3>
  %o1 = stablehlo.bitcast_convert %c1 : (tensor<384xf8E4M3>) -> tensor<384xui8>
  %a2 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %r2 = stablehlo.reverse %a2, dims = [0] : tensor<256xf8E3M4>
  %s2 = stablehlo.select %some, %a2, %r2 : tensor<256xi1>, tensor<256xf8E3M4>
  %t2 = stablehlo.slice %s2 [1:256:2] : (tensor<256xf8E3M4>) -> tensor<128xf8E3M4>
  %c2 = stablehlo.concatenate %t2, %r2, dim = 0 : (tensor<128xf8E3M4>, tensor<256xf8E3M4>) -> tensor<384xf8E3M4>
  %o2 = stablehlo.bitcast_convert %c2 : (tensor<384xf8E3M4>) -> tensor<384xui8>
  %a3 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %r3 = stablehlo.reverse %a3, dims = [0] : tensor<256xf8E4M3FN>
  %s3 = stablehlo.select %some, %a3, %r3 : tensor<256xi1>, tensor<256xf8E4M3FN>
  %t3 = stablehlo.slice %s3 [1:256:2] : (tensor<256xf8E4M3FN>) -> tensor<128xf8E4M3FN>
  %c3 = stablehlo.concatenate %t3, %r3, dim = 0 : (tensor<128xf8E4M3FN>, tensor<256xf8E4M3FN>) -> tensor<384xf8E4M3FN>
  %o3 = stablehlo.bitcast_convert %c3 : (tensor<384xf8E4M3FN>) -> tensor<384xui8>
  %a4 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %r4 = stablehlo.reverse %a4, dims = [0] : tensor<256xf8E4M3FNUZ>
  %s4 = stablehlo.select %some, %a4, %r4 : tensor<256xi1>, tensor<256xf8E4M3FNUZ>
  %t4 = stablehlo.slice %s4 [1:256:2] : (tensor<256xf8E4M3FNUZ>) -> tensor<128xf8E4M3FNUZ>
  %c4 = stablehlo.concatenate %t4, %r4, dim = 0 : (tensor<128xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>) -> tensor<384xf8E4M3FNUZ>
  %o4 = stablehlo.bitcast_convert %c4 : (tensor<384xf8E4M3FNUZ>) -> tensor<384xui8>
  %a5 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %r5 = stablehlo.reverse %a5, dims = [0] : tensor<256xf8E8M0FNU>
  %s5 = stablehlo.select %some, %a5, %r5 : tensor<256xi1>, tensor<256xf8E8M0FNU>
  %t5 = stablehlo.slice %s5 [1:256:2] : (tensor<256xf8E8M0FNU>) -> tensor<128xf8E8M0FNU>
  %c5 = stablehlo.concatenate %t5, %r5, dim = 0 : (tensor<128xf8E8M0FNU>, tensor<256xf8E8M0FNU>) -> tensor<384xf8E8M0FNU>
  %o5 = stablehlo.bitcast_convert %c5 : (tensor<384xf8E8M0FNU>) -> tensor<384xui8>
  %half = stablehlo.slice %some [0:128] : (tensor<256xi1>) -> tensor<128xi1>
  %ones = stablehlo.constant dense<[[0, 124]]> : tensor<1x2xui8>
  %onesAll = stablehlo.broadcast_in_dim %ones, dims = [0, 1] : (tensor<1x2xui8>) -> tensor<128x2xui8>
  %nans = stablehlo.or %words, %onesAll : tensor<128x2xui8>
  %a90 = stablehlo.bitcast_convert %nans : (tensor<128x2xui8>) -> tensor<128xf16>
  %r90 = stablehlo.reverse %a90, dims = [0] : tensor<128xf16>
  %s90 = stablehlo.select %half, %a90, %r90 : tensor<128xi1>, tensor<128xf16>
  %t90 = stablehlo.slice %s90 [1:128:2] : (tensor<128xf16>) -> tensor<64xf16>
  %c90 = stablehlo.concatenate %t90, %r90, dim = 0 : (tensor<64xf16>, tensor<128xf16>) -> tensor<192xf16>
  %o90 = stablehlo.bitcast_convert %c90 : (tensor<192xf16>) -> tensor<192xui16>
  %a91 = stablehlo.bitcast_convert %nans : (tensor<128x2xui8>) -> tensor<128xbf16>
  %r91 = stablehlo.reverse %a91, dims = [0] : tensor<128xbf16>
  %s91 = stablehlo.select %half, %a91, %r91 : tensor<128xi1>, tensor<128xbf16>
  %t91 = stablehlo.slice %s91 [1:128:2] : (tensor<128xbf16>) -> tensor<64xbf16>
  %c91 = stablehlo.concatenate %t91, %r91, dim = 0 : (tensor<64xbf16>, tensor<128xbf16>) -> tensor<192xbf16>
  %o91 = stablehlo.bitcast_convert %c91 : (tensor<192xbf16>) -> tensor<192xui16>
  %large = stablehlo.constant dense<0x7F800000> : tensor<256xui32>
  %wide = stablehlo.convert %bits : (tensor<256xui8>) -> tensor<256xui32>
  %signaling = stablehlo.or %wide, %large : tensor<256xui32>
  %a92 = stablehlo.bitcast_convert %signaling : (tensor<256xui32>) -> tensor<256xf32>
  %r92 = stablehlo.reverse %a92, dims = [0] : tensor<256xf32>
  %s92 = stablehlo.select %some, %a92, %r92 : tensor<256xi1>, tensor<256xf32>
  %o92 = stablehlo.bitcast_convert %s92 : (tensor<256xf32>) -> tensor<256xui32>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o90, %o91, %o92 : tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<384xui8>, tensor<192xui16>, tensor<192xui16>, tensor<256xui32>
}
//--- random.mlir
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<1031xui8>, tensor<1031xui8>, tensor<1031xui16>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<1031xui8>, tensor<1031xui8>, tensor<1031xui16>) {
  %n0, %b0 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf6E2M3FN>)
  %f0 = stablehlo.convert %b0 : (tensor<5x33xf6E2M3FN>) -> tensor<5x33xf32>
  %n1, %b1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf6E3M2FN>)
  %f1 = stablehlo.convert %b1 : (tensor<5x33xf6E3M2FN>) -> tensor<5x33xf32>
  %n2, %b2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf4E2M1FN>)
  %f2 = stablehlo.convert %b2 : (tensor<5x33xf4E2M1FN>) -> tensor<5x33xf32>
  %n3, %b3 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf8E5M2>)
  %f3 = stablehlo.bitcast_convert %b3 : (tensor<1031xf8E5M2>) -> tensor<1031xui8>
  %n4, %b4 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf8E4M3FN>)
  %f4 = stablehlo.bitcast_convert %b4 : (tensor<1031xf8E4M3FN>) -> tensor<1031xui8>
  %n5, %b5 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf16>)
  %f5 = stablehlo.bitcast_convert %b5 : (tensor<1031xf16>) -> tensor<1031xui16>
  %n6, %b6 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf6E2M3FN>)
  %f6 = stablehlo.convert %b6 : (tensor<5x33xf6E2M3FN>) -> tensor<5x33xf32>
  %n7, %b7 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf6E3M2FN>)
  %f7 = stablehlo.convert %b7 : (tensor<5x33xf6E3M2FN>) -> tensor<5x33xf32>
  %n8, %b8 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x33xf4E2M1FN>)
  %f8 = stablehlo.convert %b8 : (tensor<5x33xf4E2M1FN>) -> tensor<5x33xf32>
  %n9, %b9 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf8E5M2>)
  %f9 = stablehlo.bitcast_convert %b9 : (tensor<1031xf8E5M2>) -> tensor<1031xui8>
  %n10, %b10 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf8E4M3FN>)
  %f10 = stablehlo.bitcast_convert %b10 : (tensor<1031xf8E4M3FN>) -> tensor<1031xui8>
  %n11, %b11 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1031xf16>)
  %f11 = stablehlo.bitcast_convert %b11 : (tensor<1031xf16>) -> tensor<1031xui16>
  return %n0, %f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11 : tensor<2xui64>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<1031xui8>, tensor<1031xui8>, tensor<1031xui16>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<1031xui8>, tensor<1031xui8>, tensor<1031xui16>
}
//--- ordered.mlir
// In the total order a NaN with a sign is less than all numbers.
func.func @main(%x: tensor<ui8>) -> (tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %first = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %first : tensor<256xui8>
  %odd = stablehlo.constant dense<37> : tensor<256xui8>
  %others = stablehlo.multiply %bits, %odd : tensor<256xui8>
  %a0 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %b0 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %o0 = stablehlo.compare LT, %a0, %b0, TOTALORDER : (tensor<256xf8E5M2>, tensor<256xf8E5M2>) -> tensor<256xi1>
  %a1 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %b1 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %o1 = stablehlo.compare LT, %a1, %b1, TOTALORDER : (tensor<256xf8E4M3>, tensor<256xf8E4M3>) -> tensor<256xi1>
  %a2 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %b2 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %o2 = stablehlo.compare LT, %a2, %b2, TOTALORDER : (tensor<256xf8E3M4>, tensor<256xf8E3M4>) -> tensor<256xi1>
  %a3 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %b3 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %o3 = stablehlo.compare LT, %a3, %b3, TOTALORDER : (tensor<256xf8E4M3FN>, tensor<256xf8E4M3FN>) -> tensor<256xi1>
  %a4 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %b4 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %o4 = stablehlo.compare LT, %a4, %b4, TOTALORDER : (tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>) -> tensor<256xi1>
  %a5 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2FNUZ>
  %b5 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E5M2FNUZ>
  %o5 = stablehlo.compare LT, %a5, %b5, TOTALORDER : (tensor<256xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>) -> tensor<256xi1>
  %a6 = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %b6 = stablehlo.bitcast_convert %others : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %o6 = stablehlo.compare LT, %a6, %b6, TOTALORDER : (tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU>) -> tensor<256xi1>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o6 : tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>
}
