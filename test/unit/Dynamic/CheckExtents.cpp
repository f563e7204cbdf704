// Extents by rules against the types that operations infer from numbers.

#include "dialects/StableHlo/InferExtents.h"
#include "test/unit/Dynamic/SizedProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace heddle::sized {

std::string checkExtents(SizedProgram &program, ArrayRef<Sizes> choices,
                         uint64_t &excluded) {
  if (!program.walkProblem().empty())
    return program.walkProblem();
  std::string message;
  ScopedDiagnosticHandler listen(program.builder.getContext(),
                                 [&](Diagnostic &diagnostic) {
                                   if (message.empty())
                                     message = diagnostic.str();
                                 });
  // A wrong rule must show at sizes.
  if (!program.isMutated() && failed(verify(program.module())))
    return "at the bound: " + message;
  for (const Sizes &sizes : choices) {
    OwningOpRef<ModuleOp> fixed(program.module().clone());
    // Fixing gives the types that the extents say; the verifiers of operations
    // infer them anew.
    bool isValid =
        succeeded(fixSizes(*fixed,
                           [&](StringRef name) {
                             return program.evaluated(
                                 Expression::symbol(
                                     program.builder.getContext(), name),
                                 sizes);
                           })) &&
        succeeded(verify(*fixed));
    if (!isValid && program.holds(sizes))
      return "with " + program.text(sizes) + ": " + message;
    excluded += isValid && !program.holds(sizes);
    message.clear();
  }
  return "";
}

} // namespace heddle::sized
