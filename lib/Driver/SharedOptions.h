// What is said of inputs and dimensions of several entries at once.

#ifndef HEDDLE_LIB_DRIVER_SHAREDOPTIONS_H
#define HEDDLE_LIB_DRIVER_SHAREDOPTIONS_H

#include "ModelFile.h"

namespace heddle {

/// Gives each entry those of --shape, --dim and --bind that name what it has. A
/// range of sizes is for those entries that leave the size open; others keep
/// their own, which must lie in it.
class SharedOptions {
public:
  explicit SharedOptions(const ModelOptions &options) : options(options) {}

  /// False after an error, which has been reported.
  bool addEntry(Session &session, const ModelFile &file);
  /// Whether some entry has what each option names, and leaves open what it
  /// gives a range; else that is reported.
  bool check(Session &session) const;
  /// Takes from `one`, the options of an entry, what is not for it.
  void restrict(size_t entry, ModelOptions &one) const;

private:
  bool checkList(Session &session, llvm::ArrayRef<std::string> texts,
                 llvm::StringRef option) const;
  bool concerns(const ModelNames &names, llvm::StringRef text,
                llvm::StringRef option) const;
  bool checkRanges(Session &session, llvm::StringRef text) const;
  /// The option of --shape as it is for an entry, with its own sizes.
  std::string fitted(const ModelNames &names, llvm::StringRef text) const;

  const ModelOptions &options;
  std::vector<ModelNames> entries;
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_SHAREDOPTIONS_H
