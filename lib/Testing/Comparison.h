// What the parts of `heddle compare` share: the model and its feeds, ways to
// evaluate a module, and the verdict on two lists of tensors.

#ifndef HEDDLE_LIB_TESTING_COMPARISON_H
#define HEDDLE_LIB_TESTING_COMPARISON_H

#include "heddle/Driver/CustomCalls.h"
#include "heddle/Driver/Program.h"
#include "heddle/Driver/Session.h"
#include "heddle/Support/CompareTensors.h"
#include "heddle/Testing/CompareCommand.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <vector>

namespace heddle {

using Tensors = llvm::SmallVector<HostTensor>;

/// One tensor against what it should be.
struct Comparison {
  std::string name;
  TensorDistance distance;
  bool within = false;
};

/// The model that a comparison is about, as imported, and the data it is run
/// on. Nothing here is changed: whatever transforms the module clones it.
struct Subject {
  Session &session;
  const CompareCommand &command;
  mlir::ModuleOp module;
  llvm::ArrayRef<HostTensor> inputs;
  llvm::ArrayRef<TensorSignature> outputs;
  const CustomCallLibraries &customCalls;
};

/// What the reference says; none after an error, which has been reported.
std::optional<Tensors> referenceOf(const Subject &subject);

/// Whether the program, of which no size was set, is to be called with several
/// sizes: nothing says which, and the reference is computed for any.
bool triesSizes(const CompareCommand &command, const Program &program);

/// The program with its least sizes and with ones between these and the
/// largest: what reaches too far does not show where all is used. `states` say
/// which of the model's tensors are states. False after an error, which has
/// been reported; a difference is, too, and sets `differs`.
bool compareOtherSizes(Session &session, const CompareCommand &command,
                       const ModelOptions &states,
                       const CustomCallLibraries &customCalls, Program &program,
                       llvm::json::Object &document, bool &differs);

/// How the reference is computed.
InterpreterOptions interpreterOptions(const Subject &subject);

/// Interprets the entry function of `module`, which may have passed any stage
/// that is still on tensors; none after an error, which has been reported.
std::optional<Tensors> interpretModule(const Subject &subject,
                                       mlir::ModuleOp module,
                                       llvm::ArrayRef<HostTensor> inputs);

/// Compiles `module`, a model as imported, and runs it. The module is used up.
std::optional<Tensors> runCompiled(const Subject &subject,
                                   mlir::ModuleOp module,
                                   llvm::ArrayRef<HostTensor> inputs);

/// One entry per output, in order; none after an error, which has been
/// reported.
std::optional<std::vector<Comparison>>
compareAll(const Subject &subject, llvm::ArrayRef<TensorSignature> outputs,
           llvm::ArrayRef<HostTensor> actual,
           llvm::ArrayRef<HostTensor> expected);

/// The first of them that is beyond the tolerance; null if none is.
const Comparison *firstWrong(llvm::ArrayRef<Comparison> list);

/// "relative L2 1.00e-07, largest difference 2.00e-06 at [0, 3]".
std::string distanceText(const TensorDistance &distance,
                         llvm::ArrayRef<int64_t> shape);

/// Prints the list, the worst first, and returns it for the document.
llvm::json::Array printComparisons(llvm::raw_ostream &os,
                                   llvm::ArrayRef<Comparison> list,
                                   llvm::ArrayRef<TensorSignature> outputs);

/// --stages and --bisect: interprets the program after each stage, or after
/// each pass, and names the first that changed the numbers. False after an
/// error, which has been reported; `found` says whether there is such a one.
bool compareStages(const Subject &subject, llvm::ArrayRef<HostTensor> reference,
                   llvm::json::Object &document, bool &found);

/// --layers: the first node whose value differs from the interpreter's.
bool compareLayers(const Subject &subject, llvm::json::Object &document);

/// --reduce: writes a program of as few operations as it takes to differ.
bool reduceModel(const Subject &subject, llvm::json::Object &document);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_COMPARISON_H
