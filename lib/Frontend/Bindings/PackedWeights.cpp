// How GPTQ, AWQ and compressed-tensors hold a layer's weights: words of several
// numbers, scales and zero points by groups of inputs, as tensors beside each
// other.

#include "lib/Frontend/Bindings/PackedWeights.h"

#include "lib/Frontend/Bindings/PackedLayer.h"

using namespace mlir;
using namespace heddle;

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

static Value numbersOf(WeightProgram &program, const PackedLayer &layer) {
  const Piece &piece = layer.numbers;
  if (layer.isFloatOfFourBits) {
    Value bytes = program.view(piece.shape, piece.element, piece.offset);
    return program.eightTimesFloats(program.reshape(
        program.split(bytes, 4), {layer.outputs, layer.inputs}));
  }
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
static Value zerosOf(WeightProgram &program, const PackedLayer &layer) {
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
static Value scalesOf(WeightProgram &program, const PackedLayer &layer) {
  Value scales =
      program.convert(program.view(layer.scales.shape, layer.scales.element,
                                   layer.scales.offset),
                      program.f32());
  // One for all is one for each output.
  if (llvm::all_of(layer.scales.shape, [](int64_t size) { return size == 1; }))
    scales = program.repeat(program.reshape(scales, {1}), layer.outputs);
  scales = program.reshape(scales, layer.parameterShape());
  if (layer.divisor) {
    Value divisor = program.view({1}, program.f32(), layer.divisor->offset);
    divisor = program.repeat(divisor, layer.outputs * layer.groups);
    scales = program.divide(scales,
                            program.reshape(divisor, layer.parameterShape()));
  }
  return layer.isFloatOfFourBits ? program.timesReal(scales, 0.125) : scales;
}

/// Floats times scales; groups divide the inputs.
static Value writeFloats(WeightProgram &program, const PackedLayer &layer,
                         FloatType result) {
  Value numbers = program.convert(numbersOf(program, layer), program.f32());
  Value scales = program.repeat(scalesOf(program, layer), layer.block);
  return program.convert(program.multiply(numbers, scales), result);
}

static Value writeLayer(WeightProgram &program, const PackedLayer &layer,
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

llvm::Expected<std::vector<Parameter>>
heddle::packedWeights(ArrayRef<NamedTensor> named,
                      const std::shared_ptr<MappedFile> &file) {
  std::optional<QuantizationConfig> config;
  auto isOfWords = [](const NamedTensor &each) {
    StringRef name = each.name;
    return name.ends_with(".qweight") || name.ends_with(".weight_packed");
  };
  // The others say themselves what they are.
  if (llvm::any_of(named, isOfWords)) {
    llvm::Expected<std::optional<QuantizationConfig>> read =
        readQuantizationConfig(file->path());
    if (!read)
      return read.takeError();
    config = std::move(*read);
  }
  std::vector<Parameter> parameters;
  for (auto &[name, found] : findPackedLayers(named, config, *file)) {
    Parameter parameter;
    parameter.name = name + ".weight";
    parameter.file = file;
    parameter.refusal = found.refusal;
    parameter.shape = {found.layer.outputs, found.layer.inputs};
    if (found.stored) {
      parameter.tensor = *found.stored;
      parameter.shape.assign(found.stored->shape().begin(),
                             found.stored->shape().end());
    }
    parameter.write = [layer = found.layer](WeightProgram &program,
                                            FloatType result,
                                            bool isTransposed) {
      return writeLayer(program, layer, result, isTransposed);
    };
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}
