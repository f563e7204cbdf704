// Finds the tensors of packed layers, and checks that they fit each other.

#include "lib/Frontend/Bindings/PackedLayer.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

namespace {
/// The tensors of a file by their names.
class Tensors {
public:
  Tensors(ArrayRef<NamedTensor> tensors, const MappedFile &file) : file(file) {
    for (const NamedTensor &named : tensors)
      byName[named.name] = &named.tensor;
  }

  /// Null if there is none.
  const HostTensor *find(const Twine &name) const {
    return byName.lookup(name.str());
  }
  uint64_t offset(const HostTensor &tensor) const {
    return tensor.bytes().data() - file.bytes().data();
  }

private:
  llvm::StringMap<const HostTensor *> byName;
  const MappedFile &file;
};

} // namespace

namespace {
/// Reads the layers of one file.
class LayerReader {
public:
  LayerReader(const Tensors &tensors,
              const std::optional<QuantizationConfig> &config)
      : tensors(tensors), config(config) {}

  /// The layer whose tensors begin with `name`, of which one ends as each of
  /// these forms has it: `.qweight`, `.weight_packed`, `.weight`. Products of
  /// sizes do not overflow: none is more than 32 times the elements of a tensor
  /// that is not empty, which lie in the file.
  FoundLayer words(StringRef name);
  FoundLayer packed(StringRef name);
  FoundLayer floatsOfFourBits(StringRef name);
  FoundLayer plain(StringRef name);

private:
  /// Refuses the layer.
  FoundLayer refuse(const Twine &why) const { return {{}, why.str()}; }
  FoundLayer misfit(const Twine &part) const {
    return refuse("has " + part + " that do not fit its other tensors" +
                  (config ? " and '" + config->file + "'" : ""));
  }
  Piece piece(const HostTensor &tensor) const {
    return {tensors.offset(tensor), SmallVector<int64_t>(tensor.shape()),
            tensor.type().getElementType()};
  }
  /// How many bits the numbers of compressed-tensors' words have, as the
  /// configuration says, or as alone fits the sizes; 0 with the reason if
  /// neither tells it.
  std::pair<unsigned, std::string> bitsOfPacked(int64_t words,
                                                int64_t inputs) const;
  /// Whether the inputs of each group follow each other.
  bool isInOrder(const HostTensor *order, const PackedLayer &layer) const;
  /// Takes the zero points, a number where all are that one. False if one is
  /// stored as a number that its readers do not agree about.
  bool takeZeros(PackedLayer &layer, const HostTensor &zeros) const;

  const Tensors &tensors;
  const std::optional<QuantizationConfig> &config;
};
} // namespace

/// Whether it is a matrix of the element kind, and not an empty one, whose
/// sizes no file bounds.
static bool isMatrix(const HostTensor *tensor, ElementKind kind) {
  return tensor && tensor->rank() == 2 && tensor->kind() == kind &&
         tensor->size() > 0;
}

static bool isReal(const HostTensor *tensor) {
  return tensor && (tensor->kind() == ElementKind::F16 ||
                    tensor->kind() == ElementKind::BF16 ||
                    tensor->kind() == ElementKind::F32);
}

bool LayerReader::isInOrder(const HostTensor *order,
                            const PackedLayer &layer) const {
  if (!order)
    return true;
  if (order->size() != layer.inputs || order->kind() != ElementKind::I32)
    return false;
  for (int64_t i = 0; i < layer.inputs; ++i)
    if (order->intAt(i) != i / layer.block)
      return false;
  return true;
}

bool LayerReader::takeZeros(PackedLayer &layer, const HostTensor &zeros) const {
  uint32_t ones = layer.bits == 8   ? 0x01010101u
                  : layer.bits == 4 ? 0x11111111u
                                    : 0x55555555u;
  uint32_t mask = (1u << layer.bits) - 1;
  std::optional<uint32_t> all;
  bool isOne = zeros.size() > 0;
  for (int64_t i = 0; i < zeros.size(); ++i) {
    uint32_t word;
    std::memcpy(&word, zeros.element(i), sizeof(word));
    if (layer.addsOneToZeros)
      for (unsigned at = 0; at < 32; at += layer.bits)
        if ((word >> at & mask) == mask)
          return false;
    isOne &= word == all.value_or(word) && word == (word & mask) * ones;
    all = word;
  }
  if (isOne)
    layer.zero = (*all & mask) + (layer.addsOneToZeros ? 1 : 0);
  else
    layer.zeros = piece(zeros);
  return true;
}

/// Why words are not read that the configuration beside them says so; empty if
/// they are.
static std::string
whyNotWords(const std::optional<QuantizationConfig> &config) {
  if (!config)
    return "is in words of GPTQ or AWQ, and no config.json, "
           "quantize_config.json or quant_config.json beside the file says "
           "which; put it there";
  bool isAwq = config->method == "awq";
  if (!isAwq && config->method != "gptq")
    return "is quantized by '" + config->method +
           "', which heddle does not read";
  if (!(isAwq ? config->bits == 4
              : config->bits == 2 || config->bits == 4 || config->bits == 8))
    return "has numbers of " + std::to_string(config->bits) +
           " bits, which heddle does not read";
  if (isAwq && !config->format.empty() && config->format != "gemm")
    return "is in AWQ's form '" + config->format + "'; that for gemm is read";
  if (!isAwq && !config->format.empty() && config->format != "gptq" &&
      config->format != "gptq_v2")
    return "is in GPTQ's form '" + config->format +
           "'; gptq and gptq_v2 are read";
  return "";
}

