// Checks the custom calls of a manifest.

#include "runtime/format/CustomCalls.h"

#include "runtime/format/DataTypes.h"
#include "runtime/format/Limits.h"

#include <cstring>

namespace heddle::format {

/// Names are handed on as C strings.
static bool isName(const flatbuffers::String *string) {
  return string && string->size() &&
         std::strlen(string->c_str()) == string->size();
}

/// What is wrong with a tensor; empty if nothing is.
static std::string tensorFault(const Tensor &tensor, const Manifest &manifest) {
  if (!elementBytes(tensor.dtype()))
    return "has no proper type";
  if (length(tensor.shape()) > maximumRank)
    return "has more than 64 dimensions";
  for (uint32_t i = 0; i < length(tensor.shape()); ++i)
    if (tensor.shape()->Get(i) >= length(manifest.expressions()))
      return "has an unknown extent";
  if (tensor.memory())
    return "has memory of another shape";
  return {};
}

static bool sameType(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || length(a.shape()) != length(b.shape()))
    return false;
  for (uint32_t i = 0; i < length(a.shape()); ++i)
    if (a.shape()->Get(i) != b.shape()->Get(i))
      return false;
  return true;
}

/// What is wrong with an attribute; empty if nothing is.
static std::string attributeFault(const Attribute &attribute) {
  if (!isName(attribute.name()))
    return "has an attribute without a proper name";
  auto fault = [&](const char *what) {
    return "has an attribute '" + text(attribute.name()) + "' " + what;
  };
  if (!isAligned(attribute.integers()) || !isAligned(attribute.reals()))
    return fault("that is not aligned");
  uint32_t integers = length(attribute.integers()),
           reals = length(attribute.reals()), texts = length(attribute.texts());
  AttributeKind kind = attribute.kind();
  bool whole = kind == AttributeKind::boolean || kind == AttributeKind::integer;
  if (kind == AttributeKind::none || kind > AttributeKind::MAX ||
      (integers && !whole) || (reals && kind != AttributeKind::real) ||
      (texts && kind != AttributeKind::text))
    return fault("of no known kind");
  if (!attribute.is_array() && integers + reals + texts != 1)
    return fault("that is not one value");
  if (kind == AttributeKind::boolean)
    for (uint32_t i = 0; i < integers; ++i)
      if (attribute.integers()->Get(i) != 0 &&
          attribute.integers()->Get(i) != 1)
        return fault("that is neither true nor false");
  return {};
}

/// The kernel's in-place pairs are the aliases of the results, and no others.
static bool aliasesMatch(const Kernel &kernel) {
  const CustomCall &call = *kernel.custom_call();
  uint32_t operands = length(call.operands()), aliases = 0;
  std::vector<bool> taken(operands, false);
  for (uint32_t i = 0; i < length(call.results()); ++i) {
    const Tensor &result = *call.results()->Get(i);
    uint32_t alias = result.alias();
    if (alias == none)
      continue;
    if (alias >= operands || taken[alias] ||
        !sameType(result, *call.operands()->Get(alias)))
      return false;
    taken[alias] = true;
    ++aliases;
    bool paired = false;
    for (uint32_t j = 0; j < length(kernel.in_place()); ++j)
      paired |= kernel.in_place()->Get(j)->input() == alias &&
                kernel.in_place()->Get(j)->output() == operands + i;
    if (!paired)
      return false;
  }
  return length(kernel.in_place()) == aliases;
}

Error verifyCustomCall(const Kernel &kernel, const Manifest &manifest) {
  const CustomCall &call = *kernel.custom_call();
  auto invalid = [&](const std::string &what) -> Error {
    return {HEDDLE_MANIFEST_INVALID,
            "custom call '" + text(kernel.name()) + "' " + what};
  };
  if (!isName(call.target()))
    return invalid("has no proper name");
  if (kernel.launch_type() != LaunchData::NONE || kernel.integers())
    return invalid("claims to have code");
  if (kernel.bindings() != length(call.operands()) + length(call.results()))
    return invalid("binds another number of buffers than it has tensors");
  for (const auto *tensors : {call.operands(), call.results()})
    for (uint32_t i = 0; i < length(tensors); ++i)
      if (std::string fault = tensorFault(*tensors->Get(i), manifest);
          !fault.empty())
        return invalid("has a tensor that " + fault);
  for (uint32_t i = 0; i < length(call.operands()); ++i)
    if (call.operands()->Get(i)->alias() != none)
      return invalid("has an operand that shares memory with another");
  if (!aliasesMatch(kernel))
    return invalid("has results that share memory with no operand of theirs");
  for (uint32_t i = 0; i < length(call.attributes()); ++i)
    if (std::string fault = attributeFault(*call.attributes()->Get(i));
        !fault.empty())
      return invalid(fault);
  return {};
}

/// Whether every address that `binding` can mean is a multiple of `alignment`.
static bool isAlignedFor(int64_t alignment, const Binding &binding,
                         const MemoryAccess &access, const ProgramView &view) {
  if (access.begin % alignment)
    return false;
  const Buffer &buffer = *view.program.buffers()->Get(binding.buffer());
  // All other memories start at multiples of 64.
  const Tensor *tensor = nullptr;
  if (buffer.kind() == BufferKind::input)
    tensor = view.entry->inputs()->Get(buffer.index());
  else if (buffer.kind() == BufferKind::output)
    tensor = view.entry->outputs()->Get(buffer.index());
  if (!tensor)
    return true;
  int64_t asked = tensor->alignment() ? int64_t(tensor->alignment())
                                      : int64_t(elementBytes(tensor->dtype()));
  return asked % alignment == 0;
}

Error verifyCustomCallBindings(const CustomCall &call, const ProgramView &view,
                               const Launch &launch,
                               const std::vector<MemoryAccess> &accesses) {
  if (!view.entry)
    return invalidPlan("is a custom call, which loading cannot do");
  int64_t tiles = 0;
  if (!view.value(launch.tiles(), tiles) || tiles != 1)
    return invalidPlan("is a custom call of more than one tile");
  uint32_t operands = length(call.operands());
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    const MemoryAccess &access = accesses[i];
    bool isResult = i >= operands;
    const Tensor &tensor = isResult ? *call.results()->Get(i - operands)
                                    : *call.operands()->Get(i);
    auto fail = [&](const std::string &what) {
      return invalidPlan(
          "binds " + std::string(isResult ? "result " : "operand ") +
          std::to_string(isResult ? i - operands : i) + " " + what);
    };
    int64_t bytes = tensorBytes(tensor, view.manifestValues);
    if (bytes < 0 || bytes != access.end - access.begin)
      return fail("to " + std::to_string(access.end - access.begin) +
                  " bytes, its type has " + std::to_string(bytes));
    if (isResult ? !access.writes || access.reads
                 : !access.reads || access.writes)
      return fail("for another use than its own");
    if (bytes && !isAlignedFor(elementBytes(tensor.dtype()),
                               *launch.bindings()->Get(i), access, view))
      return fail("where its elements are not aligned");
    if (!isResult || tensor.alias() == none)
      continue;
    const MemoryAccess &operand = accesses[tensor.alias()];
    if (operand.memory != access.memory || operand.begin != access.begin)
      return fail("to other memory than its operand");
  }
  return {};
}

} // namespace heddle::format
