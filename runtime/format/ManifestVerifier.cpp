//===- ManifestVerifier.cpp -----------------------------------------------===//

#include "runtime/format/ManifestVerifier.h"

#include "runtime/format/CustomCalls.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ElfImage.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/kernel_abi.h"

#include <algorithm>

namespace heddle::format {

static Error invalid(const std::string &what) {
  return {HEDDLE_MANIFEST_INVALID, "its manifest is invalid: " + what};
}

static Error checkSectionTable(const Manifest &manifest,
                               uint64_t manifestOffset) {
  if (!isAligned(manifest.sections()))
    return invalid("its sections are not aligned");
  uint64_t end = sizeof(Header);
  for (uint32_t i = 0; i < length(manifest.sections()); ++i) {
    const Section &section = *manifest.sections()->Get(i);
    if (section.offset() % pageBytes || section.offset() < end ||
        section.offset() > manifestOffset ||
        section.size() > manifestOffset - section.offset())
      return invalid("section " + std::to_string(i) + " is misplaced");
    if (section.kind() > SectionKind::MAX)
      return invalid("section " + std::to_string(i) + " is of unknown kind");
    end = section.offset() + section.size();
  }
  return {};
}

/// Bytes of a row-major tensor, -1 for extents that are negative or too large.
static int64_t denseBytes(DataType type, const int64_t *shape, size_t rank) {
  int64_t bytes = elementBytes(type);
  for (size_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || __builtin_mul_overflow(bytes, shape[i], &bytes) ||
        bytes > maximumBytes)
      return -1;
  return bytes;
}

static Error checkWeights(const Manifest &manifest) {
  uint32_t sections = length(manifest.sections());
  uint32_t section = 0;
  uint64_t end = 0; // of the weight before, in the same section
  for (uint32_t i = 0; i < length(manifest.weights()); ++i) {
    const Weight &weight = *manifest.weights()->Get(i);
    std::string name = "weight '" + text(weight.symbol()) + "'";
    if (weight.section() >= sections || weight.section() < section ||
        manifest.sections()->Get(weight.section())->kind() !=
            SectionKind::weights)
      return invalid(name + " is in no section of weights");
    if (weight.section() != section)
      end = 0;
    section = weight.section();
    uint64_t bytes = manifest.sections()->Get(section)->size();
    if (weight.offset() % weightAlignment || weight.offset() < end ||
        weight.offset() > bytes || weight.size() > bytes - weight.offset())
      return invalid(name + " is misplaced");
    end = weight.offset() + weight.size();
    if (!weight.hash())
      return invalid(name + " has no hash");
    if (!isAligned(weight.shape()))
      return invalid(name + " has a shape that is not aligned");
    int64_t dense = denseBytes(
        weight.dtype(), weight.shape() ? weight.shape()->data() : nullptr,
        length(weight.shape()));
    if (!elementBytes(weight.dtype()) || dense < 0)
      return invalid(name + " has no proper type");
    if (!length(weight.packing()) &&
        static_cast<uint64_t>(dense) != weight.size())
      return invalid(name + " has " + std::to_string(weight.size()) +
                     " bytes, its type " + std::to_string(dense));
  }
  return {};
}

int64_t tensorBytes(const Tensor &tensor, const std::vector<int64_t> &values) {
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < length(tensor.shape()); ++i)
    shape.push_back(values[tensor.shape()->Get(i)]);
  return denseBytes(tensor.dtype(), shape.data(), shape.size());
}

static Error checkTensor(const Tensor &tensor, const Entry &entry,
                         const std::vector<int64_t> &values) {
  std::string name = "tensor '" + text(tensor.name()) + "' of entry '" +
                     text(entry.name()) + "'";
  for (uint32_t i = 0; i < length(tensor.shape()); ++i)
    if (tensor.shape()->Get(i) >= values.size())
      return invalid(name + " has an unknown extent");
  if (!elementBytes(tensor.dtype()) || tensorBytes(tensor, values) < 0)
    return invalid(name + " has no proper type");
  if (length(tensor.shape()) > 64)
    return invalid(name + " has more than 64 dimensions");
  if (tensor.alignment() & (tensor.alignment() - 1) ||
      tensor.alignment() > pageBytes)
    return invalid(name + " has an improper alignment");
  if (tensor.alias() != none && tensor.alias() >= length(entry.inputs()))
    return invalid(name + " is to share memory with an unknown input");
  return {};
}

/// An input is replaced by one output at most, of its type and shape.
static Error checkReplaced(const Entry &entry,
                           const std::vector<int64_t> &values) {
  std::vector<bool> replaced(length(entry.inputs()), false);
  for (uint32_t i = 0; i < length(entry.outputs()); ++i) {
    const Tensor &output = *entry.outputs()->Get(i);
    if (output.alias() == none)
      continue;
    const Tensor &input = *entry.inputs()->Get(output.alias());
    std::string name = "output '" + text(output.name()) + "'";
    bool same = output.dtype() == input.dtype() &&
                length(output.shape()) == length(input.shape());
    for (uint32_t j = 0; same && j < length(output.shape()); ++j)
      same = values[output.shape()->Get(j)] == values[input.shape()->Get(j)];
    if (!same)
      return invalid(name + " replaces an input of another type or shape");
    if (replaced[output.alias()])
      return invalid(name + " replaces an input that another output replaces");
    replaced[output.alias()] = true;
  }
  return {};
}

