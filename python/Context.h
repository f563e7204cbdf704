// One entry of a program with its memory: calls, and calls that nobody waits
// for.

#ifndef HEDDLE_PYTHON_CONTEXT_H
#define HEDDLE_PYTHON_CONTEXT_H

#include "Devices.h"
#include "Groups.h"
#include "Program.h"
#include "Results.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::python {

struct Arguments;

/// One for each output: what it truly has after a call.
using Shapes = std::vector<std::vector<int64_t>>;

/// How a submitted call ends.
class Event {
public:
  explicit Event(heddle_event *event) : event(event) {}
  Event(const Event &) = delete;
  ~Event() { heddle_event_destroy(event); }

  heddle_event *const event;
};

/// A submitted call: what it uses lives until it is done.
struct Submitted {
  std::shared_ptr<Event> event; ///< Null until it is submitted.
  int32_t cancel = 0;
  std::unique_ptr<Arguments> arguments;
  Shapes shapes;
  Raised raised;

  Submitted();
  ~Submitted();
  bool isDone() const { return event && heddle_event_done(event->event); }
};

/// What Python holds of a submitted call.
class Submission {
public:
  Submission(nb::object context, std::shared_ptr<Submitted> submitted)
      : context(std::move(context)), submitted(std::move(submitted)) {}

  bool done() const { return submitted->isDone(); }
  /// False when so many seconds have passed before.
  bool wait(std::optional<double> timeout);
  /// Raises what the call failed with; it is done.
  void check();
  /// Of a call that is done; empty where none was asked for.
  Shapes shapes() const { return submitted->shapes; }
  void cancel() { __atomic_store_n(&submitted->cancel, 1, __ATOMIC_RELEASE); }
  const Event &event() const { return *submitted->event; }

  /// For the garbage collector: a function may hold the call that it is called
  /// in, and what it raises its own frame.
  static int traverse(PyObject *self, visitproc visit, void *arg);
  static int clear(PyObject *self);

private:
  nb::object context;
  std::shared_ptr<Submitted> submitted;
};

/// How many forks lie between the process that loaded this module and this
/// one. A counter, as calls ask for it each time.
uint32_t forksBefore();

/// The order of calls of one context, from the threads of one process.
struct Queue {
  const uint32_t forks = forksBefore(); ///< Of this process.
  std::timed_mutex mutex;
  std::shared_ptr<Event> last; ///< Of what was submitted, under the mutex.
};

/// Calls from several threads take turns.
class Context {
public:
  Context(nb::object owner, size_t entry, uint32_t threads, bool stages,
          const std::string &engine, const Group *group);
  Context(const Context &) = delete;
  ~Context();

  size_t threads() const {
    return ranks ? heddle_ranks_threads(ranks)
                 : heddle_context_threads(context);
  }

  /// The shapes of the outputs, where some are open, which the call is to find,
  /// or the program computes sizes; else none.
  Shapes call(const nb::list &ins, const nb::list &outs,
              const std::vector<bool> &inBits, const std::vector<bool> &outBits,
              const nb::list &states, const std::vector<int64_t> &sizes,
              const std::vector<bool> &open, std::optional<double> timeout);
  /// Begins when those of `after` are done.
  static Submission
  submit(nb::object self, const nb::list &ins, const nb::list &outs,
         const std::vector<bool> &inBits, const std::vector<bool> &outBits,
         const nb::list &states, const std::vector<int64_t> &sizes,
         const std::vector<bool> &open, std::optional<double> timeout,
         const nb::list &after);

  /// Waits for what was submitted and lets go of what it used; false when so
  /// many seconds have passed before.
  bool finish(std::optional<double> timeout);
  /// Whether something was submitted that is not done.
  bool hasUnfinished() const;

  /// The shapes of the outputs when the inputs have these.
  Shapes outputShapes(const Shapes &shapes, const nb::list &states,
                      const std::vector<int64_t> &sizes) const;

  /// Memory for an output.
  Memory memory(size_t bytes) { return Memory(blocks, bytes); }

  /// The numbers of the states that the entry uses, in its order.
  std::vector<size_t> stateNumbers() const;

  Program &program() const { return nb::cast<Program &>(owner); }

  std::vector<TensorInfo> inputs, outputs;

  static int traverse(PyObject *self, visitproc visit, void *arg);

private:
  struct Left;
  std::unique_ptr<Arguments> read(const nb::list &ins, const nb::list &outs,
                                  const std::vector<bool> &inBits,
                                  const std::vector<bool> &outBits,
                                  const nb::list &states,
                                  const std::vector<int64_t> &sizes);
  /// Asks for the shapes of `outs` that are open, and of all where the program
  /// computes sizes.
  void askForShapes(std::vector<heddle_tensor> &outs,
                    const std::vector<bool> &open, Shapes &shapes) const;
  heddle_call_options optionsFor(const Arguments &arguments, Raised &raised,
                                 std::optional<double> timeout) const;
  /// Calls the context, or the ranks.
  heddle_status invoke(const Arguments &arguments,
                       const heddle_call_options &options) const;
  /// Locks the mutex, unless the deadline, if it is not 0, passes before.
  heddle_status takeTurn(std::unique_lock<std::timed_mutex> &turn,
                         uint64_t deadlineNs);
  /// A function that the program calls must not call it again.
  void refuseInside() const;
  /// Lets go of what calls used that are done.
  void sweep();
  /// Hands what calls that are not done use to a thread that waits for them.
  void leaveBehind();
  /// In a child process after fork, where no thread is left that the parent's
  /// calls run on: forgets them and who had the turn. The runtime knows of them
  /// and says what can be called yet. Under Python's lock.
  void forgetParent();

  nb::object owner;
  size_t entry;
  bool stages;
  bool hasOwnParts; ///< Of a group, each of whose processes calls.
  bool computesSizes = false;
  heddle_context *context = nullptr;
  heddle_ranks *ranks = nullptr; ///< Instead, of a program of several.
  std::shared_ptr<Blocks> blocks;
  ArrayDevices devices;                             ///< Under Python's lock.
  std::vector<std::shared_ptr<Submitted>> inFlight; ///< Under Python's lock.
  std::unique_ptr<Queue> queue = std::make_unique<Queue>();
};

void bindContext(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_CONTEXT_H
