// The plan dialect: what programs, buffers and commands must fulfil one by one.

#include "dialects/Plan/DeviceNames.h"
#include "dialects/Plan/PlanOrder.h"

#include "dialects/Kernel/CollectiveForm.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "dialects/Size/DeclaredRanges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::plan;

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#include "dialects/Plan/PlanInterfaces.cpp.inc"

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
      if (!isa<CommandOpInterface>(op))
        return op.emitOpError() << "is no command of a plan";
  return success();
}

SmallVector<StringRef> ProgramOp::deviceNames() {
  if (!getDevices())
    return {kCpu};
  return llvm::to_vector(getDevices()->getAsValueRange<StringAttr>());
}

SmallVector<int64_t> ProgramOp::queueDevices() {
  if (getQueues())
    return llvm::to_vector(*getQueues());
  return llvm::to_vector(
      llvm::seq<int64_t>(0, getDevices() ? getDevices()->size() : 1));
}

/// The process's memory is that of the cpu, which has no other.
static bool hasSpace(int64_t device, MemorySpace space) {
  return (device == 0) == (space == MemorySpace::Host);
}

/// A place once, on devices that there are.
static LogicalResult verifyMemories(ProgramOp program,
                                    std::optional<ArrayAttr> memories,
                                    bool forArena) {
  if (!memories)
    return success();
  auto count = static_cast<int64_t>(program.deviceNames().size());
  llvm::SmallDenseSet<std::pair<int64_t, unsigned>> known;
  for (auto memory : memories->getAsRange<MemoryAttr>()) {
    bool isProcess = forArena && memory.getDevice() == 0;
    if (memory.getSize() < 0 || memory.getDevice() < 0 ||
        memory.getDevice() >= count || isProcess ||
        !hasSpace(memory.getDevice(), memory.getSpace()))
      return program.emitOpError() << "cannot have the memory " << memory;
    if (!known.insert({memory.getDevice(), unsigned(memory.getSpace())}).second)
      return program.emitOpError()
             << "has the memory of " << memory << " twice";
  }
  return success();
}

LogicalResult ProgramOp::verify() {
  llvm::SmallDenseSet<StringRef> known;
  for (auto [i, name] : llvm::enumerate(deviceNames())) {
    std::optional<DeviceName> device = parseDeviceName(name);
    if (!device || device->text() != name)
      return emitOpError() << "names the device \"" << name
                           << "\", which is none";
    if ((i == 0) != (device->kind == kCpu))
      return emitOpError() << "does not begin its devices with the one cpu";
    if (!known.insert(name).second)
      return emitOpError() << "names the device \"" << name << "\" twice";
  }
  for (int64_t device : queueDevices())
    if (device < 0 || device >= static_cast<int64_t>(known.size()))
      return emitOpError() << "has a queue on device " << device
                           << ", which it does not name";
  if (getGuard() && getPersistent())
    return emitOpError() << "fills persistent memory, and under a condition";
  if (getPersistent() && getInit())
    return emitOpError() << "reads persistent memory and fills it";
  if (failed(verifyMemories(*this, getArenas(), /*forArena=*/true)) ||
      failed(verifyMemories(*this, getPersistent(), /*forArena=*/false)))
    return failure();
  return success();
}

/// The bytes of a memory; none if it is not in the list.
static std::optional<int64_t> sizeOf(std::optional<ArrayAttr> memories,
                                     BufferOp buffer) {
  if (memories)
    for (auto memory : memories->getAsRange<MemoryAttr>())
      if (memory.getDevice() == static_cast<int64_t>(buffer.getDevice()) &&
          memory.getSpace() == buffer.getSpace())
        return memory.getSize();
  return std::nullopt;
}

/// A buffer lies within the memory that it is a part of, in a call of the
/// largest sizes.
static LogicalResult verifyEnd(BufferOp buffer, std::optional<int64_t> size,
                               const heddle::size::Ranges &ranges,
                               StringRef what) {
  int64_t place = buffer.getPlace();
  int64_t end = place + bytesAtLargest(buffer, ranges);
  if (!size)
    return buffer.emitOpError() << "is in " << what << " that is not there";
  if (end > *size)
    return buffer.emitOpError() << "ends at " << end << " of " << what << " of "
                                << *size << " bytes";
  return success();
}

