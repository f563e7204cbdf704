// The plan dialect: the host program, data for the runtime to walk.

#ifndef HEDDLE_DIALECTS_PLAN_PLANOPS_TD
#define HEDDLE_DIALECTS_PLAN_PLANOPS_TD

include "dialects/Plan/PlanEnums.td"
include "dialects/Size/SizeAttributes.td"
include "mlir/IR/AttrTypeBase.td"
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

    A program that says nothing of devices runs on the cpu. Others name their
    devices, the cpu first; a buffer then says on which of them it lies, in
    which memory, and a command in which queue it stands. The commands of a
    queue run in order; those of different queues are ordered by events alone.

    ```mlir
    plan.program @main arena 256 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 256>] {
      %x = plan.buffer input 0 size 256 "x"
      %a = plan.buffer arena 0 size 256 "" on 1 device
      %t = plan.buffer arena 0 size 256 ""
      %y = plan.buffer output 0 size 256 "y"
      plan.copy %x to %a nodes ["Relu_0"] queue 1
      plan.launch @k0 reads(%a) writes(%a) nodes ["Relu_0"] queue 1
      plan.copy %a to %t nodes ["Exp_1"] queue 1 signals [0]
      plan.launch @k1 reads(%t) writes(%y) nodes ["Exp_1"] after [0]
    }
    ```

    What calls change and keep is in states, which the programs of a module share.

    ```mlir
    plan.state "cache" size 256
    plan.program @main arena 0 {
      %x = plan.buffer input 0 size 256 "x"
      %c = plan.buffer state 0 size 256 "cache" changed
      plan.launch @k0 reads(%c, %x) writes(%c) nodes ["Add_0"]
    }
    ```
  }];
  let dependentDialects = ["::heddle::size::SizeDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Plan_BufferType : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes";
}

def Plan_BufferKindAttr : EnumAttr<Plan_Dialect, Plan_BufferKind, "kind">;

def Plan_MemorySpaceAttr : EnumAttr<Plan_Dialect, Plan_MemorySpace, "space">;

def Plan_MemoryAttr : AttrDef<Plan_Dialect, "Memory"> {
  let mnemonic = "memory";
  let summary = "how many bytes a program has in a memory of a device";
  let parameters = (ins "int64_t":$device, "::heddle::plan::MemorySpace":$space, "int64_t":$size);
  let assemblyFormat = "`<` $device `,` $space `,` $size `>`";
}
def Plan_MemoryArrayAttr : TypedArrayAttrBase<Plan_MemoryAttr, "a list of memories">;

