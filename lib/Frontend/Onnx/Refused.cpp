// Operators that are known but cannot be compiled, with the reason and what a
// user can do.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle::onnx;

static LogicalResult refuseRandom(NodeImporter &node) {
  return node.unsupported("it draws random numbers; make them an input");
}

void heddle::onnx::addRefused(OperatorTable &table) {
  table.add("RandomNormal", {1, 22}, 0, 0, refuseRandom);
  table.add("RandomNormalLike", {1, 22}, 1, 1, refuseRandom);
  table.add("RandomUniform", {1, 22}, 0, 0, refuseRandom);
  table.add("RandomUniformLike", {1, 22}, 1, 1, refuseRandom);
  table.add("Bernoulli", {15, 22}, 1, 1, refuseRandom);
  table.add("Multinomial", {7, 22}, 1, 1, refuseRandom);
}
