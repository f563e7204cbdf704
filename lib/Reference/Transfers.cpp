// Processes: the grid that run_parallel starts, what goes between two of them
// or to the host, and what runs beside the program.

#include "ProcessRun.h"

#include "dialects/Check/Check.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

LogicalResult reference::runProcesses(Evaluator &parent, ProcessGrid &grid,
                                      MutableArrayRef<Process> processes) {
  // All are counted before any runs: one that ends early must not look like
  // the last.
  for (size_t i = 1; i < processes.size(); ++i)
    grid.enter();
  InterpreterOptions options = parent.options;
  options.onResults = nullptr;
  options.threads = 1;
  std::vector<std::thread> threads;
  for (auto [i, process] : llvm::enumerate(processes))
    threads.emplace_back([&, i = int64_t(i), process = &process] {
      {
        // Gone, with what it still holds, before the process is.
        Evaluator evaluator(options, parent, grid, i / grid.numPartitions,
                            i % grid.numPartitions);
        process->failed = failed(evaluator.call(
            process->function, process->arguments, process->results));
      }
      grid.leave();
    });
  for (std::thread &thread : threads)
    thread.join();
  return failure(llvm::any_of(
      processes, [](const Process &process) { return process.failed; }));
}

static LogicalResult runParallel(Invocation &call,
                                 interpreter::RunParallelOp op) {
  ProcessGrid grid(op.getNumReplicas(), op.getNumPartitions());
  if (ArrayAttr names = op.getInfeedAttr())
    for (Attribute name : names)
      grid.infeed.push_back(call.evaluator.lookupSymbol<func::FuncOp>(
          op, cast<FlatSymbolRefAttr>(name)));

  std::vector<Process> processes;
  ArrayRef<InterpreterValue> operands = call.operands;
  for (Attribute row : op.getPrograms())
    for (Attribute name : cast<ArrayAttr>(row)) {
      Process &process = processes.emplace_back();
      process.function = call.evaluator.lookupSymbol<func::FuncOp>(
          op, cast<FlatSymbolRefAttr>(name));
      unsigned count = process.function.getNumArguments();
      process.arguments.assign(operands.begin(), operands.begin() + count);
      operands = operands.drop_front(count);
    }
  if (failed(runProcesses(call.evaluator, grid, processes)))
    return failure();
  for (Process &process : processes)
    call.results.append(process.results.begin(), process.results.end());
  return success();
}

//===--- Host and channels ------------------------------------------------===//

static LogicalResult infeed(Invocation &call, stablehlo::InfeedOp op) {
  func::FuncOp next = call.evaluator.grid().nextInfeed();
  if (!next)
    return call.error() << "finds nothing in the infeed queue";
  if (failed(call.evaluator.call(next, {}, call.results)))
    return failure();
  call.results.emplace_back();
  if (call.results.size() != op->getNumResults())
    return call.error() << "receives " << call.results.size() - 1
                        << " values, it has results for "
                        << op->getNumResults() - 1;
  return success();
}

/// What goes to the host has left the program.
static LogicalResult outfeed(Invocation &call, stablehlo::OutfeedOp) {
  call.results.emplace_back();
  return success();
}

/// The mailbox of a channel; with pairs one for each receiver, given by its
/// number in the grid.
static std::string channelMailbox(stablehlo::ChannelHandleAttr channel,
                                  bool isHost, int64_t receiver) {
  return (isHost ? "host " : "channel ") + std::to_string(channel.getHandle()) +
         " " + std::to_string(receiver);
}

static int64_t ownNumber(Evaluator &evaluator) {
  return evaluator.replica() * evaluator.grid().numPartitions +
         evaluator.partition();
}

static LogicalResult send(Invocation &call, stablehlo::SendOp op) {
  ProcessGrid::Values values;
  for (const InterpreterValue &operand : call.operands.drop_back())
    values.push_back(operand.tensor);
  ProcessGrid &grid = call.evaluator.grid();
  if (auto pairs = op.getSourceTargetPairs()) {
    SmallVector<APInt> ids(pairs->getValues<APInt>());
    for (size_t i = 0; i + 1 < ids.size(); i += 2)
      if (ids[i].getSExtValue() == ownNumber(call.evaluator))
        grid.put(channelMailbox(op.getChannelHandle(), op.getIsHostTransfer(),
                                ids[i + 1].getSExtValue()),
                 values);
  } else {
    grid.put(channelMailbox(op.getChannelHandle(), op.getIsHostTransfer(), -1),
             values);
  }
  call.results.emplace_back();
  return success();
}

