// Calls of one entry: arrays in, arrays out, at once or later.

#include "Context.h"
#include "Arguments.h"
#include "States.h"
#include "Status.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>

namespace heddle::python {

Submitted::Submitted() = default;
Submitted::~Submitted() = default;

//===----------------------------------------------------------------------===//
// What Python gives
//===----------------------------------------------------------------------===//

static std::vector<heddle_state *> handlesOf(const nb::list &states) {
  std::vector<heddle_state *> handles;
  for (nb::handle state : states)
    handles.push_back(nb::cast<State &>(state).handle());
  return handles;
}

std::unique_ptr<Arguments>
Context::read(const nb::list &ins, const nb::list &outs,
              const std::vector<bool> &inBits, const std::vector<bool> &outBits,
              const nb::list &states, const std::vector<int64_t> &sizes) {
  auto arguments = std::make_unique<Arguments>();
  arguments->sizes = sizes;
  size_t rankCount = heddle_program_ranks(program().handle());
  arguments->readInputs(devices, ins, inputs, inBits, rankCount);
  arguments->readOutputs(devices, outs, outputs, outBits, rankCount);
  arguments->states = handlesOf(states);
  for (nb::handle state : states)
    arguments->objects.append(nb::borrow(state));
  return arguments;
}

/// The bytes of a tensor whose elements lie one behind the other, as those of
/// one without elements do whatever its strides; none if they do not.
static std::optional<size_t> contiguousBytes(const heddle_tensor &tensor) {
  if (std::find(tensor.shape, tensor.shape + tensor.rank, 0) !=
      tensor.shape + tensor.rank)
    return 0;
  int64_t elements = 1;
  for (int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.strides && tensor.shape[i] > 1 && tensor.strides[i] != elements)
      return std::nullopt;
    elements *= tensor.shape[i];
  }
  return size_t(elements) * heddle_dtype_bytes(tensor.dtype);
}

void Context::askForShapes(std::vector<heddle_tensor> &outs,
                           const std::vector<bool> &open,
                           Shapes &shapes) const {
  bool any = std::find(open.begin(), open.end(), true) != open.end();
  if (!computesSizes && !any)
    return;
  if (any && open.size() != outs.size())
    throw nb::type_error("open is not one for each output");
  shapes.resize(outs.size());
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].rank)
      continue;
    if (!computesSizes && !open[i]) {
      shapes[i].assign(outs[i].shape, outs[i].shape + outs[i].rank);
      continue;
    }
    // The call takes memory of any shape then.
    std::optional<size_t> bytes = contiguousBytes(outs[i]);
    if (!bytes)
      throw nb::value_error(
          ("output '" + outputs[i].name + "' is not contiguous").c_str());
    shapes[i].resize(size_t(outs[i].rank));
    outs[i].bytes = *bytes;
    outs[i].out_shape = shapes[i].data();
  }
}

heddle_call_options Context::optionsFor(const Arguments &arguments,
                                        Raised &raised,
                                        std::optional<double> timeout) const {
  heddle_call_options options{};
  options.size = sizeof options;
  options.deadline_ns = deadlineAfter(timeout);
  options.states = arguments.states.data();
  options.state_count = arguments.states.size();
  options.sizes = arguments.sizes.data();
  options.size_count = arguments.sizes.size();
  options.user = &raised;
  options.flags = stages ? HEDDLE_STAGE_TENSORS : 0;
  return options;
}

//===----------------------------------------------------------------------===//
// The context
//===----------------------------------------------------------------------===//

