// heddle._compiler: include/heddle/compiler.h for Python. Documents cross as
// JSON text; the package makes objects and exceptions of them.

#include "heddle/compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <tuple>
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

namespace {
/// What Python has to say while a model compiles: the caller's function, and
/// signals such as that of Ctrl-C. An exception ends the compilation.
struct Listener {
  nb::object onPhase;
  int32_t cancel = 0;
  nb::python_error *raised = nullptr;

  static void listen(void *data, const char *phase) {
    auto &listener = *static_cast<Listener *>(data);
    if (listener.raised)
      return;
    nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      if (!listener.onPhase.is_none())
        listener.onPhase(phase);
    } catch (nb::python_error &error) {
      listener.raised = new nb::python_error(std::move(error));
      __atomic_store_n(&listener.cancel, 1, __ATOMIC_RELEASE);
    }
  }

  /// When the call is over.
  void raise() {
    if (!raised)
      return;
    nb::python_error error = std::move(*raised);
    delete raised;
    throw error;
  }
};
} // namespace

/// One for the process: programs share what it keeps.
static heddle_compiler *compiler() {
  static heddle_compiler *made = heddle_compiler_create();
  if (!made)
    throw std::bad_alloc();
  return made;
}

/// A path and None, or a name and bytes, and a function of it, or "".
using ModelPlace = std::tuple<nb::bytes, nb::object, std::string>;

namespace {
/// What Python says of a model, for the time of a call.
class Model {
public:
  explicit Model(const ModelPlace &place) : place(place) {
    const auto &[path, memory, function] = this->place;
    if (function.find('\0') != std::string::npos)
      throw nb::value_error("the name of a function holds a NUL");
    given.size = sizeof given;
    given.path = path.c_str();
    given.function = function.empty() ? nullptr : function.c_str();
    if (memory.is_none())
      return;
    if (PyObject_GetBuffer(memory.ptr(), &bytes, PyBUF_SIMPLE) != 0)
      throw nb::python_error();
    // The buffer of an empty object may be null, which would mean a file.
    given.data = bytes.buf ? bytes.buf : "";
    given.bytes = size_t(bytes.len);
  }
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;
  ~Model() { PyBuffer_Release(&bytes); }

  const heddle_model *get() const { return &given; }

private:
  ModelPlace place;
  heddle_model given{};
  Py_buffer bytes{};
};

/// Entries with their models, as the C interface wants them.
class Entries {
public:
  explicit Entries(
      const std::vector<std::pair<std::string, ModelPlace>> &given) {
    for (const auto &[name, place] : given) {
      if (name.find('\0') != std::string::npos)
        throw nb::value_error("the name of an entry holds a NUL");
      const Model &model = models.emplace_back(place);
      entries.push_back({sizeof(heddle_entry), name.c_str(), model.get()});
    }
    for (const heddle_entry &entry : entries)
      list.push_back(&entry);
    list.push_back(nullptr);
  }

  const heddle_entry *const *get() const { return list.data(); }

private:
  std::deque<Model> models;
  std::vector<heddle_entry> entries;
  std::vector<const heddle_entry *> list;
};
} // namespace

static std::pair<int, std::string>
compile(const std::optional<ModelPlace> &place, const nb::bytes &artifact,
        const Strings &targets, const Strings &shapes, const Strings &dims,
        const Strings &binds, const Strings &customCalls,
        const std::string &precision, double maxError,
        const std::string &calibration, const std::string &errorMetric,
        const std::string &precisionPolicy, bool flushSubnormals,
        const Strings &places, const Strings &placeRules,
        const std::string &placeBy, bool deviceTensors, const Strings &states,
        const std::vector<std::pair<std::string, ModelPlace>> &entries,
        const std::string &mesh, const Strings &shards, bool force,
        const nb::object &onPhase) {
  auto callList = terminated(customCalls);
  auto targetList = terminated(targets), shapeList = terminated(shapes),
       dimList = terminated(dims), bindList = terminated(binds),
       placeList = terminated(places), ruleList = terminated(placeRules),
       stateList = terminated(states), shardList = terminated(shards);
  if ((placeBy + precision + mesh + calibration + errorMetric + precisionPolicy)
          .find('\0') != std::string::npos)
    throw nb::value_error("an option holds a NUL");
  std::optional<Model> model;
  if (place)
    model.emplace(*place);
  Entries entryList(entries);
  Listener listener;
  listener.onPhase = onPhase;
  heddle_compile_options options{};
  options.size = sizeof options;
  options.targets = targetList.data();
  options.shapes = shapeList.data();
  options.dims = dimList.data();
  options.binds = bindList.data();
  options.custom_calls = callList.data();
  options.precision = precision.c_str();
  options.max_error = maxError;
  options.calibration = calibration.c_str();
  options.error_metric = errorMetric.c_str();
  options.precision_policy = precisionPolicy.c_str();
  options.flush_subnormals = flushSubnormals;
  options.places = placeList.data();
  options.place_rules = ruleList.data();
  options.place_by = placeBy.c_str();
  options.device_tensors = deviceTensors;
  options.states = stateList.data();
  options.entries = entryList.get();
  options.mesh = mesh.c_str();
  options.shards = shardList.data();
  options.force = force;
  options.on_phase = &Listener::listen;
  options.on_phase_data = &listener;
  options.cancel = &listener.cancel;
  char *json = nullptr;
  heddle_outcome outcome;
  heddle_compiler *one = compiler();
  {
    nb::gil_scoped_release release;
    outcome = heddle_compiler_compile(one, model ? model->get() : nullptr,
                                      artifact.c_str(), &options, &json);
  }
  auto result = take(outcome, json);
  listener.raise();
  return result;
}

static std::pair<int, std::string> inspect(const nb::bytes &path) {
  char *json = nullptr;
  heddle_outcome outcome;
  heddle_compiler *one = compiler();
  {
    nb::gil_scoped_release release;
    outcome = heddle_compiler_inspect(one, path.c_str(), &json);
  }
  return take(outcome, json);
}

NB_MODULE(_compiler, module) {
  module.attr("version") = heddle_compiler_version();
  module.def("compile", &compile, "model"_a.none(), "artifact"_a, "targets"_a,
             "shapes"_a, "dims"_a, "binds"_a, "custom_calls"_a, "precision"_a,
             "max_error"_a, "calibration"_a, "error_metric"_a,
             "precision_policy"_a, "flush_subnormals"_a, "places"_a,
             "place_rules"_a, "place_by"_a, "device_tensors"_a, "states"_a,
             "entries"_a, "mesh"_a, "shards"_a, "force"_a, "on_phase"_a.none());
  module.def("inspect", &inspect, "path"_a);
}
