// Routines compiled against the interpreter, at lengths around the blocks they are cut into.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare cholesky.mlir
// RUN: heddle compare cholesky.mlir -t x86-64-v2
// RUN: heddle compare solve.mlir
// RUN: heddle compare half.mlir
// RUN: heddle compare complex.mlir
// RUN: heddle compare empty.mlir
// RUN: heddle compare orthogonal.mlir
// RUN: heddle compare orthogonal.mlir -t x86-64-v2
// RUN: heddle compare reductions.mlir
// RUN: heddle compare spectra.mlir
// RUN: heddle compare fourier.mlir
// RUN: heddle compare fourier.mlir -t x86-64-v2

//--- cholesky.mlir
func.func @main(%x: tensor<3x131x131xf32>, %y: tensor<17x17xf64>) -> (tensor<3x131x131xf32>, tensor<3x131x131xf32>, tensor<17x17xf64>) {
  %s = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x131x131xf32>, tensor<3x131x131xf32>) -> tensor<3x131x131xf32>
  %i = stablehlo.iota dim = 1 : tensor<3x131x131xi32>
  %j = stablehlo.iota dim = 2 : tensor<3x131x131xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<3x131x131xi32>, tensor<3x131x131xi32>) -> tensor<3x131x131xi1>
  %c = stablehlo.convert %e : (tensor<3x131x131xi1>) -> tensor<3x131x131xf32>
  %a = stablehlo.add %s, %c : tensor<3x131x131xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x131x131xf32>
  %u = stablehlo.cholesky %a : tensor<3x131x131xf32>
  %p = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  %d = stablehlo.cholesky %p, lower = true : tensor<17x17xf64>
  return %l, %u, %d : tensor<3x131x131xf32>, tensor<3x131x131xf32>, tensor<17x17xf64>
}
//--- solve.mlir
func.func @main(%x: tensor<2x100x100xf64>, %b: tensor<2x100x131xf64>, %c: tensor<2x3x100xf64>) -> (tensor<2x100x131xf64>, tensor<2x100x131xf64>, tensor<2x3x100xf64>, tensor<2x3x100xf64>) {
  %i = stablehlo.iota dim = 1 : tensor<2x100x100xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x100x100xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<2x100x100xi32>, tensor<2x100x100xi32>) -> tensor<2x100x100xi1>
  %one = stablehlo.convert %e : (tensor<2x100x100xi1>) -> tensor<2x100x100xf64>
  %n = stablehlo.constant dense<100.0> : tensor<2x100x100xf64>
  %d = stablehlo.multiply %one, %n : tensor<2x100x100xf64>
  %a = stablehlo.add %x, %d : tensor<2x100x100xf64>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x100x100xf64>, tensor<2x100x131xf64>) -> tensor<2x100x131xf64>
  %1 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x100x100xf64>, tensor<2x100x131xf64>) -> tensor<2x100x131xf64>
  %2 = "stablehlo.triangular_solve"(%a, %c) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x100x100xf64>, tensor<2x3x100xf64>) -> tensor<2x3x100xf64>
  %3 = "stablehlo.triangular_solve"(%d, %c) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x100x100xf64>, tensor<2x3x100xf64>) -> tensor<2x3x100xf64>
  return %0, %1, %2, %3 : tensor<2x100x131xf64>, tensor<2x100x131xf64>, tensor<2x3x100xf64>, tensor<2x3x100xf64>
}
//--- half.mlir
func.func @main(%x: tensor<2x4xf16>) -> tensor<2x4xf16> {
  %a = stablehlo.constant dense<[[4.0, 9.0], [2.0, 10.0]]> : tensor<2x2xf16>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf16>
  %0 = "stablehlo.triangular_solve"(%l, %x) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}
