// Kernels of generics over extents that each call chooses, against the kernels
// made for just those sizes.

#include "SizedKernels.h"

using namespace heddle::test;

namespace {

/// A generic of `maps` and `iterators` over `ins` and `outs`.
std::string generic(const std::string &maps, const std::string &iterators,
                    const std::string &rest) {
  return "linalg.generic {indexing_maps = [" + maps + "], iterator_types = [" +
         iterators + "]} " + rest + "\n";
}

TEST(SizedLoops, OneLoop) {
  // All dimensions are walked as one, with and without a remainder.
  for (const char *type :
       {"tensor<4x900xf32, #size.extents<batch, sequence>>",
        "tensor<4x9x128xf32, #size.extents<batch, sequence, 128>>"}) {
    std::string t = type, map = t.find("128") == std::string::npos
                                    ? "affine_map<(a, b) -> (a, b)>"
                                    : "affine_map<(a, b, c) -> (a, b, c)>";
    std::string kinds = t.find("128") == std::string::npos
                            ? "\"parallel\", \"parallel\""
                            : "\"parallel\", \"parallel\", \"parallel\"";
    checkSized("func.func @k(%a: " + t + ", %b: " + t + ") -> " + t +
                   " attributes {kernel.entry} {\n %e = tensor.empty() : " + t +
                   "\n %0 = " +
                   generic(map + ", " + map + ", " + map, kinds,
                           "ins(%a, %b : " + t + ", " + t + ") outs(%e : " + t +
                               ") {\n^bb0(%x: f32, %y: f32, %o: f32):\n"
                               "  %s = arith.mulf %x, %y : f32\n"
                               "  %d = arith.addf %s, %y : f32\n"
                               "  linalg.yield %d : f32\n} -> " +
                               t) +
                   " return %0 : " + t + "\n}\n",
               grid({0, 1, 3, 4}, {0, 1, 5, 9}));
  }
}

TEST(SizedLoops, LongLoop) {
  std::string t = "tensor<4x90000xf32, #size.extents<batch, sequence>>",
              map = "affine_map<(a, b) -> (a, b)>";
  checkSized(
      "func.func @k(%a: " + t + ") -> " + t +
          " attributes {kernel.entry} {\n %e = tensor.empty() : " + t +
          "\n %0 = " +
          generic(map + ", " + map, "\"parallel\", \"parallel\"",
                  "ins(%a : " + t + ") outs(%e : " + t +
                      ") {\n^bb0(%x: f32, %o: f32):\n"
                      "  %s = math.exp %x : f32\n"
                      "  linalg.yield %s : f32\n} -> " +
                      t) +
          " return %0 : " + t + "\n}\n",
      grid({1, 4}, {1, 15, 16, 17, 63, 64, 65, 255, 257, 16384, 16385, 90000}));
}

TEST(SizedLoops, Bias) {
  std::string t = "tensor<3x5x70xf32, #size.extents<batch, sequence, 70>>";
  checkSized(
      "func.func @k(%a: " + t + ", %b: tensor<70xf32>) -> " + t +
          " attributes {kernel.entry} {\n %e = tensor.empty() : " + t +
          "\n %0 = " +
          generic("affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) "
                  "-> (c)>, affine_map<(a, b, c) -> (a, b, c)>",
                  "\"parallel\", \"parallel\", \"parallel\"",
                  "ins(%a, %b : " + t + ", tensor<70xf32>) outs(%e : " + t +
                      ") {\n^bb0(%x: f32, %y: f32, %o: f32):\n"
                      "  %s = arith.addf %x, %y : f32\n"
                      "  linalg.yield %s : f32\n} -> " +
                      t) +
          " return %0 : " + t + "\n}\n",
      grid({0, 1, 2, 3}, {0, 1, 2, 5}));
}

TEST(SizedLoops, Transposed) {
  // Strides that depend on sizes, of loops and of lanes.
  std::string in = "tensor<3x40x20xf32, #size.extents<batch, sequence, 20>>",
              out = "tensor<3x20x40xf32, #size.extents<batch, 20, sequence>>";
  for (const char *maps : {"affine_map<(a, b, c) -> (a, c, b)>, "
                           "affine_map<(a, b, c) -> (a, b, c)>",
                           "affine_map<(a, b, c) -> (a, b, c)>, "
                           "affine_map<(a, b, c) -> (a, c, b)>"})
    checkSized("func.func @k(%a: " + in + ") -> " + out +
                   " attributes {kernel.entry} {\n %e = tensor.empty() : " +
                   out + "\n %0 = " +
                   generic(maps, "\"parallel\", \"parallel\", \"parallel\"",
                           "ins(%a : " + in + ") outs(%e : " + out +
                               ") {\n^bb0(%x: f32, %o: f32):\n"
                               "  %s = arith.negf %x : f32\n"
                               "  linalg.yield %s : f32\n} -> " +
                               out) +
                   " return %0 : " + out + "\n}\n",
               grid({0, 1, 3}, {0, 1, 17, 40}));
}

TEST(SizedLoops, OuterSum) {
  // Lanes along a known dimension, sums over a sized one; both dimensions
  // sized.
  for (const char *columns : {"70", "sequence"}) {
    std::string n = columns,
                in = "tensor<20x70xf32, #size.extents<batch, " + n + ">>",
                out = n == "70" ? "tensor<70xf32>"
                                : "tensor<70xf32, #size.extents<sequence>>";
    checkSized(
        "func.func @k(%a: " + in + ") -> " + out +
            " attributes {kernel.entry} {\n %z = arith.constant 0.0 : f32\n "
            "%e = tensor.empty() : " +
            out + "\n %f = linalg.fill ins(%z : f32) outs(%e : " + out +
            ") -> " + out + "\n %0 = " +
            generic("affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a)>",
                    "\"parallel\", \"reduction\"",
                    "ins(%a : " + in + ") outs(%f : " + out +
                        ") {\n^bb0(%x: f32, %o: f32):\n"
                        "  %s = arith.addf %x, %o : f32\n"
                        "  linalg.yield %s : f32\n} -> " +
                        out) +
            " return %0 : " + out + "\n}\n",
        grid({0, 1, 2, 20}, {0, 1, 16, 33, 70}), 1e-6);
  }
}

/// A row's operations: the greatest, exponentials, their sum, the quotient.
std::string softmax(const std::string &t, const std::string &row,
                    const std::string &payloadOfExp) {
  std::string all = "affine_map<(a, b, c) -> (a, b, c)>",
              rows = "affine_map<(a, b, c) -> (a, b)>",
              parallel = "\"parallel\", \"parallel\", \"parallel\"",
              reduction = "\"parallel\", \"parallel\", \"reduction\"";
  auto fill = [&](const std::string &name, const std::string &value) {
    return " %" + name + "c = arith.constant " + value + " : f32\n %" + name +
           " = linalg.fill ins(%" + name + "c : f32) outs(%r : " + row +
           ") -> " + row + "\n";
  };
  return "func.func @k(%a: " + t + ") -> " + t +
         " attributes {kernel.entry} {\n %e = tensor.empty() : " + t +
         "\n %r = tensor.empty() : " + row + "\n" + fill("low", "0xFF800000") +
         fill("zero", "0.0") + " %m = " +
         generic(all + ", " + rows, reduction,
                 "ins(%a : " + t + ") outs(%low : " + row +
                     ") {\n^bb0(%x: f32, %o: f32):\n"
                     "  %s = arith.maximumf %x, %o : f32\n"
                     "  linalg.yield %s : f32\n} -> " +
                     row) +
         " %x = " +
         generic(all + ", " + rows + ", " + all, parallel,
                 "ins(%a, %m : " + t + ", " + row + ") outs(%e : " + t +
                     ") {\n^bb0(%v: f32, %g: f32, %o: f32):\n" + payloadOfExp +
                     "  linalg.yield %w : f32\n} -> " + t) +
         " %s = " +
         generic(all + ", " + rows, reduction,
                 "ins(%x : " + t + ") outs(%zero : " + row +
                     ") {\n^bb0(%v: f32, %o: f32):\n"
                     "  %w = arith.addf %v, %o : f32\n"
                     "  linalg.yield %w : f32\n} -> " +
                     row) +
         " %q = " +
         generic(all + ", " + rows + ", " + all, parallel,
                 "ins(%x, %s : " + t + ", " + row + ") outs(%e : " + t +
                     ") {\n^bb0(%v: f32, %g: f32, %o: f32):\n"
                     "  %w = arith.divf %v, %g : f32\n"
                     "  linalg.yield %w : f32\n} -> " +
                     t) +
         " return %q : " + t + "\n}\n";
}

TEST(SizedLoops, Rows) {
  std::string minus = "  %d = arith.subf %v, %g : f32\n"
                      "  %w = math.exp %d : f32\n";
  // The row itself is sized, the rows are, both.
  checkSized(softmax("tensor<3x4x150xf32, #size.extents<batch, 4, sequence>>",
                     "tensor<3x4xf32, #size.extents<batch, 4>>", minus),
             grid({0, 1, 3}, {0, 1, 15, 16, 17, 64, 100, 150}), 1e-6);
  checkSized(softmax("tensor<3x9x70xf32, #size.extents<batch, sequence, 70>>",
                     "tensor<3x9xf32, #size.extents<batch, sequence>>", minus),
             grid({0, 1, 3}, {0, 1, 9}), 1e-6);
  checkSized(softmax("tensor<3x90x90xf32, #size.extents<batch, sequence, "
                     "sequence>>",
                     "tensor<3x90xf32, #size.extents<batch, sequence>>",
                     // Only what comes before the row's own place.
                     "  %i = linalg.index 1 : index\n"
                     "  %j = linalg.index 2 : index\n"
                     "  %c = arith.cmpi sle, %j, %i : index\n"
                     "  %d = arith.subf %v, %g : f32\n"
                     "  %p = math.exp %d : f32\n"
                     "  %n = arith.constant 0.0 : f32\n"
                     "  %w = arith.select %c, %p, %n : f32\n"),
             grid({1, 3}, {0, 1, 2, 33, 90}), 1e-6);
}

TEST(SizedLoops, Gather) {
  // Rows of a table whose own rows are sized, by indices as many as a size.
  std::string table = "tensor<2x40xf32, #size.extents<2, sequence>>",
              indices = "tensor<5xi32, #size.extents<batch>>",
              out = "tensor<5x40xf32, #size.extents<batch, sequence>>";
  checkSized(
      "func.func @k(%t: " + table + ", %i: " + indices + ") -> " + out +
          " attributes {kernel.entry} {\n %e = tensor.empty() : " + out +
          "\n %0 = " +
          generic("affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>",
                  "\"parallel\", \"parallel\"",
                  "ins(%i : " + indices + ") outs(%e : " + out +
                      ") {\n^bb0(%x: i32, %o: f32):\n"
                      "  %n = arith.index_cast %x : i32 to index\n"
                      "  %j = linalg.index 1 : index\n"
                      "  %v = tensor.extract %t[%n, %j] : " +
                      table + "\n  linalg.yield %v : f32\n} -> " + out) +
          " return %0 : " + out + "\n}\n",
      grid({0, 1, 5}, {1, 16, 39, 40}));
}

/// A sum with a table's first rows, which `%v` of the payload are.
std::string tablePart(const std::string &t, const std::string &operand,
                      const std::string &read) {
  std::string part = operand.empty() ? "" : ", tensor<1x40x20xf32>";
  return "func.func @k(%a: " + t + ", %t: tensor<1x40x20xf32>) -> " + t +
         " attributes {kernel.entry} {\n %e = tensor.empty() : " + t +
         "\n %0 = " +
         generic("affine_map<(a, b, c) -> (a, b, c)>, " +
                     std::string(operand.empty()
                                     ? ""
                                     : "affine_map<(a, b, c) -> (0, b, c)>, ") +
                     "affine_map<(a, b, c) -> (a, b, c)>",
                 "\"parallel\", \"parallel\", \"parallel\"",
                 "ins(%a" + operand + " : " + t + part + ") outs(%e : " + t +
                     ") {\n^bb0(%x: f32, " +
                     (operand.empty() ? "" : "%v: f32, ") + "%o: f32):\n" +
                     read +
                     "  %s = arith.addf %x, %v : f32\n"
                     "  linalg.yield %s : f32\n} -> " +
                     t) +
         " return %0 : " + t + "\n}\n";
}

TEST(SizedLoops, PartOfTable) {
  // A fixed dimension that a sized loop walks, to less than its end.
  std::string t = "tensor<3x40x20xf32, #size.extents<batch, sequence, 20>>";
  checkSized(tablePart(t, ", %t", ""), grid({0, 1, 3}, {0, 1, 16, 39, 40}), 0,
             tablePart(t, "",
                       "  %i = linalg.index 1 : index\n"
                       "  %j = linalg.index 2 : index\n"
                       "  %z = arith.constant 0 : index\n"
                       "  %v = tensor.extract %t[%z, %i, %j] : "
                       "tensor<1x40x20xf32>\n"));
}

/// Rows of a table by number, those of their positions and the row's mean taken
/// off, as models begin. With `part` the positions are an operand.
std::string embedding(bool part) {
  std::string ids = "tensor<3x40xi64, #size.extents<batch, sequence>>",
              t = "tensor<3x40x20xf32, #size.extents<batch, sequence, 20>>",
              row = "tensor<3x40xf32, #size.extents<batch, sequence>>",
              column = "tensor<3x40x1xf32, #size.extents<batch, sequence, 1>>",
              all = "affine_map<(a, b, c) -> (a, b, c)>",
              rows = "affine_map<(a, b, c) -> (a, b)>",
              pairs = "affine_map<(a, b) -> (a, b)>",
              parallel = "\"parallel\", \"parallel\"",
              three = parallel + ", \"parallel\"";
  return "func.func @k(%ids: " + ids +
         ", %words: tensor<9x20xf32>, %places: tensor<1x40x20xf32>) -> " + t +
         " attributes {kernel.entry} {\n %ei = tensor.empty() : " + ids +
         "\n %et = tensor.empty() : " + t + "\n %er = tensor.empty() : " + row +
         "\n %ec = tensor.empty() : " + column +
         "\n %z = arith.constant 0.0 : f32\n %n = " +
         generic(pairs + ", " + pairs, parallel,
                 "ins(%ids : " + ids + ") outs(%ei : " + ids +
                     ") {\n^bb0(%x: i64, %o: i64):\n"
                     "  %m = arith.constant 7 : i64\n"
                     "  %s = arith.muli %x, %m : i64\n"
                     "  linalg.yield %s : i64\n} -> " +
                     ids) +
         " %w = " +
         generic(
             rows + (part ? ", affine_map<(a, b, c) -> (0, b, c)>, " : ", ") +
                 all,
             three,
             std::string(part ? "ins(%n, %places : " : "ins(%n : ") + ids +
                 (part ? ", tensor<1x40x20xf32>" : "") + ") outs(%et : " + t +
                 ") {\n^bb0(%x: i64, " + (part ? "%p: f32, " : "") +
                 "%o: f32):\n  %i = linalg.index 1 : index\n"
                 "  %j = linalg.index 2 : index\n"
                 "  %zero = arith.constant 0 : index\n" +
                 (part ? ""
                       : "  %p = tensor.extract %places[%zero, %i, %j] : "
                         "tensor<1x40x20xf32>\n") +
                 "  %low = arith.constant 0 : i64\n"
                 "  %high = arith.constant 8 : i64\n"
                 "  %a = arith.maxsi %x, %low : i64\n"
                 "  %b = arith.minui %a, %high : i64\n"
                 "  %k = arith.index_cast %b : i64 to index\n"
                 "  %v = tensor.extract %words[%k, %j] : tensor<9x20xf32>\n"
                 "  %s = arith.addf %v, %p : f32\n"
                 "  linalg.yield %s : f32\n} -> " +
                 t) +
         " %f = linalg.fill ins(%z : f32) outs(%er : " + row + ") -> " + row +
         "\n %s = " +
         generic(all + ", " + rows, parallel + ", \"reduction\"",
                 "ins(%w : " + t + ") outs(%f : " + row +
                     ") {\n^bb0(%x: f32, %o: f32):\n"
                     "  %a = arith.addf %o, %x : f32\n"
                     "  linalg.yield %a : f32\n} -> " +
                     row) +
         " %m = " +
         generic(rows + ", " + all, three,
                 "ins(%s : " + row + ") outs(%ec : " + column +
                     ") {\n^bb0(%x: f32, %o: f32):\n"
                     "  %c = arith.constant 20.0 : f32\n"
                     "  %a = arith.divf %x, %c : f32\n"
                     "  linalg.yield %a : f32\n} -> " +
                     column) +
         " %r = " +
         generic(all + ", affine_map<(a, b, c) -> (a, b, 0)>, " + all, three,
                 "ins(%w, %m : " + t + ", " + column + ") outs(%et : " + t +
                     ") {\n^bb0(%x: f32, %y: f32, %o: f32):\n"
                     "  %a = arith.subf %x, %y : f32\n"
                     "  linalg.yield %a : f32\n} -> " +
                     t) +
         " return %r : " + t + "\n}\n";
}

TEST(SizedLoops, Embedding) {
  checkSized(embedding(/*part=*/true), grid({0, 1, 3}, {0, 1, 17, 40}), 0,
             embedding(/*part=*/false));
}

TEST(SizedLoops, Mask) {
  // What a mask of keys is for attention, of all queries.
  std::string in = "tensor<3x40xi64, #size.extents<batch, sequence>>",
              out = "tensor<3x1x40x40xf32, #size.extents<batch, 1, sequence, "
                    "sequence>>";
  checkSized(
      "func.func @k(%a: " + in + ") -> " + out +
          " attributes {kernel.entry} {\n %e = tensor.empty() : " + out +
          "\n %0 = " +
          generic("affine_map<(b, o, m, n) -> (b, n)>, affine_map<(b, o, m, n) "
                  "-> (b, o, m, n)>",
                  "\"parallel\", \"parallel\", \"parallel\", \"parallel\"",
                  "ins(%a : " + in + ") outs(%e : " + out +
                      ") {\n^bb0(%x: i64, %o: f32):\n"
                      "  %low = arith.constant -3.40282347E+38 : f32\n"
                      "  %z = arith.constant 0.0 : f32\n"
                      "  %n = arith.constant 0 : i64\n"
                      "  %c = arith.cmpi ne, %x, %n : i64\n"
                      "  %s = arith.select %c, %z, %low : f32\n"
                      "  linalg.yield %s : f32\n} -> " +
                      out) +
          " return %0 : " + out + "\n}\n",
      grid({0, 1, 3}, {0, 1, 17, 40}));
}

TEST(SizedLoops, Conditions) {
  // A byte for each element; quotients of lanes that do not count must not
  // trap.
  std::string in = "tensor<4x90xi32, #size.extents<batch, sequence>>",
              out = "tensor<4x90xi1, #size.extents<batch, sequence>>",
              map = "affine_map<(a, b) -> (a, b)>";
  checkSized("func.func @k(%a: " + in + ") -> " + out +
                 " attributes {kernel.entry} {\n %e = tensor.empty() : " + out +
                 "\n %0 = " +
                 generic(map + ", " + map, "\"parallel\", \"parallel\"",
                         "ins(%a : " + in + ") outs(%e : " + out +
                             ") {\n^bb0(%x: i32, %o: i1):\n"
                             "  %one = arith.constant 1 : i32\n"
                             "  %d = arith.addi %x, %one : i32\n"
                             "  %q = arith.divsi %d, %d : i32\n"
                             "  %r = arith.remsi %q, %d : i32\n"
                             "  %c = arith.cmpi eq, %r, %one : i32\n"
                             "  linalg.yield %c : i1\n} -> " +
                             out) +
                 " return %0 : " + out + "\n}\n",
             grid({1, 4}, {1, 3, 16, 31, 90}));
}

} // namespace
