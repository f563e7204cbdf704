// A softmax that exporters took apart, found again.

#ifndef HEDDLE_PASSES_GRAPH_SOFTMAX_H
#define HEDDLE_PASSES_GRAPH_SOFTMAX_H

#include "mlir/IR/Value.h"

#include <optional>

namespace heddle {

/// The softmax of `input` over dimension `axis`.
struct Softmax {
  mlir::Value input;
  int64_t axis;
};

/// Matches `value` = exp(x - max(x)) / sum(exp(x - max(x))).
std::optional<Softmax> matchSoftmax(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_SOFTMAX_H
