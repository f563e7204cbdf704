// Evaluates the expression table.

#ifndef HEDDLE_RUNTIME_FORMAT_EXPRESSIONS_H
#define HEDDLE_RUNTIME_FORMAT_EXPRESSIONS_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

#include <vector>

namespace heddle::format {

using ExpressionTable = flatbuffers::Vector<const Expression *>;

/// The values of all expressions of `table` (null: an empty one) when the
/// symbols have the values `symbols`. Fails on a cycle, an unknown kind or
/// symbol, an overflow, and a divisor that is not positive; `code` is what a
/// failure is called.
Error evaluate(const ExpressionTable *table,
               const std::vector<int64_t> &symbols, heddle_code code,
               std::vector<int64_t> &values);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_EXPRESSIONS_H
