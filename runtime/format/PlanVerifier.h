// Proves that a plan can be walked.

#ifndef HEDDLE_RUNTIME_FORMAT_PLANVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_PLANVERIFIER_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

#include <vector>

namespace heddle::format {

/// Checks a plan that is a well-formed FlatBuffer, for a manifest that was
/// verified, as a program for `variant`: all its programs for what holds at all
/// sizes or at none (ProgramStructure), and of each entry the one that runs at
/// the least value of each symbol as verifyPlanAt does. Run by the compiler
/// when it writes and by the loader. After it succeeded every index of every
/// program names something.
Error verifyPlan(const Plan &plan, const Manifest &manifest,
                 const Variant &variant);

/// The same of a plan that passed this, when the symbols have the values
/// `symbols`: of each entry, the program that such a call runs. Run again when
/// a call brings new extents. After it succeeded:
/// - every size and offset is in bounds, every arena buffer aligned;
/// - no command reads bytes that were not written before by way of the same
///   buffer: an overlap in the arena while both are alive is found by this;
/// - no two commands that are not ordered touch the same bytes, unless both
///   read; no command writes what it also reads or writes by another binding,
///   unless its kernel allows exactly that;
/// - what a command touches lies where its queue's device reaches it, and
///   kernels are made for that kind of device;
/// - commands cannot wait for each other: whoever signals stands before;
/// - an output that replaces an input has its bytes;
/// - every output is written as a whole; inputs and weights never are, states
///   only by the entries that say so.
Error verifyPlanAt(const Plan &plan, const Manifest &manifest,
                   const Variant &variant, const std::vector<int64_t> &symbols);

/// The program that a call of `entry` runs when the plan's expressions have
/// these values.
const Program *chooseProgram(const Plan &plan, uint32_t entry,
                             const std::vector<int64_t> &values);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_PLANVERIFIER_H
