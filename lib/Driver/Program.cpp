// A loaded program with its inputs and outputs as host tensors.

#include "heddle/Driver/Program.h"

#include "ProgramTypes.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/FileKind.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/ManifestTables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

static constexpr std::pair<heddle_dtype, ElementKind> kinds[] = {
    {HEDDLE_I1, ElementKind::I1},
    {HEDDLE_I2, ElementKind::I2},
    {HEDDLE_I4, ElementKind::I4},
    {HEDDLE_I8, ElementKind::I8},
    {HEDDLE_I16, ElementKind::I16},
    {HEDDLE_I32, ElementKind::I32},
    {HEDDLE_I64, ElementKind::I64},
    {HEDDLE_UI2, ElementKind::UI2},
    {HEDDLE_UI4, ElementKind::UI4},
    {HEDDLE_UI8, ElementKind::UI8},
    {HEDDLE_UI16, ElementKind::UI16},
    {HEDDLE_UI32, ElementKind::UI32},
    {HEDDLE_UI64, ElementKind::UI64},
    {HEDDLE_F4E2M1FN, ElementKind::F4E2M1FN},
    {HEDDLE_F6E2M3FN, ElementKind::F6E2M3FN},
    {HEDDLE_F6E3M2FN, ElementKind::F6E3M2FN},
    {HEDDLE_F8E3M4, ElementKind::F8E3M4},
    {HEDDLE_F8E4M3, ElementKind::F8E4M3},
    {HEDDLE_F8E4M3FN, ElementKind::F8E4M3FN},
    {HEDDLE_F8E4M3B11FNUZ, ElementKind::F8E4M3B11FNUZ},
    {HEDDLE_F8E4M3FNUZ, ElementKind::F8E4M3FNUZ},
    {HEDDLE_F8E5M2, ElementKind::F8E5M2},
    {HEDDLE_F8E5M2FNUZ, ElementKind::F8E5M2FNUZ},
    {HEDDLE_F8E8M0FNU, ElementKind::F8E8M0FNU},
    {HEDDLE_F16, ElementKind::F16},
    {HEDDLE_BF16, ElementKind::BF16},
    {HEDDLE_F32, ElementKind::F32},
    {HEDDLE_F64, ElementKind::F64},
    {HEDDLE_C64, ElementKind::C64},
    {HEDDLE_C128, ElementKind::C128}};

ElementKind heddle::toKind(heddle_dtype dtype) {
  for (auto [ours, kind] : kinds)
    if (ours == dtype)
      return kind;
  return ElementKind::I8;
}

static heddle_dtype toDtype(ElementKind kind) {
  for (auto [dtype, theirs] : kinds)
    if (theirs == kind)
      return dtype;
  return HEDDLE_I8;
}

std::string heddle::rangeRecordKey(StringRef entry, StringRef inputName) {
  return ("input.range." + entry + "." + inputName).str();
}

std::string heddle::typeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getElementType() << " ";
  if (type.getRank() == 0)
    os << "scalar";
  llvm::interleave(
      type.getShape(), os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << "?";
        else
          os << extent;
      },
      "x");
  return text;
}

bool Program::check(const heddle_status &status) {
  if (status.code == HEDDLE_OK)
    return true;
  session.diagnostics.report(
      toErrorCode(format::Error(heddle_code(status.code), "")), status.message);
  return false;
}

/// As the C interface takes lists of structs.
template <typename T>
static SmallVector<const T *> pointersTo(ArrayRef<T> structs) {
  SmallVector<const T *> pointers;
  for (const T &item : structs)
    pointers.push_back(&item);
  return pointers;
}

std::unique_ptr<Program> Program::load(Session &session, StringRef path,
                                       uint32_t flags, StringRef variant,
                                       StringRef entry,
                                       ArrayRef<heddle_custom_call> calls,
                                       StringRef devices) {
  std::unique_ptr<Program> result(new Program(session));
  std::string variantName = variant.str(), entryName = entry.str(),
              deviceKinds = devices.str();
  heddle_load_options options{};
  options.size = sizeof options;
  options.flags = flags;
  options.variant = variant.empty() ? nullptr : variantName.c_str();
  SmallVector<const heddle_custom_call *> callPointers = pointersTo(calls);
  options.devices = devices.empty() ? nullptr : deviceKinds.c_str();
  options.custom_calls = callPointers.data();
  options.custom_call_count = callPointers.size();
  if (!result->check(heddle_program_load_file(path.str().c_str(), &options,
                                              &result->program)))
    return nullptr;
  // Without a name main is the one meant, or the first.
  if (entryName.empty())
    (void)heddle_program_find_entry(result->program, "main",
                                    &result->entryIndex);
  else if (!result->check(heddle_program_find_entry(
               result->program, entryName.c_str(), &result->entryIndex)))
    return nullptr;
  if (!result->readSignature(path))
    return nullptr;
  return result;
}