//--- complex.mlir
func.func private @heddle.cholesky.0(tensor<40x40xf32>, tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>)
func.func private @heddle.triangular_solve.0(tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x7xf32>, tensor<40x7xf32>) -> (tensor<40x7xf32>, tensor<40x7xf32>)
func.func @main(%x: tensor<40x40xf32>, %y: tensor<40x40xf32>, %b: tensor<40x7xf32>, %c: tensor<40x7xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x7xf32>, tensor<40x7xf32>) {
  %xx = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %yy = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %yx = stablehlo.dot_general %y, %x, contracting_dims = [1] x [1] : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %xy = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %i = stablehlo.iota dim = 0 : tensor<40x40xi32>
  %j = stablehlo.iota dim = 1 : tensor<40x40xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi1>
  %one = stablehlo.convert %e : (tensor<40x40xi1>) -> tensor<40x40xf32>
  %s = stablehlo.add %xx, %yy : tensor<40x40xf32>
  %re = stablehlo.add %s, %one : tensor<40x40xf32>
  %im = stablehlo.subtract %yx, %xy : tensor<40x40xf32>
  %l:2 = stablehlo.composite "heddle.cholesky" %re, %im {composite_attributes = {lower = true}, decomposition = @heddle.cholesky.0} : (tensor<40x40xf32>, tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>)
  %u:2 = stablehlo.composite "heddle.cholesky" %re, %im {decomposition = @heddle.cholesky.0} : (tensor<40x40xf32>, tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>)
  %z:2 = stablehlo.composite "heddle.triangular_solve" %l#0, %l#1, %b, %c {composite_attributes = {left_side = true, lower = true, unit_diagonal = false, transpose_a = "ADJOINT"}, decomposition = @heddle.triangular_solve.0} : (tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x7xf32>, tensor<40x7xf32>) -> (tensor<40x7xf32>, tensor<40x7xf32>)
  return %l#0, %l#1, %u#0, %u#1, %z#0, %z#1 : tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x7xf32>, tensor<40x7xf32>
}
//--- empty.mlir
func.func @main(%x: tensor<0x4x4xf32>, %y: tensor<3x0x0xf32>, %b: tensor<3x0x5xf32>, %one: tensor<1x1xf32>) -> (tensor<0x4x4xf32>, tensor<3x0x0xf32>, tensor<3x0x5xf32>, tensor<1x1xf32>) {
  %0 = stablehlo.cholesky %x : tensor<0x4x4xf32>
  %1 = stablehlo.cholesky %y : tensor<3x0x0xf32>
  %2 = "stablehlo.triangular_solve"(%1, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x0x0xf32>, tensor<3x0x5xf32>) -> tensor<3x0x5xf32>
  %3 = stablehlo.cholesky %one : tensor<1x1xf32>
  return %0, %1, %2, %3 : tensor<0x4x4xf32>, tensor<3x0x0xf32>, tensor<3x0x5xf32>, tensor<1x1xf32>
}
//--- fourier.mlir
func.func private @heddle.fft.0(tensor<5x12x10xf32>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>)
func.func private @heddle.fft.1(tensor<5x12x6xf32>, tensor<5x12x6xf32>) -> tensor<5x12x10xf32>
func.func private @heddle.fft.2(tensor<37xf64>, tensor<37xf64>) -> (tensor<37xf64>, tensor<37xf64>)
func.func @main(%x: tensor<5x12x10xf32>, %re: tensor<37xf64>, %im: tensor<37xf64>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>, tensor<5x12x10xf32>, tensor<37xf64>, tensor<37xf64>) {
  %y:2 = stablehlo.composite "heddle.fft" %x {composite_attributes = {fft_type = "RFFT", fft_length = array<i64: 12, 10>}, decomposition = @heddle.fft.0} : (tensor<5x12x10xf32>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>)
  %z = stablehlo.composite "heddle.fft" %y#0, %y#1 {composite_attributes = {fft_type = "IRFFT", fft_length = array<i64: 5, 12, 10>}, decomposition = @heddle.fft.1} : (tensor<5x12x6xf32>, tensor<5x12x6xf32>) -> tensor<5x12x10xf32>
  %w:2 = stablehlo.composite "heddle.fft" %re, %im {composite_attributes = {fft_type = "IFFT", fft_length = array<i64: 37>}, decomposition = @heddle.fft.2} : (tensor<37xf64>, tensor<37xf64>) -> (tensor<37xf64>, tensor<37xf64>)
  return %y#0, %y#1, %z, %w#0, %w#1 : tensor<5x12x6xf32>, tensor<5x12x6xf32>, tensor<5x12x10xf32>, tensor<37xf64>, tensor<37xf64>
}
//--- orthogonal.mlir
func.func private @heddle.qr.0(tensor<2x40x33xf64>) -> (tensor<2x40x33xf64>, tensor<2x33xf64>)
func.func private @heddle.householder_product.0(tensor<2x40x33xf64>, tensor<2x33xf64>) -> tensor<2x40x33xf64>
func.func private @heddle.lu.0(tensor<2x40x33xf64>) -> (tensor<2x40x33xf64>, tensor<2x33xi32>, tensor<2x40xi32>)
func.func private @heddle.eigh.0(tensor<17x17xf64>, tensor<17x17xf64>) -> (tensor<17x17xf64>, tensor<17x17xf64>, tensor<17xf64>)
func.func private @heddle.svd.0(tensor<2x40x33xf64>) -> (tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x33x33xf64>)
func.func @main(%x: tensor<2x40x33xf64>, %re: tensor<17x17xf64>, %im: tensor<17x17xf64>) -> (tensor<2x40x33xf64>, tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x40x33xf64>, tensor<2x33xi32>, tensor<2x40xi32>, tensor<17x17xf64>, tensor<17x17xf64>, tensor<17xf64>, tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x33x33xf64>) {
  %p:2 = stablehlo.composite "heddle.qr" %x {decomposition = @heddle.qr.0} : (tensor<2x40x33xf64>) -> (tensor<2x40x33xf64>, tensor<2x33xf64>)
  %q = stablehlo.composite "heddle.householder_product" %p#0, %p#1 {decomposition = @heddle.householder_product.0} : (tensor<2x40x33xf64>, tensor<2x33xf64>) -> tensor<2x40x33xf64>
  %l:3 = stablehlo.composite "heddle.lu" %x {decomposition = @heddle.lu.0} : (tensor<2x40x33xf64>) -> (tensor<2x40x33xf64>, tensor<2x33xi32>, tensor<2x40xi32>)
  %v:3 = stablehlo.composite "heddle.eigh" %re, %im {composite_attributes = {lower = false}, decomposition = @heddle.eigh.0} : (tensor<17x17xf64>, tensor<17x17xf64>) -> (tensor<17x17xf64>, tensor<17x17xf64>, tensor<17xf64>)
  %s:3 = stablehlo.composite "heddle.svd" %x {decomposition = @heddle.svd.0} : (tensor<2x40x33xf64>) -> (tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x33x33xf64>)
  return %p#0, %p#1, %q, %l#0, %l#1, %l#2, %v#0, %v#1, %v#2, %s#0, %s#1, %s#2 : tensor<2x40x33xf64>, tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x40x33xf64>, tensor<2x33xi32>, tensor<2x40xi32>, tensor<17x17xf64>, tensor<17x17xf64>, tensor<17xf64>, tensor<2x33xf64>, tensor<2x40x33xf64>, tensor<2x33x33xf64>
}
//--- spectra.mlir
// Order and signs are free: what the factors must satisfy is compared.
func.func private @heddle.schur.0(tensor<2x9x9xf64>) -> (tensor<2x9x9xf64>, tensor<2x9x9xf64>)
func.func private @heddle.schur.1(tensor<9x9xf64>, tensor<9x9xf64>) -> (tensor<9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>)
func.func private @heddle.eig.0(tensor<2x9x9xf64>) -> (tensor<2x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>)
func.func private @heddle.eig.1(tensor<9x9xcomplex<f64>>) -> (tensor<9xcomplex<f64>>, tensor<9x9xcomplex<f64>>)
func.func private @heddle.tridiagonal.1(tensor<9x9xcomplex<f64>>) -> (tensor<9x9xcomplex<f64>>, tensor<9xf64>, tensor<8xf64>, tensor<8xcomplex<f64>>)
func.func @main(%a: tensor<2x9x9xf64>, %re: tensor<9x9xf64>, %im: tensor<9x9xf64>) -> (tensor<2x9x9xf64>, tensor<9x9xf64>, tensor<2x9x9xf64>, tensor<2x9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>, tensor<9xf64>, tensor<8xf64>, tensor<9x9xf64>) {
  %s:2 = stablehlo.composite "heddle.schur" %a {decomposition = @heddle.schur.0} : (tensor<2x9x9xf64>) -> (tensor<2x9x9xf64>, tensor<2x9x9xf64>)
  %zt = stablehlo.dot_general %s#1, %s#0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x9x9xf64>, tensor<2x9x9xf64>) -> tensor<2x9x9xf64>
  %ztz = stablehlo.dot_general %zt, %s#1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x9x9xf64>, tensor<2x9x9xf64>) -> tensor<2x9x9xf64>
  %c:4 = stablehlo.composite "heddle.schur" %re, %im {decomposition = @heddle.schur.1} : (tensor<9x9xf64>, tensor<9x9xf64>) -> (tensor<9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>)
  %t = stablehlo.complex %c#0, %c#1 : tensor<9x9xcomplex<f64>>
  %z = stablehlo.complex %c#2, %c#3 : tensor<9x9xcomplex<f64>>
  %x = stablehlo.complex %re, %im : tensor<9x9xcomplex<f64>>
  %xz = stablehlo.dot_general %x, %z, contracting_dims = [1] x [0] : (tensor<9x9xcomplex<f64>>, tensor<9x9xcomplex<f64>>) -> tensor<9x9xcomplex<f64>>
  %zt2 = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<9x9xcomplex<f64>>, tensor<9x9xcomplex<f64>>) -> tensor<9x9xcomplex<f64>>
  %rest = stablehlo.subtract %xz, %zt2 : tensor<9x9xcomplex<f64>>
  %restsum = stablehlo.add %rest, %x : tensor<9x9xcomplex<f64>>
  %restre = stablehlo.real %restsum : (tensor<9x9xcomplex<f64>>) -> tensor<9x9xf64>

  %e:3 = stablehlo.composite "heddle.eig" %a {composite_attributes = {compute_left = true}, decomposition = @heddle.eig.0} : (tensor<2x9x9xf64>) -> (tensor<2x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>)
  %zero = stablehlo.constant dense<0.0> : tensor<2x9x9xf64>
  %ac = stablehlo.complex %a, %zero : tensor<2x9x9xcomplex<f64>>
  %av = stablehlo.dot_general %ac, %e#2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %w = stablehlo.broadcast_in_dim %e#0, dims = [0, 2] : (tensor<2x9xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %vw = stablehlo.multiply %e#2, %w : tensor<2x9x9xcomplex<f64>>
  %right = stablehlo.subtract %av, %vw : tensor<2x9x9xcomplex<f64>>
  %rightsum = stablehlo.add %right, %ac : tensor<2x9x9xcomplex<f64>>
  %rightre = stablehlo.real %rightsum : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>
  %atv = stablehlo.dot_general %ac, %e#1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %wre = stablehlo.real %w : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>
  %wim = stablehlo.imag %w : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>
  %wneg = stablehlo.negate %wim : tensor<2x9x9xf64>
  %wc = stablehlo.complex %wre, %wneg : tensor<2x9x9xcomplex<f64>>
  %uw = stablehlo.multiply %e#1, %wc : tensor<2x9x9xcomplex<f64>>
  %left = stablehlo.subtract %atv, %uw : tensor<2x9x9xcomplex<f64>>
  %leftsum = stablehlo.add %left, %ac : tensor<2x9x9xcomplex<f64>>
  %leftre = stablehlo.real %leftsum : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>

  %g:2 = stablehlo.composite "heddle.eig" %x {decomposition = @heddle.eig.1} : (tensor<9x9xcomplex<f64>>) -> (tensor<9xcomplex<f64>>, tensor<9x9xcomplex<f64>>)
  %xv = stablehlo.dot_general %x, %g#1, contracting_dims = [1] x [0] : (tensor<9x9xcomplex<f64>>, tensor<9x9xcomplex<f64>>) -> tensor<9x9xcomplex<f64>>
  %gw = stablehlo.broadcast_in_dim %g#0, dims = [1] : (tensor<9xcomplex<f64>>) -> tensor<9x9xcomplex<f64>>
  %gvw = stablehlo.multiply %g#1, %gw : tensor<9x9xcomplex<f64>>
  %g2 = stablehlo.subtract %xv, %gvw : tensor<9x9xcomplex<f64>>
  %gsum = stablehlo.add %g2, %x : tensor<9x9xcomplex<f64>>
  %gre = stablehlo.real %gsum : (tensor<9x9xcomplex<f64>>) -> tensor<9x9xf64>

  %p:4 = stablehlo.composite "heddle.tridiagonal" %x {composite_attributes = {lower = false}, decomposition = @heddle.tridiagonal.1} : (tensor<9x9xcomplex<f64>>) -> (tensor<9x9xcomplex<f64>>, tensor<9xf64>, tensor<8xf64>, tensor<8xcomplex<f64>>)
  %pre = stablehlo.real %p#0 : (tensor<9x9xcomplex<f64>>) -> tensor<9x9xf64>
  %pim = stablehlo.imag %p#0 : (tensor<9x9xcomplex<f64>>) -> tensor<9x9xf64>
  return %ztz, %restre, %rightre, %leftre, %gre, %pre, %p#1, %p#2, %pim : tensor<2x9x9xf64>, tensor<9x9xf64>, tensor<2x9x9xf64>, tensor<2x9x9xf64>, tensor<9x9xf64>, tensor<9x9xf64>, tensor<9xf64>, tensor<8xf64>, tensor<9x9xf64>
}
//--- reductions.mlir
func.func private @heddle.hessenberg.0(tensor<2x17x17xf64>) -> (tensor<2x17x17xf64>, tensor<2x16xf64>)
func.func private @heddle.tridiagonal.0(tensor<2x17x17xf64>) -> (tensor<2x17x17xf64>, tensor<2x17xf64>, tensor<2x16xf64>, tensor<2x16xf64>)
func.func private @heddle.tridiagonal_solve.0(tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9x4xf64>) -> tensor<9x4xf64>
func.func @main(%x: tensor<2x17x17xf64>, %l: tensor<9xf64>, %d: tensor<9xf64>, %u: tensor<9xf64>, %b: tensor<9x4xf64>) -> (tensor<2x17x17xf64>, tensor<2x16xf64>, tensor<2x17x17xf64>, tensor<2x17xf64>, tensor<2x16xf64>, tensor<2x16xf64>, tensor<9x4xf64>) {
  %h:2 = stablehlo.composite "heddle.hessenberg" %x {decomposition = @heddle.hessenberg.0} : (tensor<2x17x17xf64>) -> (tensor<2x17x17xf64>, tensor<2x16xf64>)
  %t:4 = stablehlo.composite "heddle.tridiagonal" %x {decomposition = @heddle.tridiagonal.0} : (tensor<2x17x17xf64>) -> (tensor<2x17x17xf64>, tensor<2x17xf64>, tensor<2x16xf64>, tensor<2x16xf64>)
  %s = stablehlo.composite "heddle.tridiagonal_solve" %l, %d, %u, %b {decomposition = @heddle.tridiagonal_solve.0} : (tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9x4xf64>) -> tensor<9x4xf64>
  return %h#0, %h#1, %t#0, %t#1, %t#2, %t#3, %s : tensor<2x17x17xf64>, tensor<2x16xf64>, tensor<2x17x17xf64>, tensor<2x17xf64>, tensor<2x16xf64>, tensor<2x16xf64>, tensor<9x4xf64>
}