Context::Context(nb::object owner, size_t entry, uint32_t threads, bool stages,
                 const std::string &engine, const Group *group)
    : owner(owner), entry(entry), stages(stages), hasOwnParts(group) {
  heddle_program *handle = program().handle();
  heddle_tensor_info info{};
  info.size = sizeof info;
  for (size_t i = 0; i < heddle_program_input_count(handle, entry); ++i) {
    check(heddle_program_input_info(handle, entry, i, &info));
    inputs.push_back(toInfo(info));
  }
  for (size_t i = 0; i < heddle_program_output_count(handle, entry); ++i) {
    check(heddle_program_output_info(handle, entry, i, &info));
    outputs.push_back(toInfo(info));
  }
  heddle_size_info size{};
  size.size = sizeof size;
  for (size_t i = 0; i < heddle_program_size_count(handle); ++i) {
    check(heddle_program_size_info(handle, i, &size));
    computesSizes |= size.source == HEDDLE_SIZE_COMPUTED;
  }
  // In a loop the results of one call are held while the next one runs.
  size_t results = 0;
  for (const TensorInfo &output : outputs)
    results += (output.bytes + 4095) / 4096 * 4096;
  blocks = std::make_shared<Blocks>(2 * results);
  if (heddle_program_ranks(handle) > 1 || group) {
    heddle_ranks_options options{};
    options.size = sizeof options;
    options.threads = threads;
    options.group = group ? group->handle() : nullptr;
    options.own_calls = group != nullptr;
    options.engine = engine.empty() ? nullptr : engine.c_str();
    heddle_status status;
    {
      // Processes take a while to get ready.
      nb::gil_scoped_release release;
      status = heddle_ranks_create(handle, entry, &options, &ranks);
    }
    check(status);
    return;
  }
  heddle_context_options options{};
  options.size = sizeof options;
  options.threads = threads;
  check(heddle_context_create(handle, entry, &options, &context));
}

/// What calls use whose context is gone.
struct Context::Left {
  heddle_context *context;
  nb::object owner;
  std::shared_ptr<Blocks> blocks;
  ArrayDevices devices;
  std::vector<std::shared_ptr<Submitted>> inFlight;
};

/// How many of these there are in this process.
static std::atomic<size_t> leftCount{0};

void Context::leaveBehind() {
  auto *left = new Left{context, std::move(owner), std::move(blocks),
                        std::move(devices), std::move(inFlight)};
  ++leftCount;
  try {
    std::thread([left] {
      heddle_context_destroy(left->context);
      nb::gil_scoped_acquire lock;
      delete left;
      --leftCount;
    }).detach();
  } catch (const std::system_error &) {
    // Without a thread nobody can wait: the calls keep what they use for good.
    --leftCount;
  }
}