Program::~Program() {
  for (heddle_state *state : madeStates)
    heddle_state_destroy(state);
  heddle_context_destroy(context);
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// "0..30521".
static std::optional<std::pair<int64_t, int64_t>> parseRange(StringRef text) {
  auto [least, greatest] = text.split("..");
  std::pair<int64_t, int64_t> range;
  if (least.getAsInteger(10, range.first) ||
      greatest.getAsInteger(10, range.second) || range.first > range.second)
    return std::nullopt;
  return range;
}

bool Program::readSignature(StringRef path) {
  MLIRContext &mlirContext = session.typeContext();
  auto read = [&](const heddle_tensor_info &info) {
    TensorSignature signature{
        info.name,
        RankedTensorType::get(ArrayRef(info.whole, info.rank),
                              elementType(&mlirContext, toKind(info.dtype))),
        std::nullopt};
    ArrayRef<int64_t> least(info.shape_min, info.rank);
    if (least != ArrayRef(info.shape, info.rank))
      signature.least.assign(least.begin(), least.end());
    return signature;
  };
  heddle_tensor_info info{};
  info.size = sizeof info;
  for (size_t i = 0; i < heddle_program_input_count(program, entryIndex); ++i) {
    if (!check(heddle_program_input_info(program, entryIndex, i, &info)))
      return false;
    inputList.push_back(read(info));
  }
  for (size_t i = 0; i < heddle_program_output_count(program, entryIndex);
       ++i) {
    if (!check(heddle_program_output_info(program, entryIndex, i, &info)))
      return false;
    outputList.push_back(read(info));
  }

  if (!readStateSignatures())
    return false;

  // What the runtime has no use for: records and costs.
  format::ArtifactReader artifact;
  if (format::Error error = artifact.open(path.str())) {
    session.diagnostics.report(toErrorCode(error), error.message());
    return false;
  }
  file = path.str();
  leastSizeList = format::leastSymbols(artifact.manifest());
  std::vector<int64_t> largest = format::largestSymbols(artifact.manifest());
  for (auto [i, size] : llvm::enumerate(largest)) {
    const format::Symbol *symbol = artifact.manifest().symbols()->Get(i);
    sizeList.emplace_back(format::text(symbol->name()), size);
    multipleList.push_back(symbol->multiple());
    if (symbol->source() == format::SymbolSource::device)
      computedSizes.push_back(sizeList.back().first);
  }
  givenSizes.assign(sizeList.size(), -1);
  if (!readLengths(artifact.manifest()))
    return false;
  StringRef entry = heddle_program_entry_name(program, entryIndex);
  for (TensorSignature &input :
       llvm::concat<TensorSignature>(inputList, stateList))
    input.range =
        parseRange(findRecord(artifact, rangeRecordKey(entry, input.name)));
  PlanCost cost = planCost(artifact, report().variant, entryIndex);
  operationCount = cost.operations;
  trafficBytes = cost.traffic;
  return true;
}

bool Program::computesSize(StringRef name) const {
  return llvm::is_contained(computedSizes, name);
}

heddle_load_report Program::report() const {
  heddle_load_report report{};
  report.size = sizeof report;
  heddle_program_report(program, &report);
  return report;
}

size_t Program::arenaBytes(unsigned threads) const {
  SmallVector<int64_t> sizes;
  for (const auto &[name, size] : sizeList)
    sizes.push_back(size);
  size_t bytes = 0;
  heddle_program_arena_bytes(program, entryIndex, sizes.data(), sizes.size(),
                             threads, &bytes);
  return bytes;
}

/// Says which rank all others wait for, as heddle_ranks_options.on_slow.
static void warnOfSlow(void *session, uint32_t rank, uint64_t waitedNs) {
  static_cast<Session *>(session)->diagnostics.warn(
      "rank " + llvm::Twine(rank) + " is slow: others have waited " +
      llvm::formatv("{0:F1}", double(waitedNs) / 1e9).str() +
      " s for it, and it has not ended");
}

bool Program::prepare(unsigned threads, const std::string &engine,
                      heddle_group *group) {
  if (isPartitioned() || group) {
    heddle_ranks_options options{};
    options.size = sizeof options;
    options.threads = threads;
    options.engine = group || engine.empty() ? nullptr : engine.c_str();
    options.group = group;
    options.on_slow = warnOfSlow;
    options.user = &session;
    return check(heddle_ranks_create(program, entryIndex, &options, &ranks));
  }
  heddle_context_options options{};
  options.size = sizeof options;
  options.threads = threads;
  if (!makeStates())
    return false;
  return check(heddle_context_create(program, entryIndex, &options, &context));
}

bool Program::serve(unsigned threads, heddle_group *group) {
  return prepare(threads, /*engine=*/{}, group) &&
         check(heddle_ranks_serve(ranks));
}

bool Program::isPartitioned() const { return rankCount() > 1; }

unsigned Program::rankCount() const { return heddle_program_ranks(program); }

unsigned Program::threads() const {
  return isPartitioned() ? rankCount() : heddle_context_threads(context);
}

/// Rank and shape of a tensor for the runtime.
static heddle_tensor shapeOf(const HostTensor &tensor) {
  heddle_tensor result{};
  result.size = sizeof result;
  result.dtype = toDtype(tensor.kind());
  result.rank = tensor.rank();
  result.shape = tensor.shape().data();
  return result;
}

bool TensorSignature::takes(RankedTensorType given) const {
  if (given == type)
    return true;
  if (least.empty() || given.getElementType() != type.getElementType() ||
      given.getRank() != type.getRank())
    return false;
  for (auto [size, low, high] :
       llvm::zip_equal(given.getShape(), least, type.getShape()))
    if (size < low || size > high)
      return false;
  return true;
}

heddle_call_options
Program::withSizes(const heddle_call_options *options) const {
  heddle_call_options result{};
  result.size = sizeof result;
  if (options)
    result = *options;
  result.states = madeStates.data();
  result.state_count = madeStates.size();
  result.sizes = givenSizes.data();
  result.size_count = givenSizes.size();
  return result;
}

SmallVector<HostTensor>
Program::makeOutputs(ArrayRef<HostTensor> inputs) const {
  SmallVector<heddle_tensor> shapes = llvm::map_to_vector(inputs, shapeOf);
  SmallVector<const heddle_tensor *> pointers =
      pointersTo(ArrayRef<heddle_tensor>(shapes));
  SmallVector<HostTensor> tensors;
  heddle_call_options options = withSizes(nullptr);
  for (auto [i, output] : llvm::enumerate(outputList)) {
    RankedTensorType type = output.type;
    SmallVector<int64_t> shape(type.getShape());
    // Shapes that do not fit are for the call to tell. A shape that the least
    // and the greatest sizes give may be another between them.
    if (!sizeList.empty() && !shape.empty() &&
        heddle_program_output_shape_in(program, entryIndex, pointers.data(),
                                       pointers.size(), &options, i,
                                       shape.data())
                .code == HEDDLE_OK)
      type = RankedTensorType::get(shape, type.getElementType());
    tensors.push_back(HostTensor::allocate(type));
  }
  return tensors;
}

bool Program::call(ArrayRef<HostTensor> inputs,
                   MutableArrayRef<HostTensor> outputs,
                   const heddle_call_options *options) {
  heddle_call_options own = withSizes(options);
  // Tensors are given in the process's memory, wherever the program wants them.
  own.flags |= HEDDLE_STAGE_TENSORS;
  auto describe = [](const HostTensor &tensor, const char *data) {
    heddle_tensor result = shapeOf(tensor);
    result.data = const_cast<char *>(data);
    result.bytes = tensor.bytes().size();
    return result;
  };
  SmallVector<heddle_tensor> ins, outs;
  for (const HostTensor &tensor : inputs)
    ins.push_back(describe(tensor, tensor.bytes().data()));
  for (HostTensor &tensor : outputs)
    outs.push_back(describe(tensor, tensor.mutableBytes().data()));
  // The call says which part of an output is true.
  finalShapes.resize(outs.size());
  for (auto [tensor, shape] : llvm::zip_equal(outs, finalShapes)) {
    shape.resize(tensor.rank);
    if (tensor.rank && !isPartitioned())
      tensor.out_shape = shape.data();
    else
      shape.assign(tensor.shape, tensor.shape + tensor.rank);
  }
  auto inPointers = pointersTo(ArrayRef<heddle_tensor>(ins));
  auto outPointers = pointersTo(ArrayRef<heddle_tensor>(outs));
  if (isPartitioned()) {
    own.sizes = nullptr;
    own.size_count = 0;
    return check(heddle_ranks_call(ranks, inPointers.data(), inPointers.size(),
                                   outPointers.data(), outPointers.size(),
                                   &own));
  }
  return check(heddle_context_call(context, inPointers.data(),
                                   inPointers.size(), outPointers.data(),
                                   outPointers.size(), &own));
}

void Program::cutOutputs(MutableArrayRef<HostTensor> outputs) const {
  for (auto [tensor, shape] : llvm::zip_equal(outputs, finalShapes)) {
    if (tensor.shape() == ArrayRef<int64_t>(shape))
      continue;
    auto cut = HostTensor::allocate(
        RankedTensorType::get(shape, tensor.type().getElementType()));
    llvm::copy(tensor.bytes().take_front(cut.bytes().size()),
               cut.mutableBytes().begin());
    tensor = std::move(cut);
  }
}
