// Checks the tensors of a call one by one: type, rank, shape, alignment,
// overlap.

#include "runtime/Tensors.h"

#include "runtime/format/DataTypes.h"
#include "runtime/format/SizedStructs.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

static std::string shapeText(const int64_t *shape, size_t rank) {
  std::string result = "[";
  for (size_t i = 0; i < rank; ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

Error runtime::tensorError(heddle_code code, const char *kind,
                           const TensorSpec &spec, const std::string &what) {
  return {code, std::string(kind) + " '" + spec.name + "' " + what};
}

Error runtime::wrongDevice(const char *kind, const TensorSpec &spec,
                           const std::string &place) {
  return tensorError(HEDDLE_TENSOR_DEVICE, kind, spec,
                     "is on " + place + ", the program wants it on '" +
                         spec.deviceName + "'");
}

namespace {
/// One tensor of a call, beside what the entry wants.
struct Candidate {
  const char *kind; ///< "input" or "output".
  const TensorSpec &spec;
  const heddle_tensor &tensor;

  Error fail(heddle_code code, const std::string &what) const {
    return tensorError(code, kind, spec, what);
  }
  size_t rank() const { return spec.shape.size(); }

  Error checkType() const;
  Error checkRank() const;
  /// `wanted` says each extent.
  template <typename Extent> Error checkShape(Extent wanted) const;
  Error checkLayout() const;
  Error checkMemory() const;
  /// Bytes of its own shape; the type is right and no extent negative.
  bool bytes(uint64_t &result) const;
};
} // namespace

DataType runtime::readDataType(const heddle_dtype &given) {
  static_assert(sizeof(given) == sizeof(uint32_t));
  uint32_t number;
  std::memcpy(&number, &given, sizeof(number));
  return number <= 0xff ? static_cast<DataType>(number) : DataType::none;
}

Error Candidate::checkType() const {
  DataType type = readDataType(tensor.dtype);
  if (type != spec.dtype)
    return fail(HEDDLE_TENSOR_DTYPE, std::string("has type ") +
                                         dataTypeName(type) + " instead of " +
                                         dataTypeName(spec.dtype));
  return checkRank();
}

Error Candidate::checkRank() const {
  if (tensor.rank < 0 || static_cast<size_t>(tensor.rank) != rank())
    return fail(HEDDLE_TENSOR_RANK, "has " + std::to_string(tensor.rank) +
                                        " dimensions instead of " +
                                        std::to_string(rank()));
  if (rank() && !tensor.shape)
    return fail(HEDDLE_TENSOR_RANK, "has " + std::to_string(tensor.rank) +
                                        " dimensions, but its shape is a null "
                                        "pointer");
  return {};
}

template <typename Extent> Error Candidate::checkShape(Extent wanted) const {
  for (size_t i = 0; i < rank(); ++i) {
    if (tensor.shape[i] == wanted(i))
      continue;
    std::vector<int64_t> shape;
    for (size_t j = 0; j < rank(); ++j)
      shape.push_back(wanted(j));
    return fail(HEDDLE_TENSOR_SHAPE,
                "has shape " + shapeText(tensor.shape, rank()) +
                    " instead of " + shapeText(shape.data(), rank()));
  }
  return {};
}

Error Candidate::checkLayout() const {
  if (!tensor.strides)
    return {};
  int64_t stride = 1;
  bool good = true;
  for (size_t i = rank(); i-- > 0;) {
    if (tensor.shape[i] == 0)
      return {}; // without elements any layout is right
    good &= tensor.shape[i] == 1 || tensor.strides[i] == stride;
    if (__builtin_mul_overflow(stride, tensor.shape[i], &stride))
      good = false;
  }
  if (good)
    return {};
  return fail(HEDDLE_TENSOR_LAYOUT,
              "has strides " + shapeText(tensor.strides, rank()) +
                  ", but must be contiguous in row-major order");
}

bool Candidate::bytes(uint64_t &result) const {
  result = elementBytes(spec.dtype);
  for (size_t i = 0; i < rank(); ++i)
    if (tensor.shape[i] < 0 ||
        __builtin_mul_overflow(result, static_cast<uint64_t>(tensor.shape[i]),
                               &result))
      return false;
  return true;
}

Error Candidate::checkMemory() const {
  uint64_t needed = 0;
  if (!bytes(needed))
    return fail(HEDDLE_TENSOR_SHAPE,
                "has the impossible shape " + shapeText(tensor.shape, rank()));
  if (needed && !tensor.data)
    return fail(HEDDLE_ARGUMENT_INVALID, "has no memory");
  // Nobody looks for elements where there are none.
  if (needed && reinterpret_cast<uintptr_t>(tensor.data) % spec.alignment)
    return fail(HEDDLE_TENSOR_UNALIGNED, "does not start at a multiple of " +
                                             std::to_string(spec.alignment) +
                                             " bytes");
  // Where the shape is the call's, it does not tell how much there is.
  if ((tensor.bytes || tensor.out_shape) && tensor.bytes < needed)
    return fail(*kind == 'o' ? HEDDLE_OUTPUT_TOO_SMALL : HEDDLE_TENSOR_SHAPE,
                "has " + std::to_string(tensor.bytes) + " bytes instead of " +
                    std::to_string(needed));
  return {};
}

static Error checkCount(const char *kind, const std::vector<TensorSpec> &specs,
                        size_t count, heddle_code missing, heddle_code extra) {
  std::string numbers = std::to_string(count) + " " + kind + "s are given, " +
                        std::to_string(specs.size()) + " wanted";
  if (count < specs.size())
    return {missing, std::string(kind) + " '" + specs[count].name +
                         "' is missing: " + numbers};
  return {extra,
          std::string("one ") + kind + " too many" +
              (specs.empty() ? "" : " after '" + specs.back().name + "'") +
              ": " + numbers};
}

Error runtime::checkCounts(const EntrySpec &entry, size_t inputs,
                           size_t outputs) {
  if (inputs != entry.inputs.size())
    return checkCount("input", entry.inputs, inputs, HEDDLE_INPUT_MISSING,
                      HEDDLE_INPUT_EXTRA);
  if (outputs != entry.outputs.size())
    return checkCount("output", entry.outputs, outputs, HEDDLE_OUTPUT_MISSING,
                      HEDDLE_OUTPUT_EXTRA);
  return {};
}

Error runtime::checkRank(const TensorSpec &spec, const char *kind,
                         const heddle_tensor &tensor) {
  return Candidate{kind, spec, tensor}.checkRank();
}

Error runtime::readTensor(const heddle_tensor *given, const char *kind,
                          const TensorSpec &spec, heddle_tensor &tensor) {
  Candidate candidate = {kind, spec, tensor};
  if (!given)
    return candidate.fail(HEDDLE_ARGUMENT_INVALID, "is a null pointer");
  if (!readOptions(given, tensor))
    return candidate.fail(HEDDLE_ARGUMENT_INVALID,
                          std::string("cannot be read: ") + badSize);
  if (*kind == 'i' && (tensor.out_shape || tensor.allocate))
    return candidate.fail(HEDDLE_ARGUMENT_INVALID,
                          "is no output, but has out_shape or allocate");
  if (tensor.allocate && !tensor.out_shape)
    return candidate.fail(HEDDLE_ARGUMENT_INVALID,
                          "has allocate, but no out_shape");
  return {};
}

Error runtime::checkTensor(const char *kind, const TensorSpec &spec,
                           const heddle_tensor &tensor, bool dynamic) {
  Candidate candidate = {kind, spec, tensor};
  if (Error error = candidate.checkType())
    return error;
  if (!dynamic)
    if (Error error =
            candidate.checkShape([&](size_t j) { return spec.leastShape[j]; }))
      return error;
  if (Error error = candidate.checkLayout())
    return error;
  return candidate.checkMemory();
}

Error runtime::checkTensors(const char *kind,
                            const std::vector<TensorSpec> &specs,
                            TensorList list, bool dynamic) {
  for (size_t i = 0; i < list.count; ++i)
    if (Error error = checkTensor(kind, specs[i], list.tensors[i], dynamic))
      return error;
  return {};
}

Error runtime::checkOverlap(const EntrySpec &entry, TensorList inputs,
                            TensorList outputs) {
  auto range = [](const TensorSpec &spec, const heddle_tensor &tensor) {
    uint64_t bytes = 0;
    Candidate{"", spec, tensor}.bytes(bytes);
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    return std::make_pair(begin, begin + bytes);
  };
  // What has no bytes shares none, wherever it lies.
  auto overlap = [](auto a, auto b) {
    return std::max(a.first, b.first) < std::min(a.second, b.second);
  };
  for (size_t i = 0; i < outputs.count; ++i) {
    const TensorSpec &spec = entry.outputs[i];
    auto mine = range(spec, outputs.tensors[i]);
    auto fail = [&](const char *kind, const TensorSpec &other) {
      return Error(HEDDLE_TENSOR_OVERLAP, "output '" + spec.name +
                                              "' shares memory with " + kind +
                                              " '" + other.name + "'");
    };
    for (size_t j = 0; j < inputs.count; ++j) {
      auto other = range(entry.inputs[j], inputs.tensors[j]);
      if (overlap(mine, other) && !(spec.alias == j && mine == other))
        return fail("input", entry.inputs[j]);
    }
    for (size_t j = 0; j < i; ++j)
      if (overlap(mine, range(entry.outputs[j], outputs.tensors[j])))
        return fail("output", entry.outputs[j]);
  }
  return {};
}

Error runtime::checkShapes(const char *kind,
                           const std::vector<TensorSpec> &specs,
                           TensorList list,
                           const std::vector<int64_t> &values) {
  for (size_t i = 0; i < list.count; ++i)
    if (Error error = Candidate{kind, specs[i], list.tensors[i]}.checkShape(
            [&](size_t dimension) {
              return values[specs[i].shape[dimension]];
            }))
      return error;
  return {};
}

Error runtime::wrongShape(const char *kind, const TensorSpec &spec,
                          const heddle_tensor &tensor,
                          const std::string &wanted) {
  return Candidate{kind, spec, tensor}.fail(
      HEDDLE_TENSOR_SHAPE, "has shape " +
                               shapeText(tensor.shape, spec.shape.size()) +
                               ": " + wanted);
}
