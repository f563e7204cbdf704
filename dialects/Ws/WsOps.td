// The ws dialect: roles, channels, and the work of roles on tiles.

#ifndef HEDDLE_DIALECTS_WS_WSOPS_TD
#define HEDDLE_DIALECTS_WS_WSOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ws_Dialect : Dialect {
  let name = "ws";
  let cppNamespace = "::heddle::ws";
  let useDefaultTypePrinterParser = 1;
  let summary = "roles of warps and the channels between them";
  let description = [{
    What a block of threads does, before it is said how warps wait for each
    other. Roles go through the same steps; a channel is the only way in which
    data passes from one role to another. A channel has slots, of which each
    holds the tiles of one step: a role enters an empty one, starts what fills
    it and leaves it; another role enters it once it is full, and leaves it when
    it has read all. Barriers, stages and phases are made from that by the
    lowering for a chip.

    ```mlir
    %channel = ws.channel : !ws.channel<3 x !ws.tile<128 x 32 x bf16, 2, 1>, !ws.tile<32 x 128 x bf16, 3, 0>>
    %zero = ws.zero : !ws.accumulator<128 x 128, 2 x 4>
    %sum = ws.roles %steps init %zero : !ws.accumulator<128 x 128, 2 x 4> produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : ...
      ws.copy ...
      ws.put.exit %token by cp_async
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !ws.accumulator<128 x 128, 2 x 4>):
      %a, %b, %token = ws.get.enter %channel : ...
      %started = ws.mma %a, %b, %carried ...
      %done = ws.mma.wait %started ...
      ws.get.exit %token
      ws.yield %done
    }
    ```
  }];
}

