// Passes over the precision of numbers: quantized types in, plain types out.

#ifndef HEDDLE_PASSES_PRECISION_PASSES
#define HEDDLE_PASSES_PRECISION_PASSES

include "mlir/Pass/PassBase.td"

def ImportQuantized : Pass<"heddle-import-quantized", "mlir::ModuleOp"> {
  let summary = "Turn !quant.uniform types into stored integers, prec.quantize and prec.dequantize";
  let description = [{
    Ops that only move elements work on the stored integers. Contractions of two quantized tensors are sums of
    integers, exact in 32 bits. Any other op computes on the real numbers that its operands stand for, as the
    specification says. Afterwards no type is quantized: arguments and results are integers of the storage type.

    ```mlir
    %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    %1 = stablehlo.tanh %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    ==>
    %0 = prec.quantize %x, %scale, %zero rounding nearest_even range -128 to 127 : ... -> tensor<2xi8>
    %a = prec.dequantize %0, %scale, %zero : tensor<2xi8>, ... -> tensor<2xf32>
    %b = stablehlo.tanh %a : tensor<2xf32>
    %1 = prec.quantize %b, %scale, %zero rounding nearest_even range -128 to 127 : ... -> tensor<2xi8>
    ```
  }];
  let dependentDialects = ["heddle::prec::PrecDialect", "heddle::stablehlo::StableHloDialect"];
}

