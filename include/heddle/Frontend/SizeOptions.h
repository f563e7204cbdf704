// What fixes the sizes that a model leaves open, or says who chooses them: the
// same for every kind of models.

#ifndef HEDDLE_FRONTEND_SIZEOPTIONS_H
#define HEDDLE_FRONTEND_SIZEOPTIONS_H

#include "dialects/Size/Ranges.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A size that each call of a model chooses.
struct ChosenSize {
  std::string name;
  int64_t minimum = 0, maximum = 0;
  /// Every choice is a multiple of it.
  int64_t multiple = 1;
  /// The program computes it, and no call chooses it.
  bool isComputed = false;

  /// The least and the greatest choice; there is none if the least is greater.
  int64_t least() const;
  int64_t greatest() const { return maximum / multiple * multiple; }
  bool isEmpty() const { return greatest() < minimum; }
  bool holds(int64_t size) const {
    return minimum <= size && size <= maximum && size % multiple == 0;
  }
  /// Leaves the choices that `other` has, too.
  void narrow(const ChosenSize &other);
};

/// Reads "1..8" or, for multiples of 32, "64..512:32", whatever numbers these
/// are; the size has no name.
std::optional<ChosenSize> readRange(llvm::StringRef text);

struct SizeOptions {
  /// Whole shapes of inputs: `--shape input_ids=1x128`.
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  /// Named dimensions, wherever they occur: `--dim batch=8`.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// Sizes that calls choose. A named dimension of such a name is that size,
  /// unless `sizedDims` says otherwise.
  std::vector<ChosenSize> sizes;
  /// Named dimensions that follow from these: `total`, `past + new`.
  std::vector<std::pair<std::string, std::string>> sizedDims;
  /// Whole shapes of inputs with such expressions in place of numbers.
  std::vector<std::pair<std::string, std::vector<std::string>>> sizedShapes;
};

/// Parses `NAME=1x128` into `options.shapes`, `NAME=8` into `options.dims`. The
/// empty shape `NAME=` is a scalar.
mlir::LogicalResult parseShapeOption(llvm::StringRef text,
                                     SizeOptions &options);
mlir::LogicalResult parseDimOption(llvm::StringRef text, SizeOptions &options);

/// Parses `NAME=1..8` or, for multiples of 32, `NAME=64..512:32` into
/// `options.sizes`.
mlir::LogicalResult parseSizeOption(llvm::StringRef text, SizeOptions &options);
/// Parses `NAME=past + new` into `options.sizedDims`.
mlir::LogicalResult parseSizedDimOption(llvm::StringRef text,
                                        SizeOptions &options);
/// Parses `NAME=batch,3,2 * width` into `options.sizedShapes`.
mlir::LogicalResult parseSizedShapeOption(llvm::StringRef text,
                                          SizeOptions &options);

/// Declares the ranges of `options.sizes`; what is wrong with one of them, if
/// anything is.
std::optional<std::string> declareRanges(const SizeOptions &options,
                                         size::Ranges &ranges);

/// The expression `text` over `options.sizes`, whose names that occur are added
/// to `used` and whose ranges `ranges` has. Null for what is none, is an extent
/// at no size or divides by 0 at some; `problem` then says why.
size::Expression readExtent(mlir::MLIRContext *context, llvm::StringRef text,
                            const SizeOptions &options,
                            const size::Ranges &ranges, llvm::StringSet<> &used,
                            std::string &problem);

/// What is taken for granted of sizes: `zero` is 0 at each call. `node` may be
/// empty.
struct RecordedAssumption {
  size::Expression zero;
  std::string text;
  std::string node;
};

/// Writes `heddle.symbols` and, if there are any, `heddle.size_assumptions`. A
/// size that an assumption wants greater than its least begins there.
void recordSizes(mlir::ModuleOp module, llvm::ArrayRef<ChosenSize> declared,
                 llvm::ArrayRef<RecordedAssumption> assumptions);

} // namespace heddle

#endif // HEDDLE_FRONTEND_SIZEOPTIONS_H
