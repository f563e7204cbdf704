// What a program says of the sizes that calls choose.

#include "Sizes.h"

#include "Program.h"
#include "Status.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {

static const char *sourceName(heddle_size_source source) {
  switch (source) {
  case HEDDLE_SIZE_INPUT:
    return "input";
  case HEDDLE_SIZE_CALLER:
    return "caller";
  case HEDDLE_SIZE_STATE:
    return "state";
  case HEDDLE_SIZE_COMPUTED:
    return "computed";
  }
  return "";
}

/// All of the program.
static std::vector<SizeInfo> sizeInfos(const Program &program) {
  std::vector<SizeInfo> infos;
  heddle_size_info info{};
  info.size = sizeof info;
  for (size_t i = 0; i < heddle_program_size_count(program.handle()); ++i) {
    check(heddle_program_size_info(program.handle(), i, &info));
    infos.push_back({info.name, info.minimum, info.maximum, info.multiple,
                     sourceName(info.source)});
  }
  return infos;
}

/// The numbers of those that calls of the entry have to give.
static std::vector<size_t> givenSizes(const Program &program, size_t entry) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < heddle_program_size_count(program.handle()); ++i)
    if (heddle_program_entry_needs_size(program.handle(), entry, i))
      numbers.push_back(i);
  return numbers;
}

static std::vector<std::string> assumptions(const Program &program,
                                            size_t entry) {
  std::vector<std::string> texts;
  while (const char *text = heddle_program_entry_assumption(
             program.handle(), entry, texts.size()))
    texts.push_back(text);
  return texts;
}

/// The bytes that a model needs for calls of these sizes, of which -1 is one
/// that may be the largest; by the default number of threads where that is 0.
static size_t arenaBytes(const Program &program, size_t entry,
                         const std::vector<int64_t> &sizes, uint32_t threads) {
  size_t bytes = 0;
  check(heddle_program_arena_bytes(program.handle(), entry, sizes.data(),
                                   sizes.size(), threads, &bytes));
  return bytes;
}

static std::string describe(const SizeInfo &info) {
  std::string text = info.name + ": " + std::to_string(info.minimum) + ".." +
                     std::to_string(info.maximum);
  return info.multiple == 1
             ? text
             : text + ", multiples of " + std::to_string(info.multiple);
}

void bindSizes(nb::module_ &module) {
  nb::class_<SizeInfo>(module, "SizeInfo")
      .def_ro("name", &SizeInfo::name)
      .def_ro("minimum", &SizeInfo::minimum)
      .def_ro("maximum", &SizeInfo::maximum)
      .def_ro("multiple", &SizeInfo::multiple)
      .def_ro("source", &SizeInfo::source)
      .def("__repr__", describe);
  module.def("sizes", &sizeInfos, nb::arg("program"));
  module.def("given_sizes", &givenSizes, nb::arg("program"), nb::arg("entry"));
  module.def("arena_bytes", &arenaBytes, nb::arg("program"), nb::arg("entry"),
             nb::arg("sizes"), nb::arg("threads"));
  module.def("assumptions", &assumptions, nb::arg("program"), nb::arg("entry"));
}

} // namespace heddle::python
