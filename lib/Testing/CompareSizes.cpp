// Calls a compiled program whose sizes calls choose, and compares it with the
// reference for some of these sizes.

#include "Comparison.h"
#include "ModelTensors.h"

#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Model.h"
#include "lib/Driver/BoundedModel.h"
#include "lib/Driver/BoundedOptions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

bool ProgramCall::run(Session &session, const CompareCommand &command,
                      Program &program) {
  auto gathered = gatherFeeds(session, program.feeds(), command.feed, madeUp);
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
  auto kept = program.readStates();
  if (!kept)
    return false;
  llvm::append_range(results, *kept);
  return true;
}

bool heddle::triesSizes(const CompareCommand &command) {
  return command.feed.inputs.empty() && command.feed.collections.empty() &&
         (command.against == "reference" || command.against == "onnxruntime") &&
         llvm::none_of(command.model.dims, [&](StringRef dim) {
           return isRanged(command.model, dim);
         });
}

bool heddle::compareOtherSizes(Session &session, const CompareCommand &command,
                               const ModelOptions &states,
                               const CustomCallLibraries &customCalls,
                               Program &program, llvm::json::Object &document,
                               bool &differs) {
  SmallVector<int64_t> least(program.leastSizes()), between;
  for (auto [low, known] : llvm::zip_equal(least, program.sizes()))
    between.push_back(low + (known.second - low) / 2);
  llvm::json::Array array;
  for (ArrayRef<int64_t> sizes : {ArrayRef(least), ArrayRef(between)}) {
    ProgramCall call;
    if (!program.setSizes(sizes) || !call.run(session, command, program))
      return false;
    session.phases.begin("reference");
    OwningOpRef<ModuleOp> module =
        importModel(session, withSizes(command.model, program, call.inputs));
    ModelTensors tensors;
    if (!module || !tensors.match(session, states, *module, program))
      return false;
    Tensors inputs = tensors.inputs(call.feeds);
    Subject subject{session, command,           *module,
                    inputs,  tensors.outputs(), customCalls};
    std::optional<Tensors> expected = referenceOf(subject);
    session.phases.end();
    if (!expected)
      return false;
    auto list = compareAll(subject, tensors.outputs(),
                           tensors.outputs(call.results), *expected);
    if (!list)
      return false;
    std::string text;
    llvm::json::Object named;
    for (const auto &[name, size] : program.sizes()) {
      text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
      named[llvm::json::fixUTF8(name)] = size;
    }
    session.text() << "with " << text << ":\n";
    array.push_back(
        llvm::json::Object{{"sizes", std::move(named)},
                           {"outputs", printComparisons(session.text(), *list,
                                                        tensors.outputs())}});
    session.text().flush();
    if (const Comparison *wrong = firstWrong(*list)) {
      session.diagnostics.report(ErrorCode::ComparisonFailed,
                                 "with " + text + " the output differs from " +
                                     command.against,
                                 wrong->name);
      differs = true;
    }
  }
  document["other_sizes"] = std::move(array);
  return true;
}
