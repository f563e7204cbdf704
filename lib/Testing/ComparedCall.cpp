// Calls a compiled program, and computes what the reference says of the call.

#include "ComparedCall.h"

#include "heddle/Driver/BoundedModel.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Model.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

bool ProgramCall::run(Session &session, const CompareCommand &command,
                      Program &program) {
  auto gathered = gatherFeeds(session, program, command.feed, madeUp);
  if (!gathered)
    return false;
  feeds = *gathered;
  inputs = std::move(*gathered);
  if (!program.fillStates(inputs))
    return false;
  results = program.makeOutputs(inputs);
  session.phases.begin("run");
  if (!program.call(inputs, results))
    return false;
  program.cutOutputs(results);
  auto kept = program.readStates();
  if (!kept)
    return false;
  llvm::append_range(results, *kept);
  return true;
}

bool ReferenceCall::run(const Program &program, const ProgramCall &call,
                        OwningOpRef<ModuleOp> model) {
  session.phases.begin("reference");
  module = std::move(model);
  if (!module)
    module = importModel(
        session, command.artifact.empty()
                     ? withSizes(command.model, program, call.inputs)
                     : withSizesOfCall(command.model, program, call.inputs));
  if (!module || !tensors.match(session, states, *module, program))
    return false;
  inputs = tensors.inputs(call.feeds);
  std::optional<Tensors> said = referenceOf(subject());
  session.phases.end();
  if (!said)
    return false;
  expectedOutputs = std::move(*said);
  auto compared = compareAll(subject(), outputs(),
                             tensors.outputs(call.results), expectedOutputs);
  if (!compared)
    return false;
  list = std::move(*compared);
  return true;
}
