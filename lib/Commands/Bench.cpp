// heddle bench: what loading and calling cost.

#include "ProgramOpening.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <sys/resource.h>

using namespace mlir;
using namespace heddle;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static uint64_t pageFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return uint64_t(usage.ru_minflt) + uint64_t(usage.ru_majflt);
}

/// Of sorted times; the smallest that at least `part` of them do not exceed.
static double percentile(ArrayRef<double> sorted, double part) {
  size_t index = size_t(part * double(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

namespace {
struct KernelTime {
  double seconds = 0;
  unsigned steps = 0;
  std::string node;
};
} // namespace

/// One more call, step by step: where the time goes, the most expensive first.
static std::vector<std::pair<std::string, KernelTime>>
profile(Program &program, ArrayRef<HostTensor> inputs,
        MutableArrayRef<HostTensor> outputs) {
  llvm::StringMap<KernelTime> times;
  heddle_call_options options{};
  options.size = sizeof options;
  options.user = &times;
  options.on_step = [](void *user, const heddle_step *step) {
    KernelTime &time =
        (*static_cast<llvm::StringMap<KernelTime> *>(user))[step->name];
    time.seconds += double(step->duration_ns) * 1e-9;
    ++time.steps;
    if (time.node.empty() && step->node_count)
      time.node = step->nodes[0];
  };
  std::vector<std::pair<std::string, KernelTime>> list;
  if (!program.rewindStates() || !program.call(inputs, outputs, &options))
    return list;
  for (auto &entry : times)
    list.emplace_back(entry.first().str(), entry.second);
  llvm::sort(list, [](const auto &a, const auto &b) {
    return a.second.seconds > b.second.seconds;
  });
  return list;
}

int heddle::runBench(const BenchCommand &command) {
  Session session(command.common, command.model.path);
  ProgramOpening opening(session, command);
  if (!opening.open())
    return session.fail();
  // Loaded twice: once as a program starts, and once with the weights hashed
  // and moved, which pays when many calls follow.
  std::unique_ptr<Program> program =
      opening.load(HEDDLE_VERIFY_WEIGHTS | HEDDLE_WEIGHTS_HUGE);
  if (!program)
    return session.fail();
  uint64_t weightsNs = program->report().weights_ns;
  program.reset();
  program = opening.load(0);
  if (!program)
    return session.fail();
  heddle_load_report report = program->report();
  double loadSeconds =
      double(report.verify_ns + report.weights_ns + report.code_ns) * 1e-9;

  if (!opening.prepare(*program))
    return session.fail();
  ArrayRef<HostTensor> inputs = opening.inputs;
  SmallVector<HostTensor> outputs = program->makeOutputs(inputs);
  uint64_t faults = pageFaults();
  Clock::time_point start = Clock::now();
  if (!program->call(inputs, outputs))
    return session.fail();
  double first = secondsSince(start);
  faults = pageFaults() - faults;

  std::vector<double> times;
  start = Clock::now();
  while (times.size() < 10 ||
         (secondsSince(start) < command.seconds && times.size() < 1000000)) {
    if (!program->rewindStates())
      return session.fail();
    Clock::time_point begin = Clock::now();
    if (!program->call(inputs, outputs))
      return session.fail();
    times.push_back(secondsSince(begin));
  }
  llvm::sort(times);
  double median = percentile(times, 0.5);
  auto kernels = profile(*program, inputs, outputs);
  double profiled = 0;
  for (auto &[name, time] : kernels)
    profiled += time.seconds;

  auto ms = [](double seconds) {
    return llvm::format("%9.3f ms", seconds * 1e3);
  };
  raw_ostream &os = session.text();
  for (const std::string &line : opening.madeUp)
    os << "made up: " << line << "\n";
  os << "target      " << report.variant << ", " << program->threads()
     << " threads\n";
  os << "load        " << ms(loadSeconds)
     << "  (mapping the weights:" << ms(double(report.weights_ns) * 1e-9)
     << "; hashing all of them and moving them to huge pages:"
     << ms(double(weightsNs) * 1e-9) << ")\n";
  os << "first call  " << ms(first) << "  (" << faults << " page faults)\n";
  os << "p50         " << ms(median) << "\n";
  os << "p90         " << ms(percentile(times, 0.9)) << "\n";
  os << "p99         " << ms(percentile(times, 0.99)) << "  (" << times.size()
     << " calls)\n";
  double gflops = double(program->operations()) * 1e-9 / median;
  double gbytes = double(program->traffic()) * 1e-9 / median;
  if (program->operations())
    os << llvm::format("speed       %9.2f GFLOP/s, %.2f GB/s\n", gflops,
                       gbytes);
  os << "memory      arena "
     << formatBytes(program->arenaBytes(command.threads)) << ", process "
     << formatBytes(ownMemoryBytes()) << " of its own\n";
  if (!program->states().empty())
    os << "states      " << program->states().size() << ", "
       << formatBytes(program->stateBytes()) << ", kept from call to call\n";
  os << "\n      time   part  steps  kernel\n";
  for (auto &[name, time] : ArrayRef(kernels).take_front(10))
    os << ms(time.seconds)
       << llvm::format(" %5.1f%% %6u  ", 100 * time.seconds / profiled,
                       time.steps)
       << name << (time.node.empty() ? "" : "  (" + time.node + ")") << "\n";

  llvm::json::Array kernelList;
  for (auto &[name, time] : kernels)
    kernelList.push_back(llvm::json::Object{{"name", name},
                                            {"seconds", time.seconds},
                                            {"steps", int64_t(time.steps)},
                                            {"node", time.node}});
  return session.finish(llvm::json::Object{
      {"variant", std::string(report.variant)},
      {"threads", int64_t(program->threads())},
      {"load_seconds", loadSeconds},
      {"map_weights_seconds", double(report.weights_ns) * 1e-9},
      {"weights_seconds", double(weightsNs) * 1e-9},
      {"first_call_seconds", first},
      {"first_call_page_faults", int64_t(faults)},
      {"calls", int64_t(times.size())},
      {"p50_seconds", median},
      {"p90_seconds", percentile(times, 0.9)},
      {"p99_seconds", percentile(times, 0.99)},
      {"gflops", gflops},
      {"gbytes_per_second", gbytes},
      {"arena_bytes", int64_t(program->arenaBytes(command.threads))},
      {"own_memory_bytes", int64_t(ownMemoryBytes())},
      {"states", int64_t(program->states().size())},
      {"state_bytes", int64_t(program->stateBytes())},
      {"made_up", llvm::json::Array(opening.madeUp)},
      {"kernels", std::move(kernelList)}});
}
