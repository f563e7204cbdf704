// Joins the tensors of several ranks, element by element.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_REDUCTIONS_H
#define HEDDLE_RUNTIME_COLLECTIVES_REDUCTIONS_H

#include "runtime/collectives/engine.h"

namespace heddle::runtime {

/// Where the elements that are joined lie: number `i` of `count` terms.
struct Terms {
  const void *(*at)(const void *user, uint32_t i);
  const void *user;
  uint32_t count;
};

/// target[i] = terms[0][i] op terms[1][i] op ..., from the left, for
/// `elements` elements of a type that the plan verifier lets be joined so.
/// Floats are rounded to their type after each step. A maximum or minimum is
/// NaN where a term is, and takes +0 for more than -0; integers wrap.
void reduce(uint32_t dtype, uint32_t reduction, void *target,
            const Terms &terms, int64_t elements);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_REDUCTIONS_H