FoundLayer LayerReader::words(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".qweight"),
                   *zeros = tensors.find(name + ".qzeros"),
                   *scales = tensors.find(name + ".scales");
  if (std::string why = whyNotWords(config); !why.empty())
    return refuse(why);
  bool isAwq = config->method == "awq";
  if (!isMatrix(numbers, ElementKind::I32) ||
      !isMatrix(zeros, ElementKind::I32) || !isReal(scales) ||
      scales->rank() != 2)
    return refuse("lacks .qzeros or .scales, or they are no matrices of words "
                  "and floats");
  PackedLayer layer;
  layer.bits = static_cast<unsigned>(config->bits);
  int64_t count = 32 / layer.bits;
  layer.groups = scales->dim(0);
  layer.outputs = scales->dim(1);
  layer.inputs = numbers->dim(0) * (isAwq ? 1 : count);
  layer.numbers = piece(*numbers);
  layer.scales = piece(*scales);
  layer.isInterleaved = isAwq;
  layer.addsOneToZeros = !isAwq && config->format != "gptq_v2";
  layer.block =
      config->group > 0 ? std::min(config->group, layer.inputs) : layer.inputs;
  if (layer.inputs < 1 || layer.outputs < 1 ||
      layer.groups !=
          static_cast<int64_t>(llvm::divideCeil(layer.inputs, layer.block)))
    return misfit("groups");
  if (numbers->dim(1) * (isAwq ? count : 1) != layer.outputs ||
      zeros->dim(0) != layer.groups || zeros->dim(1) * count != layer.outputs)
    return misfit("words");
  if (!isInOrder(tensors.find(name + ".g_idx"), layer))
    return refuse("has inputs in an order of their own (g_idx), which heddle "
                  "does not read; quantize without desc_act");
  if (!takeZeros(layer, *zeros))
    return refuse("has a zero point that its readers do not agree about: " +
                  Twine((1 << layer.bits) - 1) +
                  " plus one; write it in the format gptq_v2");
  return {layer, ""};
}

std::pair<unsigned, std::string>
LayerReader::bitsOfPacked(int64_t words, int64_t inputs) const {
  auto fits = [&](unsigned bits) {
    return inputs > 0 &&
           words == static_cast<int64_t>(llvm::divideCeil(inputs, 32 / bits));
  };
  int64_t bits = 0;
  if (config && config->method == "compressed-tensors")
    bits = config->bits;
  if (bits && bits != 4 && bits != 8)
    return {0, "has numbers of " + std::to_string(bits) +
                   " bits, which heddle does not read"};
  if (bits)
    return fits(bits)
               ? std::pair(unsigned(bits), std::string())
               : std::pair(0u, "has words that do not hold numbers of " +
                                   std::to_string(bits) + " bits of its shape");
  SmallVector<unsigned> possible;
  for (unsigned each = 1; each <= 8; ++each)
    if (fits(each))
      possible.push_back(each);
  if (possible.size() == 1 && possible[0] == 4)
    return {4, ""};
  if (!llvm::is_contained(possible, 4) && !llvm::is_contained(possible, 8))
    return {0, "has words that do not hold numbers of 4 or 8 bits of its "
               "shape"};
  return {0, "has words that may hold numbers of " +
                 std::to_string(possible.front()) + " to " +
                 std::to_string(possible.back()) +
                 " bits, and no config.json beside the file says how many; put "
                 "it there"};
}

FoundLayer LayerReader::packed(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".weight_packed"),
                   *scales = tensors.find(name + ".weight_scale"),
                   *zeros = tensors.find(name + ".weight_zero_point"),
                   *shape = tensors.find(name + ".weight_shape");
  if (isMatrix(numbers, ElementKind::UI8))
    return floatsOfFourBits(name);
  if (!isMatrix(numbers, ElementKind::I32) || !shape || shape->size() != 2 ||
      (shape->kind() != ElementKind::I64 && shape->kind() != ElementKind::I32))
    return refuse("is in a form of compressed-tensors that heddle does not "
                  "read");
  PackedLayer layer;
  layer.isByOutput = true;
  layer.outputs = shape->intAt(0);
  layer.inputs = shape->intAt(1);
  auto [bits, why] = bitsOfPacked(numbers->dim(1), layer.inputs);
  if (!bits)
    return refuse(why);
  layer.bits = bits;
  if (numbers->dim(0) != layer.outputs)
    return misfit("words");
  if (!isReal(scales) || scales->rank() != 2 ||
      scales->dim(0) != layer.outputs || scales->dim(1) < 1 ||
      layer.inputs % scales->dim(1) != 0)
    return misfit("scales");
  layer.groups = scales->dim(1);
  layer.block = layer.inputs / layer.groups;
  layer.numbers = piece(*numbers);
  layer.scales = piece(*scales);
  layer.zero = 1 << (layer.bits - 1);
  if (!isInOrder(tensors.find(name + ".weight_g_idx"), layer))
    return refuse("has inputs in an order of their own (weight_g_idx), which "
                  "heddle does not read");
  if (!zeros)
    return {layer, ""};
  int64_t words = llvm::divideCeil(layer.outputs, 32 / layer.bits);
  if (!isMatrix(zeros, ElementKind::I32) || zeros->dim(0) != words ||
      zeros->dim(1) != layer.groups)
    return misfit("zero points");
  takeZeros(layer, *zeros);
  return {layer, ""};
}

