// A loaded artifact.

#ifndef HEDDLE_PYTHON_PROGRAM_H
#define HEDDLE_PYTHON_PROGRAM_H

#include "CustomCalls.h"
#include "Tensors.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::python {

class Program {
public:
  Program(const nb::bytes &path, const std::string &variant,
          const std::string &precisionTier, bool verifyWeights,
          const nb::dict &customCalls);
  Program(const Program &) = delete;
  ~Program() { heddle_program_destroy(program); }

  std::vector<std::string> entries() const;
  std::string variant() const { return report().variant; }
  std::string precision() const { return report().precision; }
  std::string precisionTiers() const { return report().precision_tiers; }
  /// Names of the devices that the program runs on, the cpu first.
  std::vector<std::string> devices() const;
  uint32_t ranks() const { return heddle_program_ranks(program); }
  /// The axes of the mesh that ranks lie on, and how many lie along each.
  std::vector<std::pair<std::string, uint32_t>> mesh() const;
  /// Where the part of a rank begins in an input or output, and how much of it
  /// lies inside.
  std::pair<std::vector<int64_t>, std::vector<int64_t>>
  part(size_t entry, bool isInput, size_t index, uint32_t rank) const;

  heddle_program *handle() const { return program; }

  /// For the garbage collector: a function may hold the model that calls it.
  static int traverse(PyObject *self, visitproc visit, void *arg);
  static int clear(PyObject *self);

private:
  heddle_load_report report() const;
  std::vector<std::unique_ptr<Callback>> callbacks;
  heddle_program *program = nullptr;
};

void bindProgram(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_PROGRAM_H