class Ws_Type<string name, string typeMnemonic> : TypeDef<Ws_Dialect, name> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def Ws_Tile : Ws_Type<"Tile", "tile"> {
  let summary = "a view of a matrix in a slot of shared memory";
  let description = [{
    Rows of elements, one after another. The 16-byte chunks of a row are
    exchanged: chunk c of row r lies at c xor ((r >> shift) mod 2^bits).

    With `panels`, a matrix lies as several of that many columns each, one behind
    another: boxes of tensors are at most as wide as a swizzle.

    ```mlir
    !ws.tile<rows x columns x element, bits, shift>
    !ws.tile<rows x columns x element, bits, shift, panels 64>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$element, "int64_t":$bits, "int64_t":$shift,
                        DefaultValuedParameter<"int64_t", "0">:$panel);
  let assemblyFormat = "`<` $rows `x` $columns `x` $element `,` $bits `,` $shift (`,` `panels` $panel^)? `>`";
  let extraClassDeclaration = [{
    /// Of the rows of a panel.
    SharedLayout getLayout() const;
    /// The columns of a panel: all of them where nothing else is said.
    int64_t getPanelColumns() const;
    int64_t getBytes() const;
  }];
}

def Ws_Map : Ws_Type<"Map", "map"> {
  let summary = "a tensor in global memory, as the device's copies of boxes see it";
  let genVerifyDecl = 0;
}

def Ws_Channel : Ws_Type<"Channel", "channel"> {
  let summary = "a ring of slots in shared memory, each with one tile of a kind";
  let parameters = (ins "int64_t":$depth, ArrayRefParameter<"::mlir::Type">:$tiles);
  let assemblyFormat = "`<` $depth `x` $tiles `>`";
  let extraClassDeclaration = [{
    int64_t getSlotBytes() const;
  }];
}

def Ws_Token : Ws_Type<"Token", "token"> {
  let summary = "the right to a slot between its enter and its exit";
  let genVerifyDecl = 0;
}

def Ws_Accumulator : Ws_Type<"Accumulator", "accumulator"> {
  let summary = "sums in f32 in the registers of a grid of warps";
  let description = [{
    `rows x columns` sums, divided among `warpRows x warpColumns` warps in equal
    rectangles.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$warpRows, "int64_t":$warpColumns);
  let assemblyFormat = "`<` $rows `x` $columns `,` $warpRows `x` $warpColumns `>`";
}

def Ws_Rows : Ws_Type<"Rows", "rows"> {
  let summary = "an f32 for each row of a matrix in registers";
  let description = [{
    The rows are divided among `warps` warps as those of an accumulator of
    `warps x 1` warps; every lane that has elements of a row has its number too.

    ```mlir
    !ws.rows<128, 8>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$warps);
  let assemblyFormat = "`<` $rows `,` $warps `>`";
}

def Ws_Operand : Ws_Type<"Operand", "operand"> {
  let summary = "the left operand of products in registers";
  let description = [{
    `rows x columns` elements of 16 bits, whose rows are divided among `warps`
    warps.

    ```mlir
    !ws.operand<128 x 64 x bf16, 8>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$element, "int64_t":$warps);
  let assemblyFormat = "`<` $rows `x` $columns `x` $element `,` $warps `>`";
}

/// What threads hold in registers from one operation to the next.
def Ws_Numbers : AnyTypeOf<[Ws_Accumulator, Ws_Rows], "numbers in f32 in registers">;

def Ws_Completion : I32EnumAttr<"Completion", "what tells that a slot is full", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">, I32EnumAttrCase<"Store", 1, "store">, I32EnumAttrCase<"Box", 2, "box">]> {
  let cppNamespace = "::heddle::ws";
}

class Ws_Op<string mnemonic, list<Trait> traits = []> : Op<Ws_Dialect, mnemonic, traits>;

def Ws_ChannelOp : Ws_Op<"channel"> {
  let summary = "makes a channel, whose slots are all empty";
  let description = [{
    The slots of a `launched` one lie in memory that the launch asks for, which
    may be more than a kernel has without.
  }];
  let arguments = (ins UnitAttr:$launched);
  let results = (outs Ws_Channel:$channel);
  let assemblyFormat = "(`launched` $launched^)? attr-dict `:` type($channel)";
}

def Ws_RolesOp : Ws_Op<"roles", [
    RangedTypesMatchWith<"results are as inits", "inits", "results", "llvm::make_range($_self.begin(), $_self.end())">,
    SingleBlock]> {
  let summary = "two roles that go through the same steps";
  let description = [{
    Each role does its region for each step from 0 to `steps`, in order. When a
    role is at which step is said by channels alone: each is put into by one of
    the two and read by the other. The consumer carries numbers in registers from
    step to step, which are the results. Where the producer copies boxes, it is a
    warpgroup of its own, and `registers` are those that a thread of it and one of
    the consumer's warpgroups ask for; without them all have the same number.
  }];
  let arguments = (ins Index:$steps, Variadic<Ws_Numbers>:$inits, OptionalAttr<DenseI64ArrayAttr>:$registers);
  let results = (outs Variadic<Ws_Numbers>:$results);
  let regions = (region SizedRegion<1>:$produce, SizedRegion<1>:$consume);
  let assemblyFormat = [{
    $steps `init` $inits (`registers` $registers^)? `:` type($inits) `produce` $produce `consume` $consume attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Ws_YieldOp : Ws_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

class Ws_EnterOp<string mnemonic> : Ws_Op<mnemonic> {
  let arguments = (ins Ws_Channel:$channel);
  let results = (outs Variadic<Ws_Tile>:$tiles, Ws_Token:$token);
  let assemblyFormat = "$channel `:` type($channel) `->` type($tiles) attr-dict";
  let hasVerifier = 1;
}

def Ws_PutEnterOp : Ws_EnterOp<"put.enter"> {
  let summary = "waits for an empty slot";
}

def Ws_PutExitOp : Ws_Op<"put.exit"> {
  let summary = "says what fills the slot: it is full once that has ended";
  let description = [{
    `cp_async`: the copies of this role since its enter, which end some time
    later. `store`: they have ended, other warps see them after a barrier. `box`:
    the bytes of copies of boxes have come, which the device counts.
  }];
  let arguments = (ins Ws_Token:$token, Ws_Completion:$completion);
  let assemblyFormat = "$token `by` $completion attr-dict";
  let hasVerifier = 1;
}

def Ws_GetEnterOp : Ws_EnterOp<"get.enter"> {
  let summary = "waits for the next full slot";
}

def Ws_GetExitOp : Ws_Op<"get.exit"> {
  let summary = "gives the slot back: its tiles are read no more";
  let arguments = (ins Ws_Token:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

def Ws_CopyOp : Ws_Op<"copy", [SingleBlock]> {
  let summary = "copies a matrix of global memory into a tile";
  let description = [{
    The region says where the elements of a row from `column` on lie in `source`:
    yields the position of the first of `chunk` that follow each other there, and
    whether they are inside. Those that are not become zero, and their position is
    not looked at. Columns are multiples of `chunk`.
  }];
  let arguments = (ins AnyMemRef:$source, Ws_Tile:$tile, I64Attr:$chunk);
  let regions = (region SizedRegion<1>:$place);
  let assemblyFormat = "$source `to` $tile `by` $chunk `:` type($source) `to` type($tile) $place attr-dict";
  let hasRegionVerifier = 1;
}

def Ws_TensorMapOp : Ws_Op<"tensor_map"> {
  let summary = "describes a tensor to the device's copies of boxes";
  let description = [{
    The tensor begins `offset` elements behind the start of `source`. `extents` are
    those of its dimensions, the innermost first, `strides` those of all but the
    innermost, in elements, and `box` what one copy brings. The host makes the map
    before the launch.

    ```mlir
    %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$offset, DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$box);
  let results = (outs Ws_Map:$map);
  let assemblyFormat = "$source `offset` $offset `extents` $extents `strides` $strides `box` $box `:` type($source) attr-dict";
  let hasVerifier = 1;
}

def Ws_CopyBoxOp : Ws_Op<"copy_box"> {
  let summary = "starts to copy boxes of a tensor into a tile";
  let description = [{
    Rows of the tile run along the second dimension of the map, its columns along
    the first. `at` is where the tile's first element lies, the innermost dimension
    first. What is outside of the tensor becomes zero. Each panel of the tile is
    one box.
  }];
  let arguments = (ins Ws_Map:$map, Variadic<Index>:$at, Ws_Tile:$tile);
  let assemblyFormat = "$map `at` $at `to` $tile `:` type($tile) attr-dict";
  let hasVerifier = 1;
}

def Ws_ClearOp : Ws_Op<"clear"> {
  let summary = "makes the last rows of a full tile zero";
  let description = [{
    Those from `row` on, if `where` is true, before a product reads them. What
    copies of boxes bring ends where the tensor does, and not where numbers of the
    call say.
  }];
  let arguments = (ins Ws_Tile:$tile, Index:$row, I1:$where);
  let assemblyFormat = "$tile `from` $row `where` $where `:` type($tile) attr-dict";
  let hasVerifier = 1;
}

def Ws_ZeroOp : Ws_Op<"zero", [Pure]> {
  let summary = "sums of nothing";
  let results = (outs Ws_Accumulator:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Ws_MmaOp : Ws_Op<"mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "starts to add a product of two tiles to sums";
  let description = [{
    lhs is `rows x k`, rhs `k x columns`, either as its transpose where that is
    said; an lhs in registers is never transposed. The sums, and the tiles, are in
    use until a `ws.mma.wait` has returned them.
  }];
  let arguments = (ins AnyTypeOf<[Ws_Tile, Ws_Operand]>:$lhs, Ws_Tile:$rhs, Ws_Accumulator:$accumulator, UnitAttr:$transposeLhs, UnitAttr:$transposeRhs);
  let results = (outs Ws_Accumulator:$result);
  let assemblyFormat = [{
    $lhs (`transposed` $transposeLhs^)? `,` $rhs (`transposed` $transposeRhs^)? `,` $accumulator attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Ws_MmaWaitOp : Ws_Op<"mma.wait", [AllTypesMatch<["started", "result"]>]> {
  let summary = "waits for all products that were added to sums";
  let arguments = (ins Ws_Accumulator:$started);
  let results = (outs Ws_Accumulator:$result);
  let assemblyFormat = "$started `:` type($started) attr-dict";
}

def Ws_LoadOp : Ws_Op<"load", [SingleBlock]> {
  let summary = "loads a left operand of products from global memory";
  let description = [{
    The region says where elements lie in `source`, as that of `ws.copy`; here
    `chunk` is 1 or 2, what one register holds. Those outside become zero.
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$chunk);
  let results = (outs Ws_Operand:$result);
  let regions = (region SizedRegion<1>:$place);
  let assemblyFormat = "$source `by` $chunk `:` type($source) `->` type($result) $place attr-dict";
  let hasRegionVerifier = 1;
}

def Ws_MapOp : Ws_Op<"map", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "computes numbers in registers, each from those at its place";
  let description = [{
    The region takes the number of each operand at one place, then the row, and
    the column if the result has columns; it yields the result's. A number of
    `ws.rows` is at each place of its row. With `where`, the region is done only
    if that is true, and else the result is the first operand.

    ```mlir
    %difference = ws.map %scores, %largest : (!ws.accumulator<128 x 64, 8 x 1>, !ws.rows<128, 8>) -> !ws.accumulator<128 x 64, 8 x 1> {
    ^bb0(%score: f32, %top: f32, %row: index, %column: index):
      %0 = arith.subf %score, %top : f32
      ws.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Ws_Numbers>:$numbers, Optional<I1>:$where);
  let results = (outs Ws_Numbers:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $numbers (`where` $where^)? `:` functional-type($numbers, $result) $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Ws_ReduceOp : Ws_Op<"reduce", [SingleBlock]> {
  let summary = "combines the numbers of each row";
  let description = [{
    The region combines two; in which order is not said. Every lane of a row has
    what comes out.
  }];
  let arguments = (ins Ws_Accumulator:$numbers);
  let results = (outs Ws_Rows:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$numbers `:` type($numbers) `->` type($result) $body attr-dict";
  let hasRegionVerifier = 1;
}

def Ws_NarrowOp : Ws_Op<"narrow"> {
  let summary = "rounds sums to elements that products take from registers";
  let arguments = (ins Ws_Accumulator:$numbers);
  let results = (outs Ws_Operand:$result);
  let assemblyFormat = "$numbers `:` type($numbers) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Ws_EpilogueOp : Ws_Op<"epilogue", [SingleBlock]> {
  let summary = "does its region for each of the sums, on the thread that has it";
  let arguments = (ins Ws_Accumulator:$accumulator);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$accumulator `:` type($accumulator) $body attr-dict";
  let hasRegionVerifier = 1;
}

#endif // HEDDLE_DIALECTS_WS_WSOPS_TD
