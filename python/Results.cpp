// Blocks of memory, as many as a loop of calls needs.

#include "Results.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace heddle::python {

Blocks::~Blocks() {
  for (const Block &block : unused)
    std::free(block.data);
}

Blocks::Block Blocks::take(size_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    size_t best = unused.size();
    for (size_t i = 0; i < unused.size(); ++i)
      if (unused[i].bytes >= bytes && unused[i].bytes / 2 <= bytes &&
          (best == unused.size() || unused[i].bytes < unused[best].bytes))
        best = i;
    if (best != unused.size()) {
      Block found = unused[best];
      unused.erase(unused.begin() + std::ptrdiff_t(best));
      unusedBytes -= found.bytes;
      return found;
    }
  }
  // Pages of their own for what takes some.
  size_t unit = bytes < 4096 ? 64 : 4096;
  size_t rounded = (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit;
  void *data = rounded < bytes ? nullptr : std::aligned_alloc(unit, rounded);
  if (!data)
    throw std::bad_alloc();
  return {data, rounded};
}

void Blocks::give(Block block) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  try {
    unused.push_back(block);
  } catch (const std::bad_alloc &) {
    std::free(block.data);
    return;
  }
  for (unusedBytes += block.bytes; unusedBytes > limit;) {
    unusedBytes -= unused.front().bytes;
    std::free(unused.front().data);
    unused.erase(unused.begin());
  }
}

Memory::Memory(std::shared_ptr<Blocks> blocks, size_t bytes)
    : bytes(bytes), blocks(std::move(blocks)),
      block(this->blocks->take(bytes)) {}

Memory::Memory(Memory &&other) noexcept
    : bytes(other.bytes), blocks(std::move(other.blocks)),
      block(std::exchange(other.block, {})) {}

Memory::~Memory() {
  if (block.data)
    blocks->give(block);
}

int Memory::getBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto &memory = *nb::inst_ptr<Memory>(self);
  return PyBuffer_FillInfo(view, self, memory.block.data,
                           Py_ssize_t(memory.bytes), /*readonly=*/0, flags);
}

static PyType_Slot memorySlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(Memory::getBuffer)},
    {0, nullptr}};

void bindResults(nb::module_ &module) {
  nb::class_<Memory>(module, "Memory", nb::type_slots(memorySlots));
}

} // namespace heddle::python
