// Calls a compiled program whose sizes calls choose, and compares it with the
// reference for some of these sizes.

#include "ComparedCall.h"

#include "heddle/Driver/SizePoints.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

bool heddle::triesSizes(const CompareCommand &command, const Program &program) {
  return command.feed.inputs.empty() && command.feed.collections.empty() &&
         (command.against == "reference" || command.against == "onnxruntime") &&
         !program.areSizesSaid(command.model);
}

bool heddle::compareOtherSizes(Session &session, const CompareCommand &command,
                               const ModelOptions &states,
                               const CustomCallLibraries &customCalls,
                               Program &program, llvm::json::Object &document,
                               bool &differs) {
  SmallVector<int64_t> least(program.leastSizes()), between, greatest;
  for (auto [low, known, multiple] :
       llvm::zip_equal(least, program.sizes(), program.sizeMultiples())) {
    between.push_back(low + (known.second - low) / 2 / multiple * multiple);
    greatest.push_back(known.second);
  }
  // Those that the program computes are the largest.
  if (least == greatest)
    return true;
  SmallVector<SmallVector<int64_t>> points = {least, between};
  llvm::append_range(points, unequalSizes(least, greatest));
  llvm::json::Array array;
  for (ArrayRef<int64_t> sizes : points) {
    // Sizes that the program refuses are nothing to compare.
    if (!program.brokenAssumption(sizes).empty())
      continue;
    ProgramCall call;
    if (!program.setSizes(sizes) || !call.run(session, command, program))
      return false;
    ReferenceCall reference(session, command, states, customCalls);
    if (!reference.run(program, call))
      return false;
    std::string text;
    llvm::json::Object named;
    for (const auto &[name, size] : program.sizes()) {
      text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
      named[llvm::json::fixUTF8(name)] = size;
    }
    session.text() << "with " << text << ":\n";
    array.push_back(llvm::json::Object{
        {"sizes", std::move(named)},
        {"outputs", printComparisons(session.text(), reference.comparisons(),
                                     reference.outputs())}});
    session.text().flush();
    if (const Comparison *wrong = firstWrong(reference.comparisons())) {
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