def Plan_AlternativeAttr : AttrDef<Plan_Dialect, "Alternative"> {
  let mnemonic = "alternative";
  let summary = "a kernel for some of the sizes that a call chooses";
  let description = [{
    Those for which `condition`, a function of the symbols of sizes, is not 0.

    ```mlir
    plan.launch @k0 reads(%x) writes(%y) alternatives [#plan.alternative<@k1, <is_positive(batch - 127)>>] nodes []
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$kernel, "::heddle::size::ExpressionAttr":$condition);
  let assemblyFormat = "`<` $kernel `,` $condition `>`";
}
def Plan_AlternativeArrayAttr : TypedArrayAttrBase<Plan_AlternativeAttr, "a list of alternatives">;
def Plan_ConditionArrayAttr : TypedArrayAttrBase<Size_ExpressionAttr, "a list of conditions">;
def Plan_SizeArrayAttr : TypedArrayAttrBase<Size_ExpressionAttr, "a list of sizes">;

def Plan_CommandOpInterface : OpInterface<"CommandOpInterface"> {
  let cppNamespace = "::heddle::plan";
  let description = [{
    A command stands in a queue. It starts after the events that it waits for, and
    fires those that it signals when it is done. An event belongs to one run of its
    block, and whoever signals it stands before those who wait for it.
  }];
  let methods = [
    InterfaceMethod<"The number of its queue.", "uint64_t", "getQueue">,
    InterfaceMethod<"The events it waits for.", "::std::optional<::llvm::ArrayRef<int64_t>>", "getAfter">,
    InterfaceMethod<"The events it fires.", "::std::optional<::llvm::ArrayRef<int64_t>>", "getSignals">
  ];
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

/// An op with a place in a queue.
class Plan_Command<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits # [DeclareOpInterfaceMethods<Plan_CommandOpInterface>]> {
  dag order = (ins DefaultValuedAttr<I64Attr, "0">:$queue, OptionalAttr<DenseI64ArrayAttr>:$after,
                   OptionalAttr<DenseI64ArrayAttr>:$signals);
  string orderFormat = " (`queue` $queue^)? (`after` $after^)? (`signals` $signals^)? attr-dict";
}

def Plan_ProgramOp : Plan_Op<"program", [
    Symbol, IsolatedFromAbove, NoTerminator, NoRegionArguments, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what a call of one entry does";
  let description = [{
    Buffers first, then commands; loops and branches hold blocks of them. `arena`
    is the size of the memory that a call needs of the process, `arenas` what it
    needs elsewhere. Where that depends on the sizes that a call chooses, `as` says
    how, and `arena` is the most.

    ```mlir
    plan.program @main arena 4096 as <512 * batch> {
      %a = plan.buffer arena 0 size 2048 "" {bytes = #size.expression<256 * batch>}
      %b = plan.buffer arena 2048 size 2048 "" {bytes = #size.expression<256 * batch>, offset = #size.expression<256 * batch>}
    }
    ```

    `devices` are names such as "cpu" and "sim:1", the cpu first; it is the only
    one of a program that names none. `queues` gives the device of each queue;
    without it each device has one, of its own number.

    `guard` is a condition on the sizes that a call chooses: a program that has one
    is run where it holds, instead of the next one. The programs of an entry follow
    each other, and the last has none.

    ```mlir
    plan.program @few guard <is_positive(9 - batch)> arena 64 {
    }
    plan.program @main arena 4096 {
    }
    ```

    `init` names the program that runs at load and fills the persistent memory,
    which programs then read. That program says in `persistent` how much there is.

    ```mlir
    plan.program @load arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 1024>] {
      %w = plan.buffer weight 0 size 1024 "w0"
      %d = plan.buffer persistent 0 size 1024 "w0" on 1 device
      plan.copy %w to %d nodes [] queue 1
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<Size_ExpressionAttr>:$guard, I64Attr:$arena,
                       OptionalAttr<Size_ExpressionAttr>:$arena_bytes, OptionalAttr<StrArrayAttr>:$devices,
                       OptionalAttr<DenseI64ArrayAttr>:$queues, OptionalAttr<Plan_MemoryArrayAttr>:$arenas,
                       OptionalAttr<Plan_MemoryArrayAttr>:$persistent, OptionalAttr<FlatSymbolRefAttr>:$init);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`guard` $guard^)? `arena` $arena (`as` $arena_bytes^)? (`devices` $devices^)? (`queues` $queues^)? (`arenas` $arenas^)?
    (`persistent` $persistent^)? (`init` $init^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The names of the devices, "cpu" first.
    ::llvm::SmallVector<::llvm::StringRef> deviceNames();
    /// The device of each queue.
    ::llvm::SmallVector<int64_t> queueDevices();
  }];
}

def Plan_StateOp : Plan_Op<"state"> {
  let summary = "memory that calls change and keep";
  let description = [{
    States are numbered as they stand. The host makes them, and gives them to
    calls of the programs that have a buffer of them.

    ```mlir
    plan.state "cache" size 1572864
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$size, DefaultValuedAttr<I64Attr, "0">:$device,
                       DefaultValuedAttr<Plan_MemorySpaceAttr, "::heddle::plan::MemorySpace::Host">:$space);
  let assemblyFormat = "$name `size` $size (`on` $device^ $space)? attr-dict";
  let hasVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer"> {
  let summary = "a buffer of the program";
  let description = [{
    `place` is the number of the input, output, weight or state, or the offset in
    the arena or persistent memory, a multiple of 64. `name` is for people. `bytes` is
    there for an input, an output or a part of an arena whose size each call
    chooses: how many bytes it has, by the sizes that the call chooses; `size` is
    the most. `offset` is there where these choose the place in an arena, too, which
    is `place` for the largest.

    What says no device and space is in the memory of the process. A state that
    the program writes is `changed`; it is in one buffer.
  }];
  let arguments = (ins Plan_BufferKindAttr:$kind, I64Attr:$place, I64Attr:$size, StrAttr:$name,
                       OptionalAttr<Size_ExpressionAttr>:$bytes, OptionalAttr<Size_ExpressionAttr>:$offset, DefaultValuedAttr<I64Attr, "0">:$device,
                       DefaultValuedAttr<Plan_MemorySpaceAttr, "::heddle::plan::MemorySpace::Host">:$space,
                       UnitAttr:$changed);
  let results = (outs Plan_BufferType:$result);
  let assemblyFormat = "$kind $place `size` $size $name (`on` $device^ $space)? (`changed` $changed^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether commands of its program may write it.
    bool isWritable();
  }];
}

def Plan_LaunchOp : Plan_Command<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    The buffers are the kernel function's arguments and results, in order. A
    buffer may be read and written where the kernel's argument is `kernel.tied`
    or `kernel.in_place`. `sizes` are functions of the program's symbols, of the
    values that the function takes after its tensors; `integers` are the bits of the
    numbers that follow them. `nodes` names the nodes of the model that the kernel computes here.

    The first of the `alternatives` whose condition holds for the call's sizes runs
    in place of `kernel`, over the same buffers, sizes and integers.
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$kernel, Variadic<Plan_BufferType>:$reads,
                            Variadic<Plan_BufferType>:$writes,
                            DefaultValuedOptionalAttr<Plan_SizeArrayAttr, "{}">:$sizes,
                            DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$integers,
                            OptionalAttr<Plan_AlternativeArrayAttr>:$alternatives, StrArrayAttr:$nodes), order);
  let assemblyFormat = "$kernel `reads` `(` $reads `)` `writes` `(` $writes `)` (`sizes` $sizes^)? (`integers` $integers^)? (`alternatives` $alternatives^)? `nodes` $nodes" # orderFormat;
}

def Plan_CopyOp : Plan_Command<"copy"> {
  let summary = "copies a whole buffer to another of the same size";
  let arguments = !con((ins Plan_BufferType:$source, Plan_BufferType:$target, StrArrayAttr:$nodes), order);
  let assemblyFormat = "$source `to` $target `nodes` $nodes" # orderFormat;
  let hasVerifier = 1;
}

def Plan_ResizeOp : Plan_Command<"resize"> {
  let summary = "copies between buffers of which a call chooses the sizes each by itself";
  let description = [{
    As many bytes as the smaller one has: mostly an input or output of chosen
    size, and the other the largest. What is left of a larger target becomes zero.
  }];
  let arguments = !con((ins Plan_BufferType:$source, Plan_BufferType:$target, StrArrayAttr:$nodes), order);
  let assemblyFormat = "$source `to` $target `nodes` $nodes" # orderFormat;
  let hasVerifier = 1;
}

def Plan_ExtentOp : Plan_Command<"extent"> {
  let summary = "writes a size that the call chooses";
  let description = [{
    The value of the symbol of that name, as an integer of 4 bytes.
  }];
  let arguments = !con((ins StrAttr:$symbol, Plan_BufferType:$target), order);
  let assemblyFormat = "$symbol `to` $target" # orderFormat;
  let hasVerifier = 1;
}

def Plan_CollectiveOp : Plan_Command<"collective"> {
  let summary = "does something together with other ranks";
  let description = [{
    What its kinds do says `runtime/format/artifact.fbs`. `groups` are the ranks of
    all groups, one group of `of` ranks behind the other; of a permute, pairs.

    ```mlir
    plan.collective "all_reduce" by "sum" %x to %y groups [0, 1, 2, 3] of 2 type f32 nodes ["dot_0"]
    ```
  }];
  let arguments = !con((ins StrAttr:$kind, OptionalAttr<StrAttr>:$reduction, Plan_BufferType:$source, Plan_BufferType:$target,
                            DenseI64ArrayAttr:$groups, I64Attr:$group_size, TypeAttr:$element,
                            DefaultValuedAttr<I64Attr, "0">:$channel, StrArrayAttr:$nodes), order);
  let assemblyFormat = "$kind (`by` $reduction^)? $source `to` $target `groups` $groups `of` $group_size `type` $element (`channel` $channel^)? `nodes` $nodes" # orderFormat;
  let hasVerifier = 1;
}

def Plan_RankOp : Plan_Command<"rank"> {
  let summary = "writes the number of this rank, an integer of 4 bytes";
  let arguments = !con((ins Plan_BufferType:$target), order);
  let assemblyFormat = "`to` $target" # orderFormat;
  let hasVerifier = 1;
}

def Plan_CountOp : Plan_Command<"count"> {
  let summary = "reads a size that the program computes";
  let description = [{
    The value of the symbol of that name, an integer of 4 bytes. The launches that
    stand behind it are told numbers that follow from the value; to all others, and
    for sizes and places of buffers, it is the largest. It stands in a queue of the
    cpu, or of a device whose queues read counts, for the launches there: in the
    one queue of that device that all such launches are in; and in no loop or
    branch.

    ```mlir
    plan.launch @nonzero reads(%x) writes(%n, %y) nodes ["NonZero_0"]
    plan.count "NonZero_0.count" from %n
    plan.launch @exp reads(%y) writes(%z) nodes ["Exp_1"]
    ```
  }];
  let arguments = !con((ins StrAttr:$symbol, Plan_BufferType:$source), order);
  let assemblyFormat = "$symbol `from` $source" # orderFormat;
  let hasVerifier = 1;
}

def Plan_LoopOp : Plan_Command<"loop", [NoTerminator, SingleBlock, NoRegionArguments]> {
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
  let arguments = !con((ins Plan_BufferType:$flag, StrArrayAttr:$nodes), order);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "`condition` $condition `while` $flag `do` $body `nodes` $nodes" # orderFormat;
  let hasVerifier = 1;
}

def Plan_BranchOp : Plan_Command<"branch", [NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "runs one of several blocks";
  let description = [{
    The one whose number the selector holds, a signed integer of 1, 4 or 8
    bytes; the last one for any other value. Without a selector, the first whose
    condition holds for the sizes that the call chooses, and the last one, which
    has none, where no condition does.

    ```mlir
    plan.branch %p cases {
      plan.copy %x to %y nodes []
    }, {
      plan.launch @k0 reads(%x) writes(%y) nodes []
    } nodes []
    plan.branch where [#size.expression<is_positive(9 - batch)>] cases {
      plan.launch @k0 reads(%x) writes(%y) nodes []
    }, {
      plan.launch @k1 reads(%x) writes(%y) nodes []
    } nodes []
    ```
  }];
  let arguments = !con((ins Optional<Plan_BufferType>:$selector, OptionalAttr<Plan_ConditionArrayAttr>:$conditions,
                            StrArrayAttr:$nodes), order);
  let regions = (region VariadicRegion<SizedRegion<1>>:$cases);
  let assemblyFormat = "($selector^)? (`where` $conditions^)? `cases` $cases `nodes` $nodes" # orderFormat;
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_PLAN_PLANOPS_TD
