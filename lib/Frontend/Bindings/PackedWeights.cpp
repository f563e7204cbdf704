// How GPTQ, AWQ and compressed-tensors hold a layer's weights: words of several
// numbers, scales and zero points by groups of inputs, as tensors beside each
// other.

#include "lib/Frontend/Bindings/PackedWeights.h"

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

/// A tensor of words of 32 bits, or of others, in the file.
struct Piece {
  uint64_t offset = 0;
  SmallVector<int64_t> shape;
  Type element;
};

/// What a layer's weight is made of. Numbers are [inputs, outputs] or, if
/// `isByOutput`, [outputs, inputs], and scales have a group's place for the
/// inputs.
struct Layer {
  Piece numbers, scales;
  std::optional<Piece> zeros;
  int64_t inputs = 0, outputs = 0, groups = 0;
  /// Inputs of a group; the last may have fewer.
  int64_t block = 0;
  unsigned bits = 0;
  /// The zero point where there is no tensor of them.
  int64_t zero = 0;
  /// Numbers have no sign; else they are bytes as they are.
  bool isUnsigned = true;
  /// GPTQ's first format stores zero points less one.
  bool addsOneToZeros = false;
  /// AWQ's words hold the even columns of eight before the odd ones.
  bool isInterleaved = false;
  bool isByOutput = false;

  /// That of scales and zero points.
  SmallVector<int64_t> parameterShape() const {
    return isByOutput ? SmallVector<int64_t>{outputs, groups}
                      : SmallVector<int64_t>{groups, outputs};
  }
};

/// A layer, or why it is not read.
struct Found {
  Layer layer;
  std::string refusal;
};
} // namespace

//===--- Programs --------------------------------------------------------===//

/// The numbers of words, [rows, columns] of them, as [rows, columns, n] of ui2,
/// ui4 or ui8.
static Value numbersOfWords(WeightProgram &program, const Piece &words,
                            unsigned bits) {
  int64_t rows = words.shape[0], columns = words.shape[1];
  Value bytes =
      program.view({rows, columns, 4}, program.unsignedType(8), words.offset);
  if (bits == 8)
    return bytes;
  return program.reshape(program.split(bytes, bits),
                         {rows, columns, static_cast<int64_t>(32 / bits)});
}

/// The numbers of words that hold neighbours of the first dimension,
/// [rows * n, columns].
static Value unpackedDown(WeightProgram &program, const Piece &words,
                          unsigned bits) {
  int64_t count = 32 / bits;
  Value numbers = numbersOfWords(program, words, bits);
  return program.reshape(program.transpose(numbers, {0, 2, 1}),
                         {words.shape[0] * count, words.shape[1]});
}

/// The same of the last dimension, [rows, columns * n].
static Value unpackedAcross(WeightProgram &program, const Piece &words,
                            unsigned bits, bool isInterleaved) {
  int64_t count = 32 / bits, rows = words.shape[0], columns = words.shape[1];
  Value numbers = numbersOfWords(program, words, bits);
  if (isInterleaved)
    numbers = program.transpose(
        program.reshape(numbers, {rows, columns, 2, count / 2}), {0, 1, 3, 2});
  return program.reshape(numbers, {rows, columns * count});
}

static Value numbersOf(WeightProgram &program, const Layer &layer) {
  const Piece &piece = layer.numbers;
  if (!layer.isUnsigned)
    return program.view(piece.shape, piece.element, piece.offset);
  if (layer.isByOutput)
    return program.firstOf(unpackedAcross(program, piece, layer.bits, false),
                           {layer.outputs, layer.inputs});
  Value numbers = layer.isInterleaved
                      ? unpackedAcross(program, piece, layer.bits, true)
                      : unpackedDown(program, piece, layer.bits);
  return program.firstOf(numbers, {layer.inputs, layer.outputs});
}

/// Null if all are one number.
static Value zerosOf(WeightProgram &program, const Layer &layer) {
  if (!layer.zeros)
    return {};
  if (!layer.isUnsigned)
    return program.view(layer.zeros->shape, layer.zeros->element,
                        layer.zeros->offset);
  if (layer.isByOutput)
    return program.firstOf(unpackedDown(program, *layer.zeros, layer.bits),
                           {layer.outputs, layer.groups});
  Value zeros = program.firstOf(
      unpackedAcross(program, *layer.zeros, layer.bits, layer.isInterleaved),
      {layer.groups, layer.outputs});
  if (!layer.addsOneToZeros)
    return zeros;
  auto type = cast<RankedTensorType>(zeros.getType());
  return program.add(zeros,
                     program.splat(type.getShape(), type.getElementType(), 1));
}