/// A buffer of a state is the whole of it, and the only one in its program.
static LogicalResult verifyStates(ProgramOp program) {
  SmallVector<StateOp> states(program->getParentRegion()->getOps<StateOp>());
  SmallVector<bool> used(states.size(), false);
  for (auto buffer : program.getBody().getOps<BufferOp>()) {
    if (buffer.getKind() != BufferKind::State)
      continue;
    if (buffer.getPlace() >= states.size())
      return buffer.emitOpError() << "is of state " << buffer.getPlace()
                                  << ", and there are " << states.size();
    StateOp state = states[buffer.getPlace()];
    InFlightDiagnostic error = buffer.emitOpError();
    error.attachNote(state.getLoc()) << "the state";
    if (std::exchange(used[buffer.getPlace()], true))
      return error << "is of a state that another buffer is of";
    if (buffer.getSize() != state.getSize())
      return error << "has " << buffer.getSize() << " bytes, its state "
                   << state.getSize();
    if (buffer.getDevice() != state.getDevice() ||
        buffer.getSpace() != state.getSpace())
      return error << "is in another memory than its state";
    error.abandon();
  }
  return success();
}

/// The next program in the module; null if there is none.
static ProgramOp nextProgram(ProgramOp program) {
  for (Operation *op = program->getNextNode(); op; op = op->getNextNode())
    if (auto next = dyn_cast<ProgramOp>(op))
      return next;
  return {};
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (ProgramOp next = nextProgram(*this);
      getGuard() && (!next || next.getPersistent()))
    return emitOpError() << "has a guard, and no program behind it is for the "
                            "sizes that it leaves";
  ProgramOp filler = *this;
  if (getInit()) {
    filler = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getInitAttr());
    if (!filler || !filler.getPersistent())
      return emitOpError() << "has '" << *getInit()
                           << "' for its init, which fills no persistent "
                              "memory";
    if (filler.deviceNames() != deviceNames())
      return emitOpError() << "runs on other devices than '" << *getInit()
                           << "'";
  }
  for (auto buffer : getBody().getOps<BufferOp>())
    if (buffer.getKind() == BufferKind::Persistent &&
        failed(verifyEnd(buffer, sizeOf(filler.getPersistent(), buffer),
                         /*ranges=*/{}, "persistent memory")))
      return failure();
  return verifyStates(*this);
}

LogicalResult ProgramOp::verifyRegions() {
  bool commands = false;
  auto devices = static_cast<int64_t>(deviceNames().size());
  heddle::size::Ranges ranges;
  if (auto module = (*this)->getParentOfType<ModuleOp>())
    ranges = heddle::size::declaredRanges(module);
  for (Operation &op : getBody().front()) {
    auto buffer = dyn_cast<BufferOp>(op);
    if (!buffer) {
      if (!isa<CommandOpInterface>(op))
        return op.emitOpError() << "is no command of a plan";
      commands = true;
      continue;
    }
    if (commands)
      return buffer.emitOpError() << "stands after a command";
    auto device = static_cast<int64_t>(buffer.getDevice());
    if (device < 0 || device >= devices)
      return buffer.emitOpError() << "is on device " << device
                                  << ", which the program does not name";
    if (buffer.getKind() != BufferKind::Arena)
      continue;
    std::optional<int64_t> size = device == 0 ? static_cast<int64_t>(getArena())
                                              : sizeOf(getArenas(), buffer);
    if (failed(verifyEnd(buffer, size, ranges, "an arena")))
      return failure();
  }
  return verifyOrder(*this, ranges);
}

LogicalResult StateOp::verify() {
  if (static_cast<int64_t>(getSize()) < 0)
    return emitOpError() << "has a negative size";
  if (!hasSpace(getDevice(), getSpace()))
    return emitOpError() << "is in " << stringifyMemorySpace(getSpace())
                         << " memory, which device " << getDevice()
                         << " does not have";
  for (auto other : (*this)->getParentRegion()->getOps<StateOp>()) {
    if (other == *this)
      break;
    if (other.getName() == getName())
      return emitOpError() << "has the name of another state";
  }
  return success();
}

bool BufferOp::isWritable() {
  switch (getKind()) {
  case BufferKind::Output:
  case BufferKind::Arena:
    return true;
  case BufferKind::Persistent:
    return bool((*this)->getParentOfType<ProgramOp>().getPersistent());
  case BufferKind::State:
    return getChanged();
  case BufferKind::Input:
  case BufferKind::Weight:
    return false;
  }
  llvm_unreachable("no such kind");
}

