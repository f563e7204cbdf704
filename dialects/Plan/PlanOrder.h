// Checks of the places of a program's buffers, and of the order of commands
// that run on several devices.

#ifndef HEDDLE_DIALECTS_PLAN_PLANORDER_H
#define HEDDLE_DIALECTS_PLAN_PLANORDER_H

#include "dialects/Plan/Plan.h"
#include "dialects/Size/Ranges.h"

namespace heddle::plan {

/// How many bytes `buffer` has in a call of the largest sizes: in the arena of
/// the process, whose places follow from sizes, fewer than at the most where
/// one size leaves room for another, as in x[k:].
int64_t bytesAtLargest(BufferOp buffer, const size::Ranges &ranges);

/// What a command touches lies where its queue's device reaches it; an event is
/// signalled before it is waited for; commands that touch the same bytes are
/// ordered, unless both only read them, by the rules that the verifier of
/// artifacts has (runtime/format/Hazards.h). `ranges` are those of the sizes
/// that calls choose.
mlir::LogicalResult verifyOrder(ProgramOp program, const size::Ranges &ranges);

} // namespace heddle::plan

#endif // HEDDLE_DIALECTS_PLAN_PLANORDER_H
