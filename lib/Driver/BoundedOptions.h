// Options that leave some sizes of a model to each call.

#ifndef HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H
#define HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H

#include "heddle/Driver/Model.h"
#include "passes/Dynamic/SampleSizes.h"

#include <optional>

namespace heddle {

/// Sizes from one to another, both among them.
struct SizeRange {
  int64_t least, greatest;
  bool holds(int64_t size) const { return least <= size && size <= greatest; }
};

/// Reads "1..8"; none for a single size, and for what is no range of sizes: the
/// greatest is at least 1 and at most 2147483647.
std::optional<SizeRange> parseSizeRange(llvm::StringRef text);

/// The options of a model with some sizes open.
class BoundedOptions {
public:
  explicit BoundedOptions(const ModelOptions &options) : options(options) {}

  /// Finds the ranges; false after an error, which has been reported.
  bool parse(Session &session);
  /// Symbols that must be one because the program wants their sizes equal:
  /// `imports` says whether it takes some. False if no size is left for one,
  /// which has been reported.
  bool tie(Session &session,
           llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> imports);
  /// Whether no more symbols are left than are taken; else an error.
  bool checkCount(Session &session) const;

  llvm::ArrayRef<BoundedSymbol> symbols() const { return symbolList; }
  /// The options with these sizes.
  ModelOptions at(llvm::ArrayRef<int64_t> sizes) const;

private:
  bool addRange(llvm::StringRef text, const std::string &name,
                unsigned &symbol);

  /// "NAME=" and the parts of what follows, of which some are symbols.
  struct Template {
    std::string name;
    llvm::SmallVector<std::string> parts;
    llvm::SmallVector<std::optional<unsigned>> symbols;
    std::string print(llvm::ArrayRef<int64_t> sizes) const;
  };

  const ModelOptions &options;
  std::vector<BoundedSymbol> symbolList;
  std::vector<Template> shapes, dims;
  unsigned named = 0; ///< Symbols of --dim; those of --shape follow.
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H