static LogicalResult recv(Invocation &call, stablehlo::RecvOp op) {
  int64_t receiver = op.getSourceTargetPairs() ? ownNumber(call.evaluator) : -1;
  auto values = call.evaluator.grid().take(
      channelMailbox(op.getChannelHandle(), op.getIsHostTransfer(), receiver));
  if (!values)
    return call.error() << "waits on channel "
                        << op.getChannelHandle().getHandle()
                        << ", on which nothing is sent";
  for (HostTensor &value : *values) {
    if (call.results.size() + 1 >= op->getNumResults())
      return call.error() << "receives " << values->size()
                          << " values, it has results for "
                          << op->getNumResults() - 1;
    if (failed(call.give(std::move(value))))
      return failure();
  }
  call.results.emplace_back();
  return success(call.results.size() == op->getNumResults());
}

//===--- Futures ----------------------------------------------------------===//

static LogicalResult asyncStart(Invocation &call, stablehlo::AsyncStartOp op) {
  auto pending = std::make_shared<PendingResults>(call.evaluator.grid());
  pending->options = call.evaluator.options;
  pending->options.onResults = nullptr;
  auto child = std::make_shared<Evaluator>(
      pending->options, call.evaluator, call.evaluator.grid(),
      call.evaluator.replica(), call.evaluator.partition());
  child->copyFrame(call.evaluator);
  ProcessGrid &grid = call.evaluator.grid();
  grid.enter();
  pending->thread = std::thread(
      [&body = op.getBody().front(), &grid, child, pending = pending.get(),
       operands = ValueVector(call.operands.begin(), call.operands.end())] {
        pending->failed =
            failed(child->runBlock(body, operands, pending->results));
        grid.leave();
      });
  InterpreterValue future;
  future.future = std::move(pending);
  call.results.push_back(std::move(future));
  return success();
}

static LogicalResult asyncDone(Invocation &call, stablehlo::AsyncDoneOp op) {
  const std::shared_ptr<PendingResults> &pending = call.operands[0].future;
  if (!pending || !pending->thread.joinable())
    return call.error() << "waits for a future that was never begun, or twice";
  pending->wait();
  if (pending->failed)
    return failure();
  call.results.assign(pending->results.begin(), pending->results.end());
  if (call.results.size() != op->getNumResults())
    return call.error() << "has " << op->getNumResults() << " results for "
                        << call.results.size() << " values";
  return success();
}

//===--- Looking in -------------------------------------------------------===//

static LogicalResult print(Invocation &call, interpreter::PrintOp) {
  const HostTensor &tensor = call.tensor(0);
  std::string line;
  llvm::raw_string_ostream os(line);
  os << tensor.type() << " [";
  for (int64_t i = 0; i < tensor.size(); ++i)
    os << (i ? ", " : "") << tensor.elementText(i);
  os << "]\n";
  llvm::errs() << line;
  return call.give(tensor);
}

static LogicalResult probe(Invocation &call, interpreter::ProbeOp op) {
  call.evaluator.grid().probe(op.getProbeId(), call.tensor(0));
  return call.give(call.tensor(0));
}

/// What the probe saw stands for the operand that the check looks at.
static LogicalResult expectProbed(Invocation &call,
                                  check::ExpectSerializedEqOp op) {
  auto iteration = op.getIterationAttr();
  HostTensor seen = call.evaluator.grid().probed(
      op.getProbeId(), iteration ? iteration.getInt() : 1);
  if (!seen)
    return call.error() << "looks for probe '" << op.getProbeId()
                        << "', which has not seen so much";
  InterpreterValue operands[] = {seen, call.operands[0]};
  const auto &handler = call.evaluator.options.onCustomCall;
  if (handler && handler(call.op, operands, call.results))
    return success();
  return call.error(ErrorCode::NotInterpretable)
         << "is a check, which only `heddle test` evaluates";
}

void reference::addTransfers(Registry &registry) {
  registry.add<interpreter::RunParallelOp, runParallel>();
  registry.add<interpreter::PrintOp, print>();
  registry.add<interpreter::ProbeOp, probe>();
  registry.add<check::ExpectSerializedEqOp, expectProbed>();
  registry.add<stablehlo::InfeedOp, infeed>();
  registry.add<stablehlo::OutfeedOp, outfeed>();
  registry.add<stablehlo::SendOp, send>();
  registry.add<stablehlo::RecvOp, recv>();
  registry.add<stablehlo::AsyncStartOp, asyncStart>();
  registry.add<stablehlo::AsyncDoneOp, asyncDone>();
}
