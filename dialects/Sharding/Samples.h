// The text of small programs that show rules.

#ifndef HEDDLE_DIALECTS_SHARDING_SAMPLES_H
#define HEDDLE_DIALECTS_SHARDING_SAMPLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::sharding {

/// A function @f of the given types of arguments (`a`, `b`, ...) that gives
/// what `body` calls %r, of `result`.
std::string sample(llvm::ArrayRef<llvm::StringRef> arguments,
                   llvm::StringRef body, llvm::StringRef result);

/// An operation from tensors of 4x6 elements to one.
std::string pointwiseSample(llvm::StringRef operation, unsigned operands,
                            llvm::StringRef element,
                            llvm::StringRef resultElement = {},
                            llvm::StringRef attributes = {});

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_SAMPLES_H
