// Operations of the size dialect.

#ifndef HEDDLE_DIALECTS_SIZE_SIZEOPS_TD
#define HEDDLE_DIALECTS_SIZE_SIZEOPS_TD

include "dialects/Size/SizeAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Size_TensorOp : Op<Size_Dialect, "tensor", [Pure]> {
  let summary = "integers that follow from sizes, as a tensor";
  let description = [{
    The elements in row-major order, as many as the static shape of the result has:

    ```mlir
    %shape = size.tensor <batch, 12, sequence, 64> : tensor<4xi64>
    ```

    Of floats, the nearest to each integer.
  }];
  let arguments = (ins Size_ExtentsAttr:$elements);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$elements attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_SIZE_SIZEOPS_TD
