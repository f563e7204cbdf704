// Sizes of a program: what an artifact says of them, how a call tells each, and what is refused.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compile -q --start-from=heddle-graph program.mlir -t x86-64-v3 -o p.heddle 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark
// REMARK: program.mlir: attend: remark: takes for granted that past = limit; calls of other sizes are refused
// REMARK: program.mlir: remark: takes for granted that past <= 4; calls of other sizes are refused
// RUN: heddle inspect p.heddle | FileCheck %s
// CHECK:      size rows: 2..64, multiples of 2
// CHECK-NEXT: size past: 0..8
// CHECK-NEXT: size limit: 0..9
// CHECK-NEXT: entry main
// CHECK-NEXT: input x f32 2..64x4
// CHECK-NEXT: input mask i8 3..89
// CHECK-NEXT: output y f32 2..64x4
// CHECK-NEXT: calls give the size limit
// CHECK-NEXT: takes for granted that past = limit (attend)
// CHECK-NEXT: takes for granted that past <= 4{{$}}
// RUN: heddle inspect --json p.heddle | %python -m json.tool --indent=1 | FileCheck %s --check-prefix=JSON
// JSON:      "entries": [
// JSON:      "assumptions": [
// JSON-NEXT: {
// JSON-NEXT: "node": "attend",
// JSON-NEXT: "text": "past = limit"
// JSON:      "given_sizes": [
// JSON-NEXT: "limit"
// JSON:      "sizes": [
// JSON-NEXT: {
// JSON-NEXT: "computed": false,
// JSON-NEXT: "maximum": 64,
// JSON-NEXT: "minimum": 2,
// JSON-NEXT: "multiple": 2,
// JSON-NEXT: "name": "rows"

// The result is x + limit; mask has 3 * past + rows + 1 elements.
// RUN: heddle run p.heddle --input x=ones --dim rows=6 --dim past=3 --dim limit=3 | FileCheck %s --check-prefix=CALL
// CALL: y: f32 6x4, from 4 to 4
// RUN: %exits 1 heddle run p.heddle --dim rows=6 --dim past=3 --dim limit=2 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error[HDL-0807]: past = limit does not hold: past is 3, limit is 2 (node attend wants it)
// RUN: %exits 1 heddle run p.heddle --dim past=5 --dim limit=5 | FileCheck %s --check-prefix=LESS
// LESS: error[HDL-0807]: past <= 4 does not hold: past is 5{{$}}
// RUN: %exits 1 heddle run p.heddle --dim past=3 | FileCheck %s --check-prefix=UNTOLD
// UNTOLD: error[HDL-0807]: the size 'limit' is told by no input: the call has to give it
// RUN: %exits 2 heddle run p.heddle --dim rows=5 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: error[HDL-0213]: "rows" is from 2 to 64 and a multiple of 2 in this program

// Models that become one keep their sizes and assumptions apart.
// RUN: heddle compile -q --entry a=program.mlir --entry b=program.mlir -t x86-64-v3 -o two.heddle
// RUN: heddle inspect two.heddle | FileCheck %s --check-prefix=TWO
// TWO:      size a.rows: 2..64, multiples of 2
// TWO:      size b.limit: 0..9
// TWO:      entry a
// TWO:      calls give the size a.limit
// TWO-NEXT: takes for granted that past = limit (attend)
// TWO-NEXT: takes for granted that past <= 4{{$}}
// TWO-NEXT: entry b
// TWO:      calls give the size b.limit
// TWO-NEXT: takes for granted that past = limit (attend)
// RUN: heddle run two.heddle --entry b --input x=ones --dim b.rows=6 --dim b.past=3 --dim b.limit=3 --dim a.past=8 | FileCheck %s --check-prefix=CALL
// RUN: %exits 1 heddle run two.heddle --entry b --dim b.past=3 --dim b.limit=2 --dim a.limit=3 | FileCheck %s --check-prefix=OTHER
// OTHER: error[HDL-0807]: past = limit does not hold: b.past is 3, b.limit is 2 (node attend wants it)