def SplitMinima : Pass<"heddle-split-minima", "mlir::ModuleOp"> {
  let summary = "Multiply weights that have minima by blocks as integers, and sums of blocks by minima";
  let description = [{
    Formats of GGUF add a number to all elements of a block (Q4_1, Q4_K and others). Kernels read integers that share a
    scale as they are stored, and nothing behind them; so the numbers that are added become a product of their own, with
    one term for each block. Sums are f32's as before, in another order. That product asks for exact factors, and says that it is a part of another
    (`heddle.minima`): no policy of `--precision` rounds minima.

    ```mlir
    %w = stablehlo.add %integers_by_scales, %minima_of_each_element : tensor<16x64xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
    ==>
    %a = stablehlo.dot_general %x, %integers_by_scales, contracting_dims = [1] x [1] : ...
    %s = stablehlo.reduce(%x_in_blocks init: %zero) applies stablehlo.add across dimensions = [2] : ... -> tensor<8x2xf32>
    %b = stablehlo.dot_general %s, %minima, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] {heddle.minima} : (tensor<8x2xf32>, tensor<16x2xf32>) -> tensor<8x16xf32>
    %0 = stablehlo.add %a, %b : tensor<8x16xf32>
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def CastProducts : Pass<"heddle-cast-products", "mlir::ModuleOp"> {
  let summary = "Round the operands of f32 contractions and convolutions to a narrower type; sums stay f32";
  let description = [{
    What `heddle compile --precision` asks for. Both operands become of the narrower type, rounded to nearest even, each value
    once for all that multiply it; a weight is stored so. The result is the sums, in f32. Nothing else changes.

    A product stays as it is where its operands are integers with a scale, where the model says how exact it shall be (a precision above
    `DEFAULT`, an algorithm), and where a sum has fewer than 16 terms: such are scales, positions or depthwise filters, which the
    narrower type makes no faster. Attention is a root of its own, and stays f32. The module's `heddle.precision` says how many were cast.

    ```mlir
    %0 = stablehlo.dot_general %x, %w, ... : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ==>
    %a = stablehlo.convert %x : (tensor<8x64xf32>) -> tensor<8x64xbf16>
    %b = stablehlo.convert %w : (tensor<64x32xf32>) -> tensor<64x32xbf16>
    %0 = stablehlo.dot_general %a, %b, ... : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xf32>
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"", "The type of the factors: bf16 or f16">];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def AssignFactors : Pass<"heddle-assign-factors", "mlir::ModuleOp"> {
  let summary = "Give each f32 product the factors that its heddle.factors says";
  let description = [{
    What `heddle compile --precision auto` ends with. A product whose `heddle.factors` is `bf16` or `f16` becomes what `heddle-cast-products` makes of it,
    one of `w8a16` or `w4a16` what `heddle-quantize-weights` does; without the attribute it stays as it is. Values are cast, and weights quantized, once for all that multiply them so.

    With `w8a8` both factors become numbers that bytes stand for: the first one by the scale and the zero point that stand beside it, the second, a weight, by a scale in f32 for each output channel, which
    `prec.fit_scale` chooses. A product of both is what the import of quantized models gives, which `heddle-multiply-stored` makes one of integers.

    ```mlir
    %0 = stablehlo.dot_general %x, %w, ... {heddle.factors = "bf16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ==>
    %a = stablehlo.convert %x : (tensor<8x64xf32>) -> tensor<8x64xbf16>
    %b = stablehlo.convert %w : (tensor<64x32xf32>) -> tensor<64x32xbf16>
    %0 = stablehlo.dot_general %a, %b, ... : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xf32>

    %0 = stablehlo.dot_general %x, %w, ... {heddle.factors = "w8a8", heddle.first_scale = 0.03 : f32, heddle.first_zero_point = 120 : i64} : ...
    ==>
    %q = prec.quantize %x, %scale, %zero rounding nearest_even range 0 to 255 : tensor<8x64xf32>, tensor<f32>, tensor<ui8> -> tensor<8x64xui8>
    %a = prec.dequantize %q, %scale, %zero : tensor<8x64xui8>, tensor<f32>, tensor<ui8> -> tensor<8x64xf32>
    %b = prec.dequantize %integers_of_w, %scales, %zeros axis 1 : tensor<64x32xi8>, tensor<32xf32>, tensor<32xi8> -> tensor<64x32xf32>
    %0 = stablehlo.dot_general %a, %b, ... : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ```
  }];
  let dependentDialects = ["heddle::prec::PrecDialect", "heddle::stablehlo::StableHloDialect"];
}

def InstrumentPrecision : Pass<"heddle-instrument-precision", "mlir::ModuleOp"> {
  let summary = "Let an input choose which products of f32 multiply rounded factors";
  let description = [{
    One program then tells what rounding the factors of each product alone does to the results, a call for each. The entry gets another input, `heddle.rounding`, with an
    integer for each product that `heddle-cast-products` would cast, in their order: 0 leaves its factors as they are, 1 rounds them to the first of the formats, and so on.
    `w8a16` and `w4a16` round the second factor as `heddle-quantize-weights` does, and nothing where it leaves the product as it is.
    Sums are f32's either way, so that a product is what the cast one will be but for the order of its sums.

    The bytes of a first factor have a scale that follows from the range of its numbers. Where `w8a8` is one of the formats the program tells this range, in a result [products, 2] behind the others (`heddle.extremes`: the
    least and the largest number, zeros for a product that cannot have bytes), and takes scales and zero points in another input [products, 2] (`heddle.first_scales`).

    What is rounded is chosen twice, before and behind the rounding: a rounded weight does not follow from constants alone, and no copy of it is stored but the integers of `w8a16` and `w4a16`.

    ```mlir
    func.func @main(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
      %0 = stablehlo.dot_general %x, %w, ... : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ==>
    func.func @main(%x: tensor<8x64xf32>, %rounding: tensor<1xi32> {heddle.name = "heddle.rounding"}) -> tensor<8x32xf32> {
      %is = stablehlo.compare EQ, %rounding_of_this, %one : ... -> tensor<i1>
      %a = stablehlo.select %is, %x, %zero : tensor<i1>, tensor<8x64xf32>
      %b = stablehlo.convert %a : (tensor<8x64xf32>) -> tensor<8x64xbf16>
      %c = stablehlo.convert %b : (tensor<8x64xbf16>) -> tensor<8x64xf32>
      %d = stablehlo.select %is, %c, %x : tensor<i1>, tensor<8x64xf32>
      ...
      %0 = stablehlo.dot_general %d, %e, ... : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ```
  }];
  let options = [ListOption<"formats", "formats", "std::string", "What factors may be rounded to: bf16, f16, w8a16, w4a16 and w8a8; default: bf16">];
  let dependentDialects = ["heddle::prec::PrecDialect", "heddle::stablehlo::StableHloDialect"];
}

def QuantizeWeights : Pass<"heddle-quantize-weights", "mlir::ModuleOp"> {
  let summary = "Store the weights of f32 contractions as integers with scales by blocks; activations and sums stay f32";
  let description = [{
    What `heddle compile --precision w8a16` and `w4a16` ask for. The right-hand side of a contraction, a matrix that is computed from a
    constant of its size, is rounded to the nearest integer in units of a scale that `prec.fit_scale` chooses for each so many terms of a column,
    once for all that multiply it. The zero point is zero, the scale bf16. Both are part of the weight's program: nothing is computed here.

    A contraction stays as it is where `heddle-cast-products` leaves it, too, where its matrix has fewer than 32 terms or columns, where
    the terms do not follow each other on the left, where it is made of a constant of 8 bits or fewer an element, and, of 4 bits, where they are no multiple of 8. What else reads the weight, as embeddings do,
    reads it as it is. The module's `heddle.precision` says how many have such weights.

    ```mlir
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ==>
    %scale = prec.fit_scale %w axis 0 block 32 integer -8 : tensor<64x32xf32> -> tensor<2x32xbf16>
    %q = prec.quantize %w, %scale, %zero axis 0 block 32 rounding nearest_even range -8 to 7 : ... -> tensor<64x32xi4>
    %r = prec.dequantize %q, %scale, %zero axis 0 block 32 : tensor<64x32xi4>, ... -> tensor<64x32xf32>
    %0 = stablehlo.dot_general %x, %r, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    ```
  }];
  let options = [Option<"bits", "bits", "int64_t", "8", "Bits of a weight: 4 or 8">,
                 Option<"block", "block", "int64_t", "32", "Terms of a column that share a scale">];
  let dependentDialects = ["heddle::prec::PrecDialect", "heddle::stablehlo::StableHloDialect"];
}

#endif // HEDDLE_PASSES_PRECISION_PASSES
