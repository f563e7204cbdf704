// The table of operators: name, versions, importer.

#include "Operators.h"

#include "heddle/Frontend/Onnx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle::onnx;

OperatorTable::OperatorTable() {
  addElementwise(*this);
  addMath(*this);
  addActivations(*this);
  addMatmul(*this);
  addConvolution(*this);
  addPooling(*this);
  addNormalization(*this);
  addReduction(*this);
  addLosses(*this);
  addShape(*this);
  addAttention(*this);
  addControl(*this);
  addRecurrent(*this);
  addQuantization(*this);
  addQuantized(*this);
  addEinsum(*this);
  addResize(*this);
  addGridSample(*this);
  addRegionAlign(*this);
  addSpectrum(*this);
  addRefused(*this);
  addIndexing(*this);
  addPadding(*this);
  addScatter(*this);
  addSorting(*this);
  addSelection(*this);
  addUnique(*this);
  addBoxSelection(*this);
  addSequences(*this);
  addFused(*this);
  addFusedAttention(*this);
  addNarrowWeights(*this);
  addGroupedAttention(*this);
  addLinearAttention(*this);
  addTermFrequencies(*this);
  addGenerators(*this);
}

Operator &OperatorTable::add(llvm::StringRef name, llvm::ArrayRef<int> versions,
                             int minInputs, int maxInputs,
                             ImportFunction import, int maxOutputs) {
  Operator &row = rows[name];
  row.versions.assign(versions.begin(), versions.end());
  row.minInputs = minInputs;
  row.maxInputs = maxInputs;
  row.maxOutputs = maxOutputs;
  row.import = import;
  return row;
}

int heddle::onnx::operatorVersion(const Operator &op, int64_t operatorSet) {
  int found = 0;
  for (int version : op.versions)
    if (version <= operatorSet)
      found = version;
  return found;
}

void heddle::printOnnxOperators(llvm::raw_ostream &stream) {
  OperatorTable table;
  llvm::SmallVector<llvm::StringRef> names(table.all().keys());
  llvm::sort(names);
  for (llvm::StringRef name : names) {
    stream << name;
    for (int version : table.lookup("", name)->versions)
      stream << " " << version;
    stream << "\n";
  }
}
