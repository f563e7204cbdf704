// What a caller says of single products: a file of rules.

#ifndef HEDDLE_DRIVER_PRECISION_POLICY_H
#define HEDDLE_DRIVER_PRECISION_POLICY_H

#include "heddle/Support/NamePattern.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Rules of the form
///
///   # behind the first layers everything goes
///   encoder/layer.0/*  f32
///   *attention*        bf16 pin
///   *                  auto
///
/// The first whose pattern matches a name of a product's node holds for it.
/// `auto`, and a product without a rule, leave the choice to time and budget;
/// another type of `kFactorTypes` leaves that between f32 and itself, and with
/// `pin` none: it is never relaxed.
class PrecisionPolicy {
public:
  struct Rule {
    /// Of the file, from 1.
    unsigned line = 0;
    /// As the file has it.
    std::string text;
    NamePattern pattern;
    /// One of `kFactorTypes`, or `kAnyFactorType`.
    std::string type;
    bool isPinned = false;
  };

  PrecisionPolicy() = default;
  PrecisionPolicy(PrecisionPolicy &&) = default;
  PrecisionPolicy &operator=(PrecisionPolicy &&) = default;

  /// An error says the line, what is there and what is wanted.
  static llvm::Expected<PrecisionPolicy> parse(llvm::StringRef text);

  /// The first rule for a product of these names, or null.
  const Rule *ruleFor(llvm::ArrayRef<std::string> names) const;

  llvm::ArrayRef<Rule> rules() const { return list; }

private:
  std::vector<Rule> list;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_POLICY_H
