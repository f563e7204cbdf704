// Expressions of sizes as text.

#ifndef HEDDLE_DIALECTS_SIZE_EXPRESSIONTEXT_H
#define HEDDLE_DIALECTS_SIZE_EXPRESSIONTEXT_H

#include "dialects/Size/Expression.h"

namespace heddle::size {

/// Whether a number came next.
enum class NumberToken { None, Taken, TooLarge };

/// Reads "past + new", "floordiv(width, 2) * 4": sums, differences and products
/// and powers ("width^2") of numbers, names and floordiv, ceildiv, mod, min,
/// max, is_positive, is_zero. A name that is no word stands in quotes. Null for
/// what is none; `problem` then says why, as the end of a sentence that begins
/// with the text.
Expression parseExpression(mlir::MLIRContext *context, llvm::StringRef text,
                           std::string &problem);

/// The symbol of that name as an expression, in quotes where it needs them.
std::string spellSymbol(llvm::StringRef name);

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_EXPRESSIONTEXT_H