/// [groups, outputs], or the other way round as the numbers are; in f32.
static Value scalesOf(WeightProgram &program, const Layer &layer) {
  Value scales =
      program.convert(program.view(layer.scales.shape, layer.scales.element,
                                   layer.scales.offset),
                      program.f32());
  // One for all is one for each output.
  if (llvm::all_of(layer.scales.shape, [](int64_t size) { return size == 1; }))
    scales = program.repeat(program.reshape(scales, {1}), layer.outputs);
  return program.reshape(scales, layer.parameterShape());
}

/// Floats times scales; groups divide the inputs.
static Value writeFloats(WeightProgram &program, const Layer &layer,
                         FloatType result) {
  Value numbers = program.convert(numbersOf(program, layer), program.f32());
  Value scales = program.repeat(scalesOf(program, layer), layer.block);
  return program.convert(program.multiply(numbers, scales), result);
}

static Value writeLayer(WeightProgram &program, const Layer &layer,
                        FloatType result, bool isTransposed) {
  Value real;
  if (layer.numbers.element && isa<FloatType>(layer.numbers.element)) {
    real = writeFloats(program, layer, result);
  } else {
    Value zeros = zerosOf(program, layer);
    if (zeros)
      zeros = program.reshape(zeros, layer.parameterShape());
    real = program.dequantize(numbersOf(program, layer),
                              scalesOf(program, layer), zeros, layer.zero,
                              layer.isByOutput ? 1 : 0, layer.block, result);
  }
  return layer.isByOutput != isTransposed ? real
                                          : program.transpose(real, {1, 0});
}

//===--- What the tensors are --------------------------------------------===//

namespace {
/// Reads the layers of one file.
class LayerReader {
public:
  LayerReader(const Tensors &tensors,
              const std::optional<QuantizationConfig> &config)
      : tensors(tensors), config(config) {}

  /// The layer whose tensors begin with `name`, of which one ends as each of
  /// these forms has it: `.qweight`, `.weight_packed`, `.weight`.
  Found words(StringRef name);
  Found packed(StringRef name);
  Found plain(StringRef name);

private:
  /// Refuses the layer.
  Found refuse(const Twine &why) const { return {{}, why.str()}; }
  Found misfit(const Twine &part) const {
    return refuse("has " + part + " that do not fit its other tensors" +
                  (config ? " and '" + config->file + "'" : ""));
  }
  Piece piece(const HostTensor &tensor) const {
    return {tensors.offset(tensor), SmallVector<int64_t>(tensor.shape()),
            tensor.type().getElementType()};
  }
  /// Whether the inputs of each group follow each other.
  bool isInOrder(const HostTensor *order, const Layer &layer) const;
  /// Takes the zero points, a number where all are that one. False if one is
  /// stored as a number that its readers do not agree about.
  bool takeZeros(Layer &layer, const HostTensor &zeros) const;

  const Tensors &tensors;
  const std::optional<QuantizationConfig> &config;
};
} // namespace

/// Whether it is a matrix of the element kind.
static bool isMatrix(const HostTensor *tensor, ElementKind kind) {
  return tensor && tensor->rank() == 2 && tensor->kind() == kind;
}

static bool isReal(const HostTensor *tensor) {
  return tensor && (tensor->kind() == ElementKind::F16 ||
                    tensor->kind() == ElementKind::BF16 ||
                    tensor->kind() == ElementKind::F32);
}

bool LayerReader::isInOrder(const HostTensor *order, const Layer &layer) const {
  if (!order)
    return true;
  if (order->size() != layer.inputs || order->kind() != ElementKind::I32)
    return false;
  for (int64_t i = 0; i < layer.inputs; ++i)
    if (order->intAt(i) != i / layer.block)
      return false;
  return true;
}

