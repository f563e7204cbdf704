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

#endif // HEDDLE_PASSES_PRECISION_PASSES
