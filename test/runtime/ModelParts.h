// What the test models have in common.

#ifndef HEDDLE_TEST_RUNTIME_MODELPARTS_H
#define HEDDLE_TEST_RUNTIME_MODELPARTS_H

#include "test/runtime/TestModels.h"

namespace heddle::test {

std::unique_ptr<format::TensorT> tensor(Model &model, const char *name,
                                        format::DataType dtype,
                                        std::vector<int64_t> shape);
/// Adds the weight "bias" of 1000 numbers: 0, 0.5, 1, ...
void addBias(Model &model);
/// Adds the entry "main" with inputs "left" and "right" and an output "sum",
/// all f32 of this shape.
void addSumEntry(Model &model, const std::vector<int64_t> &shape);
/// A size that calls choose.
std::unique_ptr<format::SymbolT> sizeSymbol(const char *name, int64_t minimum,
                                            int64_t maximum);
/// Adds a copy of whole buffers on a queue.
format::CommandT &copyWhole(Model &model, uint32_t source, uint32_t target,
                            uint32_t queue);
/// Adds a fill of a whole buffer on a queue.
format::CommandT &fillWhole(Model &model, uint32_t target, uint64_t pattern,
                            uint8_t bytes, uint32_t queue);

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_MODELPARTS_H