bool LayerReader::takeZeros(Layer &layer, const HostTensor &zeros) const {
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

Found LayerReader::words(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".qweight"),
                   *zeros = tensors.find(name + ".qzeros"),
                   *scales = tensors.find(name + ".scales");
  if (!config)
    return refuse("is in words of GPTQ or AWQ, and no config.json, "
                  "quantize_config.json or quant_config.json beside the file "
                  "says which; put it there");
  bool isAwq = config->method == "awq";
  if (!isAwq && config->method != "gptq")
    return refuse("is quantized by '" + config->method +
                  "', which heddle does not read");
  if (!(isAwq ? config->bits == 4
              : config->bits == 2 || config->bits == 4 || config->bits == 8))
    return refuse("has numbers of " + Twine(config->bits) +
                  " bits, which heddle does not read");
  if (isAwq && !config->format.empty() && config->format != "gemm")
    return refuse("is in AWQ's form '" + config->format +
                  "'; that for gemm is read");
  if (!isAwq && !config->format.empty() && config->format != "gptq" &&
      config->format != "gptq_v2")
    return refuse("is in GPTQ's form '" + config->format +
                  "'; gptq and gptq_v2 are read");
  if (!isMatrix(numbers, ElementKind::I32) ||
      !isMatrix(zeros, ElementKind::I32) || !isReal(scales) ||
      scales->rank() != 2)
    return refuse("lacks .qzeros or .scales, or they are no matrices of words "
                  "and floats");
  Layer layer;
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

Found LayerReader::packed(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".weight_packed"),
                   *scales = tensors.find(name + ".weight_scale"),
                   *zeros = tensors.find(name + ".weight_zero_point"),
                   *shape = tensors.find(name + ".weight_shape");
  if (!isMatrix(numbers, ElementKind::I32) || !shape || shape->size() != 2 ||
      (shape->kind() != ElementKind::I64 && shape->kind() != ElementKind::I32))
    return refuse("is in a form of compressed-tensors that heddle does not "
                  "read; pack-quantized, int-quantized and float-quantized are "
                  "read");
  Layer layer;
  layer.isByOutput = true;
  layer.outputs = shape->intAt(0);
  layer.inputs = shape->intAt(1);
  for (unsigned bits : {4u, 8u})
    if (layer.inputs > 0 &&
        numbers->dim(1) ==
            static_cast<int64_t>(llvm::divideCeil(layer.inputs, 32 / bits)))
      layer.bits = bits;
  if (!layer.bits || numbers->dim(0) != layer.outputs)
    return refuse("has words that do not hold numbers of 4 or 8 bits of its "
                  "shape");
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

Found LayerReader::plain(StringRef name) {
  const HostTensor *numbers = tensors.find(name + ".weight"),
                   *scales = tensors.find(name + ".weight_scale"),
                   *zeros = tensors.find(name + ".weight_zero_point");
  Layer layer;
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
  if (!zeros || isa<FloatType>(layer.numbers.element))
    return {layer, ""};
  if (zeros->kind() != ElementKind::I8 ||
      zeros->size() != layer.outputs * layer.groups)
    return misfit("zero points");
  layer.zeros = piece(*zeros);
  return {layer, ""};
}

/// Whether the numbers of a layer are stored as they are, beside their scales.
static bool hasPlainNumbers(const HostTensor *numbers) {
  return numbers && numbers->rank() == 2 &&
         (numbers->kind() == ElementKind::I8 ||
          numbers->kind() == ElementKind::F8E4M3FN);
}

llvm::Expected<std::vector<Parameter>>
heddle::packedWeights(ArrayRef<NamedTensor> named,
                      const std::shared_ptr<MappedFile> &file) {
  std::optional<QuantizationConfig> config;
  auto isOfWords = [](const NamedTensor &each) {
    return StringRef(each.name).ends_with(".qweight");
  };
  // The others say themselves what they are.
  if (llvm::any_of(named, isOfWords)) {
    llvm::Expected<std::optional<QuantizationConfig>> read =
        readQuantizationConfig(file->path());
    if (!read)
      return read.takeError();
    config = std::move(*read);
  }
  Tensors tensors(named, *file);
  LayerReader reader(tensors, config);
  std::vector<Parameter> parameters;
  for (const NamedTensor &each : named) {
    StringRef name = each.name;
    Found found;
    if (name.consume_back(".qweight"))
      found = reader.words(name);
    else if (name.consume_back(".weight_packed"))
      found = reader.packed(name);
    else if (name.consume_back(".weight") && hasPlainNumbers(&each.tensor) &&
             tensors.find(name + ".weight_scale"))
      found = reader.plain(name);
    else
      continue;
    Parameter parameter;
    parameter.name = (name + ".weight").str();
    parameter.file = file;
    parameter.refusal = found.refusal;
    parameter.shape = {found.layer.outputs, found.layer.inputs};
    parameter.write = [layer = found.layer](WeightProgram &program,
                                            FloatType result,
                                            bool isTransposed) {
      return writeLayer(program, layer, result, isTransposed);
    };
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}
