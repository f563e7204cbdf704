// Checks of a program that runs on several devices.

#ifndef HEDDLE_DIALECTS_PLAN_PLANORDER_H
#define HEDDLE_DIALECTS_PLAN_PLANORDER_H

#include "dialects/Plan/Plan.h"

namespace heddle::plan {

/// What a command touches lies where its queue's device reaches it; an event is
/// signalled before it is waited for; commands that touch the same bytes are
/// ordered, unless both only read them. The same rules as those of the verifier
/// of artifacts.
mlir::LogicalResult verifyOrder(ProgramOp program);

} // namespace heddle::plan

#endif // HEDDLE_DIALECTS_PLAN_PLANORDER_H
