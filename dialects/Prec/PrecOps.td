// The precision dialect: numbers in fewer bits, said in ops rather than types.

#ifndef HEDDLE_DIALECTS_PREC_PRECOPS_TD
#define HEDDLE_DIALECTS_PREC_PRECOPS_TD

include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Prec_Dialect : Dialect {
  let name = "prec";
  let cppNamespace = "::heddle::prec";
  let summary = "quantization with scales as values";
  let description = [{
    What `!quant.uniform` types, QDQ pairs and packed weights become at import:
    tensors of plain integers, and ops that convert. Scales and zero points are
    operands, so that they may be weights or computed; rounding and the range
    that is saturated to are written out. A quantization is never folded away
    because it looks like the inverse of the op before it: it rounds.

    Quantization stays as it is until targets part: one may have instructions for
    it, or multiply what is stored. `storage_type` says that the integers
    are unsigned where tensors hold them without a sign.

    ```mlir
    %q = prec.quantize %x, %scale, %zero rounding nearest_even range -128 to 127
           : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
    %y = prec.dequantize %q, %scale, %zero : tensor<2x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x3xf32>
    ```
  }];
}

def Prec_Rounding : I32EnumAttr<"Rounding", "how a quotient becomes an integer", [
    I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"NearestAway", 1, "nearest_away">,
    I32EnumAttrCase<"TowardZero", 2, "toward_zero">]> {
  let cppNamespace = "::heddle::prec";
}

def Prec_FloatTensor : RankedTensorOf<[F32, F64, F16, BF16]>;
def Prec_IntTensor : RankedTensorOf<[AnyInteger]>;
def Prec_NumberTensor : RankedTensorOf<[F32, F64, F16, BF16, I32]>;

class Prec_Op<string mnemonic, string methods = ""> : Op<Prec_Dialect, mnemonic, [Pure]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Which scale and zero point belong to the elements of a part of the
    /// input, `sizes` from `offsets` on.
    Parameters getParameters(::llvm::ArrayRef<int64_t> offsets, ::llvm::ArrayRef<int64_t> sizes);
    /// The integers that are stored and the zero point, as the model has them.
    ::mlir::IntegerType getStorage();
  }] # methods;
  let extraClassDefinition = [{
    Parameters $cppClass::getParameters(::llvm::ArrayRef<int64_t> offsets, ::llvm::ArrayRef<int64_t> sizes) {
      return Parameters(offsets, sizes, getAxis(), getBlock());
    }
    ::mlir::IntegerType $cppClass::getStorage() {
      ::mlir::Type held = ::mlir::getElementTypeOrSelf(getZeroPoint());
      return ::llvm::cast<::mlir::IntegerType>(getStorageType().value_or(held));
    }
  }];
}

def Prec_QuantizeOp : Prec_Op<"quantize", [{
    /// What is stored for a quotient of input and scale.
    int64_t store(double quotient, int64_t zeroPoint);
}]> {
  let summary = "real numbers to stored integers";
  let description = [{
    `clamp(round(input / scale) + zero_point, minimum, maximum)`, the quotient
    in the input's type; NaN becomes 0, moved into the range. Scale and zero
    point are scalars, or vectors along dimension `axis`, or, with `block`, have
    an element for each so many elements along `axis`, as for `prec.dequantize`.

    Quantizing what was dequantized with the same scale and zero point gives the
    stored integers back; that alone is folded.
  }];
  let arguments = (ins Prec_FloatTensor:$input, Prec_FloatTensor:$scale, Prec_IntTensor:$zero_point,
                       OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block, Prec_Rounding:$rounding,
                       I64Attr:$minimum, I64Attr:$maximum, OptionalAttr<TypeAttr>:$storage_type);
  let results = (outs Prec_IntTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $zero_point (`axis` $axis^)? (`block` $block^)? `rounding` $rounding `range` $minimum `to` $maximum
    attr-dict `:` type($input) `,` type($scale) `,` type($zero_point) `->` type($result)
  }];
  let hasFolder = 1;
}

