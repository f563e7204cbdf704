// Convolutions: NCHW by OIHW as ONNX has them; layouts are for the graph passes
// to choose.

#include "Functions.h"
#include "Windows.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Adds one number per channel, if the node has them.
static Value addBias(NodeImporter &node, Value result, size_t operand) {
  if (!node.has(operand))
    return result;
  return node.emit.add(result, alongDimension(node.emit, node.operand(operand),
                                              node.emit.shapeOf(result), 1));
}

std::optional<Value> heddle::onnx::convolve(NodeImporter &node) {
  int64_t groups = node.integerAttribute("group", 1);
  if (node.rank(1) != node.rank(0) || node.rank(0) < 3) {
    (void)node.invalid("input and weights have the shapes " +
                       spellShape(node.shape(0)) + " and " +
                       spellShape(node.shape(1)));
    return std::nullopt;
  }
  OwnedExtents kernel = node.knownShape(1);
  std::optional<Window> window =
      readWindow(node, Extents(kernel).drop_front(2));
  if (!window)
    return std::nullopt;
  Value result =
      node.emit.convolution(node.operand(0), node.operand(1), *window,
                            OwnedExtents(window->size.size(), 1), groups);
  if (node.emit.hasFault())
    return std::nullopt;
  return addBias(node, result, 2);
}

static LogicalResult importConv(NodeImporter &node) {
  std::optional<Value> result = convolve(node);
  return result ? node.result(*result) : failure();
}

/// The gradient of a convolution: the input, dilated by the strides, with the
/// weights mirrored and their channels exchanged within each group, [C, O / g,
/// ...] to [O, C / g, ...].
static LogicalResult importConvTranspose(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t groups = node.integerAttribute("group", 1);
  int64_t rank = node.rank(0);
  OwnedExtents kernel = node.knownShape(1);
  if (node.rank(1) != rank || rank < 3 || groups < 1 ||
      kernel[0] % groups != 0 || !Extent::meet(node.shape(0)[1], kernel[0]))
    return node.invalid("group = " + Twine(groups) +
                        ", input and weights of the shapes " +
                        spellShape(node.shape(0)) + " and " +
                        spellShape(node.shape(1)) + " do not fit together");
  std::optional<Window> window =
      readTransposedWindow(node, Extents(kernel).drop_front(2));
  if (!window)
    return failure();
  OwnedExtents spatialDims, split(kernel), order{0, 2, 1}, merged(kernel);
  split[0] /= groups;
  split.insert(split.begin(), groups);
  for (int64_t i = 2; i < rank; ++i) {
    spatialDims.push_back(i);
    order.push_back(i + 1);
  }
  merged[0] = groups * kernel[1];
  merged[1] = kernel[0] / groups;
  Value weights = emit.reverse(node.operand(1), spatialDims);
  weights =
      emit.reshape(emit.transpose(emit.reshape(weights, split), order), merged);
  if (emit.hasFault())
    return failure();
  Window plain = *window;
  plain.strides.assign(plain.size.size(), 1);
  Value result = emit.convolution(node.operand(0), weights, plain,
                                  window->strides, groups);
  return node.result(addBias(node, result, 2));
}

void heddle::onnx::addConvolution(OperatorTable &table) {
  table.add("Conv", {1, 11, 22}, 2, 3, importConv);
  table.add("ConvTranspose", {1, 11, 22}, 2, 3, importConvTranspose);
}
