// The plan dialect: the host program, data for the runtime to walk.

#ifndef HEDDLE_DIALECTS_PLAN_PLANOPS_TD
#define HEDDLE_DIALECTS_PLAN_PLANOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::heddle::plan";
  let summary = "buffers at fixed places, and the commands that fill them";
  let description = [{
    What remains of a model when its kernels and weights are taken out: a list
    of commands over buffers whose sizes and offsets are known. It is written to
    the artifact as it is (runtime/format/artifact.fbs).

    ```mlir
    plan.program @main arena 512 {
      %x = plan.buffer input 0 size 256 "x"
      %w = plan.buffer weight 0 size 1024 "w0"
      %t = plan.buffer arena 0 size 512 ""
      %y = plan.buffer output 0 size 256 "y"
      plan.launch @k0 reads(%x, %w) writes(%t) nodes ["MatMul_0"]
      plan.launch @k1 reads(%t) writes(%y) nodes ["Relu_1"]
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Plan_BufferType : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes";
}

def Plan_BufferKind : I32EnumAttr<"BufferKind", "where a buffer lives", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Weight", 2, "weight">, I32EnumAttrCase<"Arena", 3, "arena">]> {
  let cppNamespace = "::heddle::plan";
  let genSpecializedAttr = 0;
}
def Plan_BufferKindAttr : EnumAttr<Plan_Dialect, Plan_BufferKind, "kind">;

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

def Plan_ProgramOp : Plan_Op<"program", [
    Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "what a call of one entry does";
  let description = "Buffers first, then commands, run in order; loops and branches hold blocks of them. `arena` is the size of the memory that a call needs.";
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$arena);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `arena` $arena attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer"> {
  let summary = "a buffer of the program";
  let description = [{
    `place` is the number of the input, output or weight, or the offset in the
    arena, a multiple of 64. `name` is for people. `bytes` is there for an input
    or output whose size each call chooses: how many bytes it has, by the sizes
    that the call chooses; `size` is the most.
  }];
  let arguments = (ins Plan_BufferKindAttr:$kind, I64Attr:$place, I64Attr:$size, StrAttr:$name,
                       OptionalAttr<AffineMapAttr>:$bytes);
  let results = (outs Plan_BufferType:$result);
  let assemblyFormat = "$kind $place `size` $size $name attr-dict";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    The buffers are the kernel function's arguments and results, in order. A
    buffer may be read and written where the kernel's argument is `kernel.tied`
    or `kernel.in_place`. `integers` are the bits of the numbers that the function
    takes after its tensors. `nodes` names the nodes of the model that the kernel computes here.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Plan_BufferType>:$reads,
                       Variadic<Plan_BufferType>:$writes,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$integers, StrArrayAttr:$nodes);
  let assemblyFormat = [{
    $kernel `reads` `(` $reads `)` `writes` `(` $writes `)` (`integers` $integers^)? `nodes` $nodes attr-dict
  }];
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "copies a whole buffer to another of the same size";
  let arguments = (ins Plan_BufferType:$source, Plan_BufferType:$target, StrArrayAttr:$nodes);
  let assemblyFormat = "$source `to` $target `nodes` $nodes attr-dict";
  let hasVerifier = 1;
}

def Plan_ResizeOp : Plan_Op<"resize"> {
  let summary = "copies between an input or output of chosen size and a buffer of the largest";
  let description = [{
    One of both says its `bytes`: as many are copied. What is left of a larger
    target becomes zero.
  }];
  let arguments = (ins Plan_BufferType:$source, Plan_BufferType:$target, StrArrayAttr:$nodes);
  let assemblyFormat = "$source `to` $target `nodes` $nodes attr-dict";
  let hasVerifier = 1;
}

def Plan_ExtentOp : Plan_Op<"extent"> {
  let summary = "writes a size that the call chooses";
  let description = [{
    The value of symbol `symbol`, as an integer of 4 bytes.
  }];
  let arguments = (ins I64Attr:$symbol, Plan_BufferType:$target);
  let assemblyFormat = "$symbol `to` $target attr-dict";
  let hasVerifier = 1;
}

def Plan_LoopOp : Plan_Op<"loop", [NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "runs a block while a flag holds";
  let description = [{
    The first region computes the flag, a buffer of one byte; while that is not
    0, the second region is run and then the first again. What is carried from
    one round to the next lies in buffers that both write.

    ```mlir
    plan.loop condition {
      plan.launch @less reads(%i) writes(%flag) nodes []
    } while %flag do {
      plan.launch @next reads(%i) writes(%i) nodes []
    } nodes []
    ```
  }];
  let arguments = (ins Plan_BufferType:$flag, StrArrayAttr:$nodes);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "`condition` $condition `while` $flag `do` $body `nodes` $nodes attr-dict";
  let hasVerifier = 1;
}

def Plan_BranchOp : Plan_Op<"branch", [NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "runs one of several blocks";
  let description = [{
    The one whose number the selector holds, a signed integer of 1, 4 or 8
    bytes; the last one for any other value.

    ```mlir
    plan.branch %p cases {
      plan.copy %x to %y nodes []
    }, {
      plan.launch @k0 reads(%x) writes(%y) nodes []
    } nodes []
    ```
  }];
  let arguments = (ins Plan_BufferType:$selector, StrArrayAttr:$nodes);
  let regions = (region VariadicRegion<SizedRegion<1>>:$cases);
  let assemblyFormat = "$selector `cases` $cases `nodes` $nodes attr-dict";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_PLAN_PLANOPS_TD
