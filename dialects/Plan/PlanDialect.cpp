#include "dialects/Plan/Plan.h"

#include "dialects/Kernel/ScalarArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::plan;

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Plan/PlanTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/PlanAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}

/// Everything in the regions of a loop or a branch must be a command.
static LogicalResult verifyCommands(Operation *parent) {
  for (Region &region : parent->getRegions())
    for (Operation &op : region.front())
      if (!isa<LaunchOp, CopyOp, ResizeOp, ExtentOp, LoopOp, BranchOp>(op))
        return op.emitOpError() << "is no command of a plan";
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  bool commands = false;
  for (Operation &op : getBody().front()) {
    auto buffer = dyn_cast<BufferOp>(op);
    if (!buffer) {
      if (!isa<LaunchOp, CopyOp, ResizeOp, ExtentOp, LoopOp, BranchOp>(op))
        return op.emitOpError() << "is no command of a plan";
      commands = true;
      continue;
    }
    if (commands)
      return buffer.emitOpError() << "stands after a command";
    if (buffer.getKind() == BufferKind::Arena &&
        static_cast<int64_t>(buffer.getPlace() + buffer.getSize()) >
            static_cast<int64_t>(getArena()))
      return buffer.emitOpError()
             << "ends at " << buffer.getPlace() + buffer.getSize()
             << " of an arena of " << getArena() << " bytes";
  }
  return success();
}

LogicalResult BufferOp::verify() {
  auto place = static_cast<int64_t>(getPlace());
  if (place < 0 || static_cast<int64_t>(getSize()) < 0)
    return emitOpError() << "has a negative place or size";
  if (getKind() == BufferKind::Arena && place % kBufferAlignment)
    return emitOpError() << "is at " << place << ", no multiple of "
                         << kBufferAlignment;
  if (!getBytes())
    return success();
  if (getKind() != BufferKind::Input && getKind() != BufferKind::Output)
    return emitOpError() << "has no size for a call to choose: it is no input "
                            "or output";
  if (getBytes()->getNumDims() != 0 || getBytes()->getNumResults() != 1)
    return emitOpError() << "has " << getBytesAttr()
                         << " for its bytes instead of one function of symbols";
  return success();
}

static BufferOp definition(Value buffer) {
  return buffer.getDefiningOp<BufferOp>();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!function)
    return emitOpError() << "launches '" << getKernel()
                         << "', which is no function";
  // A lowered kernel has lost its results; then only the emitter knows.
  unsigned scalars = kernel::countScalars(function.getArgumentTypes());
  unsigned tensors = function.getNumArguments() - scalars;
  if (function.getNumResults() != 0 &&
      (tensors != getReads().size() ||
       function.getNumResults() != getWrites().size()))
    return emitOpError() << "has " << getReads().size() << " inputs and "
                         << getWrites().size() << " outputs, the kernel "
                         << tensors << " and " << function.getNumResults();
  if (function.getNumResults() != 0 && scalars != getIntegers().size())
    return emitOpError() << "passes " << getIntegers().size()
                         << " integers, the kernel takes " << scalars;
  for (Value buffer : getWrites())
    if (definition(buffer) &&
        (definition(buffer).getKind() == BufferKind::Input ||
         definition(buffer).getKind() == BufferKind::Weight))
      return emitOpError() << "writes to an input or a weight";
  return success();
}

LogicalResult CopyOp::verify() {
  BufferOp source = definition(getSource()), target = definition(getTarget());
  if (source && target && source.getSize() != target.getSize())
    return emitOpError() << "copies " << source.getSize() << " bytes to "
                         << target.getSize();
  return success();
}

LogicalResult ResizeOp::verify() {
  BufferOp source = definition(getSource()), target = definition(getTarget());
  if (!source || !target)
    return success();
  if (bool(source.getBytes()) == bool(target.getBytes()))
    return emitOpError() << "is between buffers of which not one has a size "
                            "that the call chooses";
  if (source.getSize() != target.getSize())
    return emitOpError() << "is between buffers of at most " << source.getSize()
                         << " and " << target.getSize() << " bytes";
  return success();
}

LogicalResult ExtentOp::verify() {
  BufferOp target = definition(getTarget());
  if (target && target.getSize() != 4)
    return emitOpError() << "writes 4 bytes to a buffer of "
                         << target.getSize();
  return success();
}

LogicalResult LoopOp::verify() {
  BufferOp flag = definition(getFlag());
  if (flag && flag.getSize() != 1)
    return emitOpError() << "has a flag of " << flag.getSize()
                         << " bytes instead of 1";
  return verifyCommands(*this);
}

LogicalResult BranchOp::verify() {
  BufferOp selector = definition(getSelector());
  if (selector && selector.getSize() != 1 && selector.getSize() != 4 &&
      selector.getSize() != 8)
    return emitOpError() << "has a selector of " << selector.getSize()
                         << " bytes instead of 1, 4 or 8";
  if (getCases().empty())
    return emitOpError() << "has no cases";
  return verifyCommands(*this);
}