/// Waits for the calls of contexts that are gone; false when so many seconds
/// have passed before.
static bool finishLeft(double timeout) {
  nb::gil_scoped_release release;
  uint64_t deadline = deadlineAfter(timeout);
  while (leftCount && deadlineAfter(0) < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !leftCount;
}

bool Context::hasUnfinished() const {
  // Nobody does a parent's calls here.
  if (queue->forks != forksBefore())
    return false;
  return std::any_of(
      inFlight.begin(), inFlight.end(),
      [](const auto &submitted) { return !submitted->isDone(); });
}

Context::~Context() {
  // A function that a call calls would wait for that call, or for one that
  // waits for it.
  if (Inside::any() && hasUnfinished()) {
    leaveBehind();
    return;
  }
  // Waits for what was submitted, which may call functions of Python's.
  nb::gil_scoped_release release;
  heddle_context_destroy(context);
  heddle_ranks_destroy(ranks);
}

std::vector<size_t> Context::stateNumbers() const {
  std::vector<size_t> numbers;
  heddle_program *handle = program().handle();
  for (size_t i = 0; i < heddle_program_entry_state_count(handle, entry); ++i) {
    int32_t writes = 0;
    check(heddle_program_entry_state(handle, entry, i, &numbers.emplace_back(),
                                     &writes));
  }
  return numbers;
}

void Context::refuseInside() const {
  if (Inside::of(&program()))
    raise(HEDDLE_CONTEXT_BUSY,
          "a custom call calls the model that it is called by, which is in "
          "that call: load the artifact once more for it");
}

/// Raises what a call failed with; what a function of Python's raised is the
/// cause, or, where it is to end more than a call, such as KeyboardInterrupt,
/// raised itself.
static void checkCall(const heddle_status &status, const Raised &raised) {
  if (status.code == HEDDLE_CUSTOM_CALL_FAILED && raised.error) {
    PyObject *error = raised.error.ptr();
    if (PyErr_GivenExceptionMatches(error, PyExc_Exception))
      raise(status.code, status.message, raised.error);
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    throw nb::python_error();
  }
  check(status);
}

heddle_status Context::takeTurn(std::unique_lock<std::timed_mutex> &turn,
                                uint64_t deadlineNs) {
  heddle_status status{};
  std::chrono::steady_clock::time_point until{
      std::chrono::nanoseconds(int64_t(deadlineNs))};
  if (!deadlineNs) {
    turn.lock();
  } else if (!turn.try_lock_until(until)) {
    status.code = HEDDLE_DEADLINE_EXCEEDED;
    std::snprintf(status.message, sizeof status.message,
                  "the call's deadline has passed: the model is in another "
                  "call");
  }
  return status;
}

heddle_status Context::invoke(const Arguments &arguments,
                              const heddle_call_options &options) const {
  auto in = pointersTo(arguments.in), out = pointersTo(arguments.out);
  if (!ranks)
    return heddle_context_call(context, in.data(), in.size(), out.data(),
                               out.size(), &options);
  if (hasOwnParts)
    return heddle_ranks_call_own(ranks, in.data(), in.size(), out.data(),
                                 out.size(), &options);
  PartedTensors ins(in, arguments.inParts), outs(out, arguments.outParts);
  return heddle_ranks_call_parts(ranks, ins.data(), ins.size(), outs.data(),
                                 outs.size(), &options);
}

Shapes Context::call(const nb::list &ins, const nb::list &outs,
                     const std::vector<bool> &inBits,
                     const std::vector<bool> &outBits, const nb::list &states,
                     const std::vector<int64_t> &sizes,
                     const std::vector<bool> &open,
                     std::optional<double> timeout) {
  std::unique_ptr<Arguments> arguments =
      read(ins, outs, inBits, outBits, states, sizes);
  Shapes shapes;
  askForShapes(arguments->out, open, shapes);
  refuseInside();
  forgetParent();
  Raised raised;
  heddle_status status{};
  {
    // The time runs from here: waiting for calls before this one is part of it.
    heddle_call_options options = optionsFor(*arguments, raised, timeout);
    nb::gil_scoped_release release;
    std::unique_lock<std::timed_mutex> turn(queue->mutex, std::defer_lock);
    status = takeTurn(turn, options.deadline_ns);
    if (status.code == HEDDLE_OK && queue->last) {
      heddle_status waited =
          heddle_event_wait(queue->last->event, options.deadline_ns);
      if (heddle_event_done(queue->last->event))
        queue->last.reset();
      else
        status = waited;
    }
    if (status.code == HEDDLE_OK)
      status = invoke(*arguments, options);
  }
  checkCall(status, raised);
  return shapes;
}

Shapes Context::outputShapes(const Shapes &shapes, const nb::list &states,
                             const std::vector<int64_t> &sizes) const {
  std::vector<heddle_tensor> in;
  for (const std::vector<int64_t> &shape : shapes) {
    heddle_tensor tensor{};
    tensor.size = sizeof tensor;
    tensor.rank = int32_t(shape.size());
    tensor.shape = shape.data();
    in.push_back(tensor);
  }
  std::vector<const heddle_tensor *> pointers = pointersTo(in);
  std::vector<heddle_state *> handles = handlesOf(states);
  heddle_call_options options{};
  options.size = sizeof options;
  options.states = handles.data();
  options.state_count = handles.size();
  options.sizes = sizes.data();
  options.size_count = sizes.size();
  Shapes result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    result.emplace_back(outputs[i].shape.size());
    check(heddle_program_output_shape_in(program().handle(), entry,
                                         pointers.data(), pointers.size(),
                                         &options, i, result.back().data()));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Submitted calls
//===----------------------------------------------------------------------===//

static uint32_t forks = 0;

uint32_t forksBefore() { return forks; }

void Context::sweep() {
  auto firstDone = std::partition(
      inFlight.begin(), inFlight.end(),
      [](const auto &submitted) { return !submitted->isDone(); });
  // What Python runs when arguments die may submit, so the list is whole first.
  std::vector<std::shared_ptr<Submitted>> done(firstDone, inFlight.end());
  inFlight.erase(firstDone, inFlight.end());
  for (const std::shared_ptr<Submitted> &submitted : done)
    submitted->arguments.reset();
}

void Context::forgetParent() {
  if (queue->forks == forksBefore())
    return;
  // A thread of the parent's may hold the mutex, or be writing what it guards:
  // neither can be ended.
  auto fresh = std::make_unique<Queue>();
  (void)queue.release();
  queue = std::move(fresh);
  std::vector<std::shared_ptr<Submitted>> lost = std::exchange(inFlight, {});
  for (const std::shared_ptr<Submitted> &submitted : lost)
    submitted->arguments.reset();
}

Submission
Context::submit(nb::object self, const nb::list &ins, const nb::list &outs,
                const std::vector<bool> &inBits,
                const std::vector<bool> &outBits, const nb::list &states,
                const std::vector<int64_t> &sizes,
                const std::vector<bool> &open, std::optional<double> timeout,
                const nb::list &after) {
  auto &context = nb::cast<Context &>(self);
  context.forgetParent();
  context.sweep();
  context.refuseInside();
  auto submitted = std::make_shared<Submitted>();
  submitted->arguments =
      context.read(ins, outs, inBits, outBits, states, sizes);
  context.askForShapes(submitted->arguments->out, open, submitted->shapes);
  auto in = pointersTo(submitted->arguments->in),
       out = pointersTo(submitted->arguments->out);
  heddle_call_options options =
      context.optionsFor(*submitted->arguments, submitted->raised, timeout);
  options.cancel = &submitted->cancel;
  std::vector<heddle_event *> waits;
  for (nb::handle other : after)
    waits.push_back(nb::cast<Submission &>(other).event().event);
  heddle_submit_options more{};
  more.size = sizeof more;
  more.waits = waits.data();
  more.wait_count = waits.size();
  // Held before it is known to be there: nothing may fail in between.
  context.inFlight.push_back(submitted);
  std::shared_ptr<Event> made;
  heddle_status status;
  {
    nb::gil_scoped_release release;
    Queue &queue = *context.queue;
    std::unique_lock<std::timed_mutex> turn(queue.mutex, std::defer_lock);
    heddle_event *event = nullptr;
    status = context.takeTurn(turn, options.deadline_ns);
    if (status.code == HEDDLE_OK)
      status = heddle_context_submit(context.context, in.data(), in.size(),
                                     out.data(), out.size(), &options, &more,
                                     &event);
    if (status.code == HEDDLE_OK)
      made = queue.last = std::make_shared<Event>(event);
  }
  submitted->event = std::move(made);
  if (status.code != HEDDLE_OK)
    context.inFlight.erase(
        std::find(context.inFlight.begin(), context.inFlight.end(), submitted));
  check(status);
  return Submission(std::move(self), std::move(submitted));
}

bool Context::finish(std::optional<double> timeout) {
  // Those of one context run in their order: the last one is done last.
  std::shared_ptr<Submitted> latest;
  if (!inFlight.empty())
    latest = inFlight.back();
  if (latest && latest->event) {
    uint64_t deadline = deadlineAfter(timeout);
    nb::gil_scoped_release release;
    (void)heddle_event_wait(latest->event->event, deadline);
  }
  sweep();
  return inFlight.empty();
}

/// How long a wait does not look whether there is a signal, such as Ctrl-C.
static constexpr double secondsBetweenSignals = 0.05;

bool Submission::wait(std::optional<double> timeout) {
  uint64_t deadline = deadlineAfter(timeout);
  while (true) {
    uint64_t until = deadlineAfter(secondsBetweenSignals);
    bool last = deadline && deadline <= until;
    heddle_status status;
    {
      nb::gil_scoped_release release;
      status =
          heddle_event_wait(submitted->event->event, last ? deadline : until);
    }
    if (submitted->isDone())
      return true;
    // Neither done nor late: nobody is left to do it.
    if (status.code != HEDDLE_DEADLINE_EXCEEDED)
      python::check(status);
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    if (last)
      return false;
  }
}

void Submission::check() {
  checkCall(heddle_event_wait(submitted->event->event, 0), submitted->raised);
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

int Context::traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  const auto &context = *nb::inst_ptr<Context>(self);
  // What a call uses that runs is not to be collected, and neither is the
  // program: its functions are still to be called.
  if (!context.hasUnfinished())
    Py_VISIT(context.owner.ptr());
  for (const std::shared_ptr<Submitted> &submitted : context.inFlight)
    if (submitted->isDone() && submitted->arguments)
      Py_VISIT(submitted->arguments->objects.ptr());
  return 0;
}

int Submission::traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  const auto &submission = *nb::inst_ptr<Submission>(self);
  Py_VISIT(submission.context.ptr());
  // Until then a function may be setting it.
  if (submission.done())
    Py_VISIT(submission.submitted->raised.error.ptr());
  return 0;
}

int Submission::clear(PyObject *self) {
  const auto &submission = *nb::inst_ptr<Submission>(self);
  if (submission.done())
    submission.submitted->raised.error.reset();
  return 0;
}

static PyType_Slot submissionSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(Submission::traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(Submission::clear)},
    {0, nullptr}};