static Error checkEntries(const Manifest &manifest) {
  std::vector<int64_t> values;
  if (Error error = evaluate(manifest.expressions(), leastSymbols(manifest),
                             HEDDLE_MANIFEST_INVALID, values))
    return error;
  for (uint32_t i = 0; i < length(manifest.entries()); ++i) {
    const Entry &entry = *manifest.entries()->Get(i);
    for (uint32_t j = 0; j < length(entry.inputs()); ++j)
      if (Error error = checkTensor(*entry.inputs()->Get(j), entry, values))
        return error;
    for (uint32_t j = 0; j < length(entry.outputs()); ++j)
      if (Error error = checkTensor(*entry.outputs()->Get(j), entry, values))
        return error;
    if (Error error = checkReplaced(entry, values))
      return error;
  }
  return {};
}

/// The least multiple in bounds.
static int64_t leastValue(const Symbol &symbol) {
  int64_t rest = symbol.minimum() % symbol.multiple();
  return symbol.minimum() + (rest ? symbol.multiple() - rest : 0);
}

static Error checkSymbols(const Manifest &manifest) {
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    if (symbol.minimum() < 0 || symbol.maximum() > maximumBytes ||
        symbol.multiple() < 1 || symbol.multiple() > maximumBytes ||
        leastValue(symbol) > symbol.maximum())
      return invalid("symbol '" + text(symbol.name()) +
                     "' has improper bounds");
  }
  return {};
}

static Error checkVariants(const Manifest &manifest) {
  uint32_t sections = length(manifest.sections());
  auto isKind = [&](uint32_t index, SectionKind kind) {
    return index < sections && manifest.sections()->Get(index)->kind() == kind;
  };
  if (!length(manifest.variants()))
    return invalid("it holds no program for any machine");
  for (uint32_t i = 0; i < length(manifest.variants()); ++i) {
    const Variant &variant = *manifest.variants()->Get(i);
    if (!isKind(variant.code(), SectionKind::code) ||
        !isKind(variant.plan(), SectionKind::plan))
      return invalid("variant '" + text(variant.name()) +
                     "' lacks code or plan");
  }
  return {};
}

static bool needsFeature(const Manifest &manifest, const char *feature) {
  for (uint32_t i = 0; i < length(manifest.required_features()); ++i)
    if (text(manifest.required_features()->Get(i)) == feature)
      return true;
  return false;
}

std::vector<int64_t> leastSymbols(const Manifest &manifest) {
  std::vector<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i)
    symbols.push_back(leastValue(*manifest.symbols()->Get(i)));
  return symbols;
}

Error verifyManifest(const Manifest &manifest, uint64_t manifestOffset) {
  for (uint32_t i = 0; i < length(manifest.required_features()); ++i)
    if (std::string name = text(manifest.required_features()->Get(i));
        name != customCallsFeature && name != extentsFeature &&
        name != flushFeature)
      return {HEDDLE_FEATURE_UNSUPPORTED,
              "needs '" + name +
                  "', which this version of heddle does not have"};
  if (manifest.flush_subnormals() && !needsFeature(manifest, flushFeature))
    return invalid("it flushes subnormal numbers without saying that it needs "
                   "a reader that can");
  if (Error error = checkSectionTable(manifest, manifestOffset))
    return error;
  if (Error error = checkWeights(manifest))
    return error;
  if (Error error = checkSymbols(manifest))
    return error;
  if (Error error = checkEntries(manifest))
    return error;
  return checkVariants(manifest);
}

Error verifyKernels(const Manifest &manifest, const Variant &variant,
                    Bytes code) {
  if (variant.abi() != HEDDLE_KERNEL_ABI_VERSION)
    return {HEDDLE_FEATURE_UNSUPPORTED,
            "has kernels of ABI version " + std::to_string(variant.abi())};
  ElfImage image;
  if (Error error = ElfImage::parse(code.data, code.size, image))
    return error;
  if (text(variant.architecture()) != (image.aarch64 ? "aarch64" : "x86-64"))
    return {HEDDLE_CODE_INVALID, "kernel code is for another architecture"};
  for (uint32_t i = 0; i < length(variant.kernels()); ++i) {
    const Kernel &kernel = *variant.kernels()->Get(i);
    std::string name = "kernel '" + text(kernel.name()) + "'";
    if (kernel.custom_call()) {
      if (!needsFeature(manifest, customCallsFeature))
        return {HEDDLE_MANIFEST_INVALID,
                "has custom calls without saying that it needs them"};
      if (Error error = verifyCustomCall(kernel, manifest))
        return error;
    } else if (!kernel.size() ||
               !image.holdsCode(kernel.offset(), kernel.size()))
      return {HEDDLE_CODE_INVALID, name + " lies outside the code"};
    if (kernel.scratch() > static_cast<uint64_t>(maximumBytes))
      return {HEDDLE_CODE_INVALID, name + " asks for too much scratch"};
    for (uint32_t j = 0; j < length(kernel.in_place()); ++j) {
      const InPlace &pair = *kernel.in_place()->Get(j);
      if (pair.output() >= kernel.bindings() ||
          pair.input() >= kernel.bindings())
        return {HEDDLE_CODE_INVALID, name + " names unknown buffers"};
    }
  }
  return {};
}

} // namespace heddle::format
