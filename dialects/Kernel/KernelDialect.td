// The kernel dialect: the form between the graph and the machine.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::heddle::kernel";
  let summary = "dispatches, the kernels they become, and the roots that linalg lacks";
  let description = [{
    A *dispatch* is a group of tensor ops that run as one kernel. Dispatches
    are formed in place (`kernel.dispatch`), then outlined: equal ones become
    one *kernel function*, a `func.func` with the unit attribute
    `kernel.entry`, and a `kernel.launch` where each of them stood.

    A kernel function takes and returns tensors whose types say their shapes,
    or the largest ones with true extents as their encoding (`#size.extents`).
    Its first arguments are the launch's input buffers, its results the output
    buffers, in order; behind the inputs come the launch's `sizes` (`index`)
    and `scalars`, numbers that layers with equal kernels differ in.
    Its body holds `arith.constant`, `tensor.empty`, `linalg.fill`,
    `linalg.generic`, at most one *root* of this dialect, and `return`:

    - a `linalg.generic` reads through linear indexing maps (`d1 * 2 + 5` is a
      strided slice; see `linearAccess` in LinearAccess.h). Its payload is `arith`,
      `math`, `linalg.index`, and `tensor.extract` of a function argument
      (gather; who builds the IR has clamped the indices);
    - the result of a contraction, a convolution or an attention may pass
      through one elementwise `linalg.generic`, the *epilogue*, whose output map may permute;
    - several generics that share their leading parallel dimensions form a *row
      kernel*: what passes between them never leaves the row.

    An argument with the attribute `kernel.tied = N` shares its buffer with
    result N, always (`kernel.dynamic_update_slice`, `kernel.scatter`): on
    entry the result's buffer holds the argument's value. `kernel.in_place =
    N` on an argument says that it may share result N's buffer: whoever lowers
    the function reads each element before it writes there, or drops the
    attribute.

    Constants of the model are symbols (`kernel.weight`) that hold the small
    tensor program by which the packer makes their bytes.

    ```mlir
    kernel.weight @w0 : tensor<768x3072xf32> packing "* k n -> * n/32 k n%32" {
      %0 = stablehlo.constant dense_resource<fc1> : tensor<3072x768xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3072x768xf32>) -> tensor<768x3072xf32>
      kernel.yield %1 : tensor<768x3072xf32>
    }
    func.func private @k0(%x: tensor<128x768xf32>, %w: tensor<96x768x32xf32>) -> tensor<128x3072xf32> attributes {kernel.entry} {
      %0 = kernel.contract %x, %w {...} : tensor<128x768xf32>, tensor<96x768x32xf32> -> tensor<128x3072xf32>
      return %0 : tensor<128x3072xf32>
    }
    func.func @main(%x: tensor<128x768xf32>) -> tensor<128x3072xf32> {
      %w = kernel.weight_ref @w0 : tensor<96x768x32xf32>
      %0 = kernel.launch @k0(%x, %w) : (tensor<128x768xf32>, tensor<96x768x32xf32>) -> tensor<128x3072xf32>
      return %0 : tensor<128x3072xf32>
    }
    ```
  }];
  let dependentDialects = ["::heddle::size::SizeDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

#endif // HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_TD
