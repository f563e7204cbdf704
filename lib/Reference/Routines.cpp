// kernel.routine and its composites: split complex tensors are put together, a
// function works on each element of the batch, results are split again.

#include "Routines.h"

#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

Batch reference::loadBatch(const HostTensor &re, const HostTensor *im) {
  Batch whole{Extents(re.shape()), std::vector<Complex>(re.size())};
  for (int64_t i = 0; i < re.size(); ++i)
    whole.values[i] =
        im ? Complex(re.complexAt(i).real(), im->complexAt(i).real())
           : re.complexAt(i);
  return whole;
}

LogicalResult reference::giveBatch(Invocation &call, const Batch &whole,
                                   bool split) {
  for (bool imaginary : {false, true}) {
    if (imaginary && !split)
      break;
    FailureOr<HostTensor> result =
        call.allocate(whole.shape, call.results.size());
    if (failed(result))
      return failure();
    for (int64_t i = 0; i < result->size(); ++i) {
      Complex value = whole.values[i];
      switch (elementClass(result->kind())) {
      case ElementClass::Complex:
        result->set(i, value);
        break;
      case ElementClass::Float:
        result->set(i, imaginary ? value.imag() : value.real());
        break;
      default:
        result->set(i, int64_t(value.real()));
      }
    }
    if (failed(call.give(std::move(*result))))
      return failure();
  }
  return success();
}

static LogicalResult applyFourierRoutine(Invocation &call,
                                         const kernel::RoutineCall &routine,
                                         ArrayRef<Batch> in) {
  Extents shape = in[0].shape;
  std::vector<Wide> values(in[0].values.begin(), in[0].values.end());
  auto lengths = routine.parameters.getAs<DenseI64ArrayAttr>("fft_length");
  int64_t first = lengths.size() == 1 ? routine.fourierDimension()
                                      : shape.size() - lengths.size();
  applyFourier(values, shape, routine.word("fft_type"), lengths, first);
  Batch whole{shape, {}};
  for (const Wide &value : values)
    whole.values.emplace_back(double(value.real()), double(value.imag()));
  return giveBatch(call, whole,
                   routine.isSplit() && routine.word("fft_type") != "IRFFT");
}

Dense reference::slice(const Batch &whole, size_t batchRank, int64_t number) {
  ArrayRef<int64_t> unit = ArrayRef(whole.shape).drop_front(batchRank);
  Dense dense(unit.size() == 2 ? unit[0] : 1, unit.empty() ? 1 : unit.back());
  std::copy_n(whole.values.begin() + number * dense.values.size(),
              dense.values.size(), dense.values.begin());
  return dense;
}

LogicalResult reference::applyRoutine(Invocation &call, StringRef name,
                                      DictionaryAttr parameters) {
  kernel::RoutineCall routine{name, call.op->getOperandTypes(),
                              call.op->getResultTypes(), parameters};
  std::string wrong = routine.check();
  if (!wrong.empty())
    return call.error() << "\"" << name << "\": " << wrong;
  SmallVector<Batch> in;
  for (unsigned i = 0; i < call.operands.size(); ++i) {
    bool pair = routine.isSplit() && !routine.isRealInput(in.size());
    in.push_back(
        loadBatch(call.tensor(i), pair ? &call.tensor(i + 1) : nullptr));
    i += pair;
  }
  if (name == "fft")
    return applyFourierRoutine(call, routine, in);
  MatrixFunction function = findMatrixFunction(name);
  if (!function)
    return call.error(ErrorCode::NotInterpretable)
           << "\"" << name << "\" has no interpretation";

  size_t batchRank = routine.batchRank();
  int64_t batches = numElements(ArrayRef(in[0].shape).take_front(batchRank));
  SmallVector<Batch> out;
  SmallVector<bool> split;
  for (unsigned i = 0; i < call.op->getNumResults(); ++i) {
    auto type = cast<RankedTensorType>(call.op->getResult(i).getType());
    bool pair = routine.isSplit() && !routine.isRealOutput(out.size());
    split.push_back(pair);
    out.push_back({Extents(type.getShape()),
                   std::vector<Complex>(numElements(type.getShape()))});
    i += pair;
  }
  for (int64_t number = 0; number < batches; ++number) {
    SmallVector<Dense> inputs, outputs;
    for (const Batch &whole : in)
      inputs.push_back(slice(whole, batchRank, number));
    for (const Batch &whole : out)
      outputs.push_back(slice(whole, batchRank, number));
    uint64_t extent = 1;
    for (const Dense &input : inputs)
      extent = std::max<uint64_t>(
          {extent, uint64_t(input.rows), uint64_t(input.columns)});
    if (failed(call.evaluator.countOperations(call.op, extent * extent)))
      return failure();
    function(routine, inputs, outputs);
    for (auto [whole, output] : llvm::zip_equal(out, outputs))
      std::copy(output.values.begin(), output.values.end(),
                whole.values.begin() + number * output.values.size());
  }
  for (auto [whole, pair] : llvm::zip_equal(out, split))
    if (failed(giveBatch(call, whole, pair)))
      return failure();
  return success();
}
