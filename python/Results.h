// Memory of results, used again when nobody holds it any more.

#ifndef HEDDLE_PYTHON_RESULTS_H
#define HEDDLE_PYTHON_RESULTS_H

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::python {

namespace nb = nanobind;

/// Memory that results were in and that nobody holds any more. New memory costs
/// a page fault for each 4 KiB, which in a small model's decoding step is a
/// third of the time.
class Blocks {
public:
  struct Block {
    void *data;
    size_t bytes;
  };

  /// Keeps at most so much.
  explicit Blocks(size_t limit) : limit(limit) {}
  ~Blocks();
  Blocks(const Blocks &) = delete;

  /// The smallest that is large enough, but not twice as large; new if there is
  /// none.
  Block take(size_t bytes);
  /// The oldest go when there are too many.
  void give(Block block) noexcept;

private:
  const size_t limit;
  std::mutex mutex;
  std::vector<Block> unused; ///< The oldest first.
  size_t unusedBytes = 0;
};

/// A block while something holds it: an array of numpy is made over it.
class Memory {
public:
  Memory(std::shared_ptr<Blocks> blocks, size_t bytes);
  Memory(Memory &&other) noexcept;
  ~Memory();

  static int getBuffer(PyObject *self, Py_buffer *view, int flags);

private:
  size_t bytes;
  std::shared_ptr<Blocks> blocks;
  Blocks::Block block;
};

void bindResults(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_RESULTS_H
