// What ranks do together, and which rank a program is.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELCOLLECTIVES_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELCOLLECTIVES_TD

include "dialects/Kernel/KernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_CollectiveOp : Kernel_Op<"collective", [Pure]> {
  let summary = "takes something from the ranks of a group";
  let description = [{
    It works on pieces that follow each other in memory, along the first dimension
    (`runtime/format/artifact.fbs` says what each kind does). `groups` are the ranks
    of all groups, one group of `of` ranks behind the other; of a permute, pairs.
    `element` is the element type with its sign.

    All ranks run the same commands in the same order, so that one may be left out
    or merged with another like any operation without effects.

    ```mlir
    %1 = kernel.collective "all_reduce" by "sum" (%0) groups [0, 1, 2, 3] of 2 type f32 channel 1 : tensor<4xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, OptionalAttr<StrAttr>:$reduction, AnyStaticShapeTensor:$source,
                       DenseI64ArrayAttr:$groups, I64Attr:$group_size, TypeAttr:$element, DefaultValuedAttr<I64Attr, "0">:$channel);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $kind (`by` $reduction^)? `(` $source `)` `groups` $groups `of` $group_size `type` $element (`channel` $channel^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_RankOp : Kernel_Op<"rank", [Pure]> {
  let summary = "the number of this rank";
  let description = [{
    ```mlir
    %0 = kernel.rank : tensor<i32>
    ```
  }];
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // HEDDLE_DIALECTS_KERNEL_KERNELCOLLECTIVES_TD