FoundLayer LayerReader::floatsOfFourBits(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".weight_packed"),
                   *scales = tensors.find(name + ".weight_scale"),
                   *divisor = tensors.find(name + ".weight_global_scale");
  PackedLayer layer;
  layer.isByOutput = layer.isFloatOfFourBits = true;
  layer.isUnsigned = false;
  layer.outputs = numbers->dim(0);
  layer.inputs = numbers->dim(1) * 2;
  layer.numbers = piece(*numbers);
  // NVFP4 has scales of a byte and one number that divides all of them, MXFP4
  // powers of two.
  bool isNv = scales && scales->kind() == ElementKind::F8E4M3FN && divisor &&
              divisor->size() == 1 && divisor->kind() == ElementKind::F32;
  bool isMx = scales && scales->kind() == ElementKind::UI8 && !divisor;
  layer.block = isNv ? 16 : 32;
  if (!(isNv || isMx) || scales->rank() != 2 || layer.inputs < 1 ||
      layer.outputs < 1 || layer.inputs % layer.block != 0 ||
      scales->dim(0) != layer.outputs ||
      scales->dim(1) != layer.inputs / layer.block)
    return misfit("scales");
  layer.groups = scales->dim(1);
  layer.scales = piece(*scales);
  if (isNv)
    layer.divisor = piece(*divisor);
  else
    layer.scales.element =
        Float8E8M0FNUType::get(layer.numbers.element.getContext());
  return {layer, ""};
}

FoundLayer LayerReader::plain(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".weight"),
                   *scales = tensors.find(name + ".weight_scale"),
                   *zeros = tensors.find(name + ".weight_zero_point");
  PackedLayer layer;
  layer.isByOutput = true;
  layer.isUnsigned = false;
  layer.outputs = numbers->dim(0);
  layer.inputs = numbers->dim(1);
  layer.numbers = piece(*numbers);
  layer.bits = 8;
  if (!isReal(scales))
    return misfit("scales");
  bool isOne = scales->size() == 1;
  layer.groups = isOne ? 1 : scales->dim(scales->rank() - 1);
  if (layer.inputs < 1 || layer.outputs < 1 || layer.groups < 1 ||
      layer.inputs % layer.groups != 0 ||
      (!isOne && (scales->rank() != 2 || scales->dim(0) != layer.outputs)))
    return misfit("scales");
  layer.block = layer.inputs / layer.groups;
  layer.scales = piece(*scales);
  if (!zeros)
    return {layer, ""};
  if (isa<FloatType>(layer.numbers.element)) {
    if (llvm::any_of(zeros->bytes(), [](char byte) { return byte != 0; }))
      return refuse("has floats with zero points, which heddle does not read");
    return {layer, ""};
  }
  // One for all, as the scale.
  if (isOne && zeros->size() == 1 && zeros->kind() == ElementKind::I8) {
    layer.zero = zeros->intAt(0);
    return {layer, ""};
  }
  if (zeros->kind() != ElementKind::I8 ||
      zeros->size() != layer.outputs * layer.groups)
    return misfit("zero points");
  layer.zeros = piece(*zeros);
  return {layer, ""};
}

/// Whether the numbers of a layer are stored as they are, beside their scales.
static bool hasPlainNumbers(const HostTensor *numbers) {
  return isMatrix(numbers, ElementKind::I8) ||
         isMatrix(numbers, ElementKind::F8E4M3FN);
}

std::vector<std::pair<std::string, FoundLayer>>
heddle::findPackedLayers(ArrayRef<NamedTensor> named,
                         const std::optional<QuantizationConfig> &config,
                         const MappedFile &file) {
  Tensors tensors(named, file);
  LayerReader reader(tensors, config);
  std::vector<std::pair<std::string, FoundLayer>> layers;
  for (const NamedTensor &each : named) {
    StringRef name = each.name;
    if (name.consume_back(".qweight"))
      layers.emplace_back(name, reader.words(name));
    else if (name.consume_back(".weight_packed"))
      layers.emplace_back(name, reader.packed(name));
    else if (name.consume_back(".weight") && hasPlainNumbers(&each.tensor) &&
             tensors.find(name + ".weight_scale")) {
      layers.emplace_back(name, reader.plain(name));
      layers.back().second.stored = &each.tensor;
    }
  }
  return layers;
}
