// heddle._compiler: include/heddle/compiler.h for Python. Documents cross as
// JSON text; the package makes objects and exceptions of them.

#include "heddle/compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

using Strings = std::vector<std::string>;

/// A list as the C interface wants it: ended by a null pointer, as each string
/// is by a NUL, of which it can have no other.
static std::vector<const char *> terminated(const Strings &strings) {
  std::vector<const char *> list;
  for (const std::string &string : strings) {
    if (string.find('\0') != std::string::npos)
      throw nb::value_error("an option holds a NUL");
    list.push_back(string.c_str());
  }
  list.push_back(nullptr);
  return list;
}

static std::pair<int, std::string> take(heddle_outcome outcome, char *json) {
  std::string text = json ? json : "";
  heddle_string_free(json);
  return {int(outcome), text};
}

static std::pair<int, std::string>
compile(const nb::bytes &model, const nb::bytes &artifact,
        const Strings &targets, const Strings &shapes, const Strings &dims,
        const Strings &binds, const Strings &customCalls,
        bool flushSubnormals) {
  auto callList = terminated(customCalls);
  auto targetList = terminated(targets), shapeList = terminated(shapes),
       dimList = terminated(dims), bindList = terminated(binds);
  heddle_compile_options options{};
  options.size = sizeof options;
  options.targets = targetList.data();
  options.shapes = shapeList.data();
  options.dims = dimList.data();
  options.binds = bindList.data();
  options.custom_calls = callList.data();
  options.flush_subnormals = flushSubnormals;
  char *json = nullptr;
  heddle_outcome outcome;
  {
    nb::gil_scoped_release release;
    outcome =
        heddle_compile_file(model.c_str(), artifact.c_str(), &options, &json);
  }
  return take(outcome, json);
}

static std::pair<int, std::string> inspect(const nb::bytes &path) {
  char *json = nullptr;
  heddle_outcome outcome;
  {
    nb::gil_scoped_release release;
    outcome = heddle_inspect_file(path.c_str(), &json);
  }
  return take(outcome, json);
}

NB_MODULE(_compiler, module) {
  module.attr("version") = heddle_compiler_version();
  module.def("compile", &compile, "model"_a, "artifact"_a, "targets"_a,
             "shapes"_a, "dims"_a, "binds"_a, "custom_calls"_a,
             "flush_subnormals"_a = false);
  module.def("inspect", &inspect, "path"_a);
}