def Prec_DequantizeOp : Prec_Op<"dequantize"> {
  let summary = "stored integers to the numbers that they stand for";
  let description = [{
    `(input - zero_point) * scale`: the difference exact, one rounding to the
    result's type. Scale and zero point are scalars, or vectors along `axis`.

    With `block`, so many elements that follow each other along `axis` share a
    scale and a zero point, which have the input's shape but for that dimension:
    there they count blocks, of which the last may be a part of one.

    ```mlir
    %y = prec.dequantize %q, %scale, %zero axis 0 block 32
           : tensor<70x16xui4>, tensor<3x16xf32>, tensor<3x16xui4> -> tensor<70x16xf32>
    ```

    A result of i32 has a scale of i32, and what is stored has at most 16 bits:
    these are the factors of products that a model sums up in integers. With a
    scale of one they are exact; other products wrap around.

    ```mlir
    %y = prec.dequantize %q, %one, %zero : tensor<2x3xui8>, tensor<i32>, tensor<ui8> -> tensor<2x3xi32>
    ```
  }];
  let arguments = (ins Prec_IntTensor:$input, Prec_NumberTensor:$scale, Prec_IntTensor:$zero_point,
                       OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block, OptionalAttr<TypeAttr>:$storage_type);
  let results = (outs Prec_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $zero_point (`axis` $axis^)? (`block` $block^)? attr-dict `:` type($input) `,` type($scale) `,` type($zero_point)
    `->` type($result)
  }];
}

def Prec_FitScaleOp : Op<Prec_Dialect, "fit_scale", [Pure]> {
  let summary = "the scale that spreads the numbers of a block over a range of integers";
  let description = [{
    `extreme / integer`, rounded to the result's type, for each `block` elements
    that follow each other along `axis`, of which the last may be a part of one:
    in units of it the extreme is just `integer`. The extreme is the element of
    the largest magnitude, of two that differ in sign the positive one, so that
    scales may be negative. It is NaN where a number of the block is not finite.

    With the end of the range that is further from zero as `integer`, a block
    uses one step more than with the largest magnitude at the other end.

    ```mlir
    %scale = prec.fit_scale %w axis 0 block 32 integer -8 : tensor<70x16xf32> -> tensor<3x16xf32>
    %q = prec.quantize %w, %scale, %zero axis 0 block 32 rounding nearest_even range -8 to 7
           : tensor<70x16xf32>, tensor<3x16xf32>, tensor<3x16xi4> -> tensor<70x16xi4>
    ```
  }];
  let arguments = (ins Prec_FloatTensor:$input, I64Attr:$axis, I64Attr:$block, I64Attr:$integer);
  let results = (outs Prec_FloatTensor:$result);
  let assemblyFormat = [{
    $input `axis` $axis `block` $block `integer` $integer attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Which of the result's elements belongs to the elements of a part of the
    /// input, `sizes` from `offsets` on.
    Parameters getParameters(::llvm::ArrayRef<int64_t> offsets, ::llvm::ArrayRef<int64_t> sizes) {
      return Parameters(offsets, sizes, getAxis(), getBlock());
    }
  }];
}

def Prec_UnpackOp : Op<Prec_Dialect, "unpack", [Pure]> {
  let summary = "a tensor of what is stored by a layout";
  let description = [{
    The row-major tensor whose elements `stored` holds in the order that
    `packing` says, a text of `runtime/format/WeightLayout.h`. Elements that
    share words have these as the elements of `stored`; other elements of less
    than a byte have a byte each.

    Kernels read what is stored: the tensor itself is in no memory.

    ```mlir
    %q = prec.unpack %w "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi32> -> tensor<64x60xi4>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$stored, StrAttr:$packing);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$stored $packing attr-dict `:` type($stored) `->` type($result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_PREC_PRECOPS_TD
