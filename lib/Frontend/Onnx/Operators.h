// The table of ONNX operators: which versions are read, by which function.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_OPERATORS_H
#define HEDDLE_LIB_FRONTEND_ONNX_OPERATORS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::onnx {

class NodeImporter;
using ImportFunction = llvm::LogicalResult (*)(NodeImporter &);

/// Operator sets that are read; a version in between is the one that an
/// operator's last change made.
constexpr int64_t kFirstOperatorSet = 7;
constexpr int64_t kLastOperatorSet = 28;

constexpr int kAnyNumber = -1;

struct Operator {
  /// Operator sets that changed the operator, from the one in force at
  /// kFirstOperatorSet on.
  llvm::SmallVector<int, 6> versions;
  int minInputs = 0;
  int maxInputs = 0;
  int maxOutputs = 1;
  /// Null for operators with graphs inside, which the walk over the model
  /// imports.
  ImportFunction import = nullptr;
  /// Whether an input may be a sequence of tensors.
  bool takesSequences = false;
};

/// The operators of the domain `ai.onnx` by name, those of others as
/// `com.microsoft.Gelu`.
class OperatorTable {
public:
  OperatorTable();

  const Operator *lookup(llvm::StringRef domain, llvm::StringRef name) const {
    auto it = domain.empty() || domain == "ai.onnx"
                  ? rows.find(name)
                  : rows.find((domain + "." + name).str());
    return it == rows.end() ? nullptr : &it->second;
  }
  Operator &add(llvm::StringRef name, llvm::ArrayRef<int> versions,
                int minInputs, int maxInputs, ImportFunction import,
                int maxOutputs = 1);
  const llvm::StringMap<Operator> &all() const { return rows; }

private:
  llvm::StringMap<Operator> rows;
};

/// The version of an operator in force in an operator set; 0 if it does not
/// exist there yet.
int operatorVersion(const Operator &op, int64_t operatorSet);

// One group of operators per file.
void addElementwise(OperatorTable &table);
void addMath(OperatorTable &table);
void addActivations(OperatorTable &table);
void addMatmul(OperatorTable &table);
void addEinsum(OperatorTable &table);
void addConvolution(OperatorTable &table);
void addPooling(OperatorTable &table);
void addNormalization(OperatorTable &table);
void addReduction(OperatorTable &table);
void addLosses(OperatorTable &table);
void addShape(OperatorTable &table);
void addPadding(OperatorTable &table);
void addResize(OperatorTable &table);
void addGridSample(OperatorTable &table);
void addRegionAlign(OperatorTable &table);
void addSpectrum(OperatorTable &table);
void addRefused(OperatorTable &table);
void addIndexing(OperatorTable &table);
void addScatter(OperatorTable &table);
void addSorting(OperatorTable &table);
void addSelection(OperatorTable &table);
void addUnique(OperatorTable &table);
void addBoxSelection(OperatorTable &table);
void addSequences(OperatorTable &table);
void addFused(OperatorTable &table);
void addFusedAttention(OperatorTable &table);
void addNarrowWeights(OperatorTable &table);
void addGroupedAttention(OperatorTable &table);
void addLinearAttention(OperatorTable &table);
void addTermFrequencies(OperatorTable &table);
void addGenerators(OperatorTable &table);
void addAttention(OperatorTable &table);
void addControl(OperatorTable &table);
void addRecurrent(OperatorTable &table);
void addQuantization(OperatorTable &table);
void addQuantized(OperatorTable &table);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_OPERATORS_H
