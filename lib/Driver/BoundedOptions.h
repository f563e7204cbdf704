// Options that leave some sizes of a model to each call.

#ifndef HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H
#define HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H

#include "heddle/Driver/Model.h"
#include "heddle/Frontend/SizeOptions.h"

#include <optional>

namespace heddle {

/// Reads "1..8" or, for multiples of 32, "64..512:32"; none for a single size,
/// and for what is no range of sizes: the greatest is at least 1 and at most
/// 2147483647.
std::optional<ChosenSize> parseSizeRange(llvm::StringRef text);

/// What a message says of two --dim or two --shape for one name; none if there
/// are no such.
std::optional<std::string> findSaidTwice(const ModelOptions &options);

/// The options of a model with some sizes open.
class BoundedOptions {
public:
  explicit BoundedOptions(const ModelOptions &options) : options(options) {}

  /// Finds the ranges; false after an error, which has been reported.
  bool parse(Session &session);
  /// What they say of sizes, as a front end takes it.
  SizeOptions forImport() const;
  /// Makes those sizes one that `module`, which was imported with them, wants
  /// equal, where the user gave one of them no name. Whether there were such;
  /// nothing after an error, which has been reported.
  std::optional<bool> unify(Session &session, mlir::ModuleOp module);

private:
  struct Symbol {
    ChosenSize size;
    bool isNamed; ///< By --dim; others are dimensions of --shape.
  };
  /// "NAME=" and the parts of what follows, of which some are symbols.
  struct Template {
    std::string name;
    llvm::SmallVector<std::string> parts;
    llvm::SmallVector<std::optional<unsigned>> symbols;
  };

  bool parseShape(Session &session, const std::string &text);
  bool parseDim(Session &session, const std::string &text);
  std::optional<unsigned> addSymbol(Session &session, llvm::StringRef range,
                                    std::string name, bool isNamed,
                                    llvm::StringRef text);
  /// Puts `first` in the place of `second`.
  bool join(Session &session, unsigned first, unsigned second);
  std::optional<unsigned> find(llvm::StringRef name) const;

  const ModelOptions &options;
  std::vector<Symbol> symbols;
  std::vector<Template> shapes;
  SizeOptions fixed; ///< Sizes that no call chooses.
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_BOUNDEDOPTIONS_H
