// Random numbers.

#ifndef HEDDLE_STABLEHLO_RANDOM_OPS
#define HEDDLE_STABLEHLO_RANDOM_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_RngOp : StableHlo_InferredOp<"rng", []> {
  let summary = "random numbers of a distribution; which ones is left open";
  let arguments = (ins SH_Tensor:$a, SH_Tensor:$b, SH_ShapeTensor:$shape,
                       StableHlo_RngDistributionAttr:$rng_distribution);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)
  }];
}

def StableHlo_RngBitGeneratorOp : StableHlo_Op<"rng_bit_generator", [Pure]> {
  let summary = "random bits and the generator's next state, exactly specified";
  let arguments = (ins StableHlo_RngAlgorithmAttr:$rng_algorithm, SH_Tensor:$initial_state);
  let results = (outs SH_Tensor:$output_state, SH_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_STABLEHLO_RANDOM_OPS
