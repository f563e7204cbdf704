// Patterns that users write for names of a model.

#ifndef HEDDLE_SUPPORT_NAMEPATTERN_H
#define HEDDLE_SUPPORT_NAMEPATTERN_H

#include "llvm/Support/GlobPattern.h"

#include <memory>
#include <string>

namespace heddle {

/// A pattern in which `*` and `?` stand for other characters, and all else for
/// itself: names of nodes hold brackets, too.
class NamePattern {
public:
  explicit NamePattern(llvm::StringRef pattern)
      : text(std::make_unique<std::string>(escaped(pattern))),
        glob(llvm::cantFail(llvm::GlobPattern::create(*text))) {}

  bool matches(llvm::StringRef name) const { return glob.match(name); }

private:
  static std::string escaped(llvm::StringRef pattern) {
    std::string result;
    for (char character : pattern) {
      if (llvm::StringRef("[]{}\\").contains(character))
        result += '\\';
      result += character;
    }
    return result;
  }

  /// What `glob` has views of, where it stays when a pattern is moved.
  std::unique_ptr<const std::string> text;
  llvm::GlobPattern glob;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_NAMEPATTERN_H