LogicalResult BufferOp::verify() {
  auto place = static_cast<int64_t>(getPlace());
  if (place < 0 || static_cast<int64_t>(getSize()) < 0)
    return emitOpError() << "has a negative place or size";
  if (!hasSpace(getDevice(), getSpace()))
    return emitOpError() << "is in " << stringifyMemorySpace(getSpace())
                         << " memory, which device " << getDevice()
                         << " does not have";
  if (getKind() == BufferKind::Weight && getDevice() != 0)
    return emitOpError() << "is a weight on device " << getDevice()
                         << ", where init has to copy it first";
  bool inMemory =
      getKind() == BufferKind::Arena || getKind() == BufferKind::Persistent;
  if (inMemory && place % kBufferAlignment)
    return emitOpError() << "is at " << place << ", no multiple of "
                         << kBufferAlignment;
  if (getOffset() && getKind() != BufferKind::Arena)
    return emitOpError() << "has no place for a call to choose: it is no part "
                            "of an arena";
  if (getChanged() && getKind() != BufferKind::State)
    return emitOpError() << "is changed, and no state";
  if (getBytes() && getKind() != BufferKind::Input &&
      getKind() != BufferKind::Output && getKind() != BufferKind::Arena)
    return emitOpError() << "has no size for a call to choose: it is no input, "
                            "output or part of an arena";
  return success();
}

static BufferOp definition(Value buffer) {
  return buffer.getDefiningOp<BufferOp>();
}

/// An alternative takes what the kernel takes.
static LogicalResult verifyAlternatives(LaunchOp launch, func::FuncOp function,
                                        SymbolTableCollection &symbols) {
  if (!launch.getAlternatives())
    return success();
  for (auto alternative :
       launch.getAlternatives()->getAsRange<AlternativeAttr>()) {
    auto other = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        launch, alternative.getKernel());
    if (!other || other.getFunctionType() != function.getFunctionType())
      return launch.emitOpError()
             << "has the alternative " << alternative.getKernel()
             << ", which is no function of the kernel's type";
  }
  return success();
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
  unsigned passed = getSizes().size() + getIntegers().size();
  if (function.getNumResults() != 0 && scalars != passed)
    return emitOpError() << "passes " << passed
                         << " integers, the kernel takes " << scalars;
  return verifyAlternatives(*this, function, symbols);
}

LogicalResult CopyOp::verify() {
  BufferOp source = definition(getSource()), target = definition(getTarget());
  if (source && target && source.getSize() != target.getSize())
    return emitOpError() << "copies " << source.getSize() << " bytes to "
                         << target.getSize();
  if (source && target && source.getBytes() != target.getBytes())
    return emitOpError() << "copies between buffers of whose sizes a call "
                            "chooses each by itself";
  return success();
}

LogicalResult ResizeOp::verify() {
  BufferOp source = definition(getSource()), target = definition(getTarget());
  if (!source || !target)
    return success();
  if (source.getBytes() == target.getBytes())
    return emitOpError() << "is between buffers of one size at each call";
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

LogicalResult CollectiveOp::verify() {
  if (failed(kernel::verifyCollective(*this, getKind(), getReduction(),
                                      getGroups(), getGroupSize())))
    return failure();
  BufferOp source = definition(getSource()), target = definition(getTarget());
  if (!source || !target)
    return success();
  uint64_t size = getGroupSize(), wanted = source.getSize();
  if (getKind() == "all_gather")
    wanted *= size;
  if (getKind() == "reduce_scatter")
    wanted /= size;
  if (target.getSize() != wanted)
    return emitOpError() << "takes " << source.getSize() << " bytes and gives "
                         << target.getSize() << " in groups of " << size;
  return success();
}

LogicalResult RankOp::verify() {
  BufferOp target = definition(getTarget());
  if (target && target.getSize() != 4)
    return emitOpError() << "writes 4 bytes to a buffer of "
                         << target.getSize();
  return success();
}

LogicalResult CountOp::verify() {
  BufferOp source = definition(getSource());
  if (source && source.getSize() != 4)
    return emitOpError() << "reads 4 bytes from a buffer of "
                         << source.getSize();
  auto program = dyn_cast<ProgramOp>((*this)->getParentOp());
  if (!program)
    return emitOpError() << "stands in a loop or a branch";
  SmallVector<int64_t> queues = program.queueDevices();
  if (getQueue() >= queues.size())
    return success();
  StringRef device = program.deviceNames()[queues[getQueue()]];
  std::optional<DeviceName> name = parseDeviceName(device);
  if (name && !readsCounts(name->kind))
    return emitOpError() << "is in a queue of " << device
                         << ", which reads no counts";
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
  if (bool(getSelector()) == bool(getConditions()))
    return emitOpError() << "has not one of a selector and conditions";
  BufferOp selector = getSelector() ? definition(getSelector()) : BufferOp();
  if (selector && selector.getSize() != 1 && selector.getSize() != 4 &&
      selector.getSize() != 8)
    return emitOpError() << "has a selector of " << selector.getSize()
                         << " bytes instead of 1, 4 or 8";
  if (getCases().empty())
    return emitOpError() << "has no cases";
  if (getConditions() && getConditions()->size() + 1 != getCases().size())
    return emitOpError() << "has " << getConditions()->size()
                         << " conditions for " << getCases().size() << " cases";
  return verifyCommands(*this);
}