// Twenty sizes, of which one is large and in no shape: the result is their sum.
// RUN: %python %S/Inputs/many_sizes.py > many.mlir
// RUN: heddle compile -q --start-from=heddle-graph many.mlir -t x86-64-v3 -o many.heddle
// RUN: heddle run many.heddle --dim s0=1 --dim s18=0 --dim big=2147483584 | FileCheck %s --check-prefix=MANY
// MANY: sum: f32 scalar, from 2.14748e+09
// RUN: heddle run many.heddle --dim s0=1 --dim s18=0 --dim big=7 | FileCheck %s --check-prefix=SUM
// SUM: sum: f32 scalar, from 42 to 42
// RUN: %exits 2 heddle run many.heddle --dim big=2147483648 | FileCheck %s --check-prefix=BIG
// BIG: error[HDL-0213]: "big" is from 0 to 2147483647 in this program

// A dump may say anything of sizes, and so may a model.
// RUN: %exits 1 heddle compile no-list.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=LIST
// RUN: %exits 1 heddle compile --entry a=no-list.mlir --entry b=no-list.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=LIST
// RUN: %exits 1 heddle compile --start-from=heddle-graph no-list.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=LIST
// LIST: error[HDL-0307]: heddle.symbols is no list of dictionaries
// RUN: %exits 1 heddle compile --start-from=heddle-graph no-range.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=RANGE
// RANGE: error[HDL-0307]: heddle.symbols has {maximum = 8 : i64, minimum = 7 : i64, multiple = 5 : i64, name = "n"}, which is no size with a range
// RUN: %exits 1 heddle compile --start-from=heddle-graph twice.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=TWICE
// TWICE: error[HDL-0307]: heddle.symbols has the size 'n' twice
// RUN: %exits 1 heddle compile --start-from=heddle-graph assumption.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=ASSUMPTION
// ASSUMPTION: error[HDL-0307]: heddle.size_assumptions has {zero = #size.expression<n - 1>}, which is no assumption
// RUN: %exits 1 heddle compile --start-from=heddle-graph unknown.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[HDL-0307]: heddle.size_assumptions names the size 'm', which heddle.symbols does not have
// RUN: %exits 1 heddle compile --start-from=heddle-graph shape.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=SHAPE
// SHAPE: error[HDL-0307]: argument 0 of 'main' names the size 'm', which heddle.symbols does not have
// RUN: %exits 1 heddle compile --start-from=heddle-graph extent.mlir -t x86-64-v3 -o bad.heddle | FileCheck %s --check-prefix=EXTENT
// EXTENT: error[HDL-0307]: argument 0 of 'main' has heddle.extent = "m", which heddle.symbols does not have

//--- program.mlir
module attributes {
  heddle.symbols = [{name = "rows", minimum = 2 : i64, maximum = 64 : i64, multiple = 2 : i64},
                    {name = "past", minimum = 0 : i64, maximum = 8 : i64}, {name = "limit", minimum = 0 : i64, maximum = 9 : i64}],
  heddle.size_assumptions = [{zero = #size.expression<past - limit>, text = "past = limit", node = "attend"},
                             {zero = #size.expression<is_positive(past - 4)>, text = "past <= 4"}]} {
  func.func @main(%x: tensor<64x4xf32> {heddle.name = "x", heddle.shape = #size.extents<rows, 4>},
                  %mask: tensor<89xi8> {heddle.name = "mask", heddle.shape = #size.extents<3 * past + rows + 1>},
                  %rows: tensor<i32> {heddle.extent = "rows"}, %past: tensor<i32> {heddle.extent = "past"},
                  %limit: tensor<i32> {heddle.extent = "limit"})
      -> (tensor<64x4xf32> {heddle.name = "y", heddle.shape = #size.extents<rows, 4>}) {
    %0 = stablehlo.convert %limit : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x4xf32>
    %2 = stablehlo.add %x, %1 : tensor<64x4xf32>
    return %2 : tensor<64x4xf32>
  }
}

//--- no-list.mlir
module attributes {heddle.symbols = "n"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- no-range.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 7 : i64, maximum = 8 : i64, multiple = 5 : i64}]} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- twice.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 4 : i64}, {name = "n", minimum = 1 : i64, maximum = 4 : i64}]} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- assumption.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 4 : i64}], heddle.size_assumptions = [{zero = #size.expression<n - 1>}]} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- unknown.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 4 : i64}], heddle.size_assumptions = [{zero = #size.expression<m>, text = "m = 0"}]} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- shape.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 4 : i64}]} {
  func.func @main(%x: tensor<4xf32> {heddle.shape = #size.extents<m>}) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

//--- extent.mlir
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 4 : i64}]} {
  func.func @main(%x: tensor<i32> {heddle.extent = "m"}, %y: tensor<4xf32>) -> tensor<4xf32> { return %y : tensor<4xf32> }
}