static PyType_Slot contextSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(Context::traverse)},
    {0, nullptr}};

void bindContext(nb::module_ &module) {
  // The threads that wait for what was left behind are the parent's.
  pthread_atfork(nullptr, nullptr, [] {
    ++forks;
    leftCount = 0;
  });
  module.def("finish_left", &finishLeft, nb::arg("timeout"));
  nb::class_<Submission>(module, "Submission", nb::type_slots(submissionSlots))
      .def("done", &Submission::done)
      .def("wait", &Submission::wait, nb::arg("timeout") = nb::none())
      .def("check", &Submission::check)
      .def("shapes", &Submission::shapes)
      .def("cancel", &Submission::cancel);
  nb::class_<Context>(module, "Context", nb::type_slots(contextSlots),
                      nb::is_weak_referenceable())
      .def(nb::init<nb::object, size_t, uint32_t, bool, const std::string &,
                    const Group *>(),
           nb::arg("program"), nb::arg("entry"), nb::arg("threads") = 0,
           nb::arg("stages") = false, nb::arg("engine") = "",
           nb::arg("group").none() = nb::none())
      .def_prop_ro("threads", &Context::threads)
      // Copies, which do not hold the context in a way that the garbage
      // collector does not see.
      .def_prop_ro("inputs",
                   [](const Context &context) {
                     return std::vector<TensorInfo>(context.inputs);
                   })
      .def_prop_ro("outputs",
                   [](const Context &context) {
                     return std::vector<TensorInfo>(context.outputs);
                   })
      .def_prop_ro("states", &Context::stateNumbers)
      .def("memory", &Context::memory, nb::arg("bytes"))
      .def("output_shapes", &Context::outputShapes, nb::arg("inputs"),
           nb::arg("states"), nb::arg("sizes"))
      .def("call", &Context::call, nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("input_bits"), nb::arg("output_bits"), nb::arg("states"),
           nb::arg("sizes"), nb::arg("open") = std::vector<bool>(),
           nb::arg("timeout") = nb::none())
      .def("submit", &Context::submit, nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("input_bits"), nb::arg("output_bits"), nb::arg("states"),
           nb::arg("sizes"), nb::arg("open"), nb::arg("timeout").none(),
           nb::arg("after"))
      .def("has_unfinished", &Context::hasUnfinished)
      .def("finish", &Context::finish, nb::arg("timeout"));
}

} // namespace heddle::python
