// The dist dialect: what differs from device to device of a mesh.

#ifndef HEDDLE_DIALECTS_DIST_DISTOPS_TD
#define HEDDLE_DIALECTS_DIST_DISTOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::heddle::dist";
  let summary = "what differs from device to device of a mesh";
  let description = [{
    Behind the partition all devices run one program. What each of them has else than the others, and knows before any call,
    stands here.
  }];
}

def Dist_PartOp : Op<Dist_Dialect, "part", [Pure]> {
  let summary = "the part of a constant that this device has";
  let description = [{
    `cuts` are triples of a dimension, how many parts it is cut into, and a divisor: the device's place on the mesh, divided by the
    divisor, modulo the number of parts, is the number of its part. Several cuts of one dimension nest, the coarsest first. No
    call computes it: it is part of a weight's program, and each device has a weight of its own.

    ```mlir
    %1 = dist.part %0 cuts [1, 2, 1] : tensor<16x24xf32> -> tensor<16x12xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, DenseI64ArrayAttr:$cuts);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `cuts` $cuts attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Where the part of the device at a place of the mesh begins, by dimension.
    ::llvm::SmallVector<int64_t> beginAt(int64_t place);
  }];
}

#endif // HEDDLE_DIALECTS_DIST_DISTOPS_TD
