// heddle bench: what loading and calling cost.

#include "BenchRounds.h"
#include "LaunchedCommand.h"
#include "ProgramOpening.h"

#include "heddle/Support/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

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

using Peers = std::vector<std::unique_ptr<PeerProcess>>;

namespace {
/// What a bench found out.
struct Findings {
  heddle_load_report load{};
  /// What hashing all weights and moving them to huge pages took.
  uint64_t hashedWeightsNs = 0;
  double firstCall = 0;
  uint64_t firstCallFaults = 0;
  BenchRounds rounds;
  std::vector<std::pair<std::string, KernelTime>> kernels;

  double loadSeconds() const {
    return double(load.verify_ns + load.weights_ns + load.code_ns) * 1e-9;
  }
  double quantile(double part) const {
    return percentile(rounds.ownCalls, part);
  }
  double gflops(const Program &program) const {
    return double(program.operations()) * 1e-9 / quantile(0.5);
  }
  double gbytes(const Program &program) const {
    return double(program.traffic()) * 1e-9 / quantile(0.5);
  }
};
} // namespace

static auto milliseconds(double seconds) {
  return llvm::format("%9.3f ms", seconds * 1e3);
}

static void showTimes(raw_ostream &os, const Findings &found,
                      const Program &program, unsigned threads) {
  os << "target      " << found.load.variant << ", " << program.threads()
     << " threads\n";
  os << "load        " << milliseconds(found.loadSeconds())
     << "  (mapping the weights:"
     << milliseconds(double(found.load.weights_ns) * 1e-9)
     << "; hashing all of them and moving them to huge pages:"
     << milliseconds(double(found.hashedWeightsNs) * 1e-9) << ")\n";
  os << "first call  " << milliseconds(found.firstCall) << "  ("
     << found.firstCallFaults << " page faults)\n";
  os << "p50         " << milliseconds(found.quantile(0.5)) << "\n";
  os << "p90         " << milliseconds(found.quantile(0.9)) << "\n";
  os << "p99         " << milliseconds(found.quantile(0.99)) << "  ("
     << found.rounds.ownCalls.size() << " calls)\n";
  if (program.operations())
    os << llvm::format("speed       %9.2f GFLOP/s, %.2f GB/s\n",
                       found.gflops(program), found.gbytes(program));
  os << "memory      arena " << formatBytes(program.arenaBytes(threads))
     << ", process " << formatBytes(ownMemoryBytes()) << " of its own\n";
  if (!program.states().empty())
    os << "states      " << program.states().size() << ", "
       << formatBytes(program.stateBytes()) << ", kept from call to call\n";
}

static void showPeers(raw_ostream &os, const BenchRounds &rounds,
                      const Peers &peers) {
  if (peers.empty())
    return;
  os << "\n      time   heddle's time over it, within 95 %; by turns, "
     << rounds.programs[0].size() << " rounds of " << rounds.calls
     << (rounds.calls == 1 ? " call" : " calls") << "\n";
  for (auto [number, peer] : llvm::enumerate(peers)) {
    TimeRatio ratio = rounds.ratioTo(number);
    os << milliseconds(percentile(rounds.programs[number + 1], 0.5))
       << llvm::format("   %.3f, %.3f to %.3f   ", ratio.mean, ratio.low,
                       ratio.high)
       << peer->name() << " " << peer->version() << "\n";
  }
}

static void showKernels(raw_ostream &os, const Findings &found) {
  if (found.kernels.empty())
    return;
  double profiled = 0;
  for (auto &[name, time] : found.kernels)
    profiled += time.seconds;
  os << "\n      time   part  steps  kernel\n";
  for (auto &[name, time] : ArrayRef(found.kernels).take_front(10))
    os << milliseconds(time.seconds)
       << llvm::format(" %5.1f%% %6u  ", 100 * time.seconds / profiled,
                       time.steps)
       << name << (time.node.empty() ? "" : "  (" + time.node + ")") << "\n";
}

static llvm::json::Array kernelDocument(const Findings &found) {
  llvm::json::Array list;
  for (auto &[name, time] : found.kernels)
    list.push_back(llvm::json::Object{{"name", name},
                                      {"seconds", time.seconds},
                                      {"steps", int64_t(time.steps)},
                                      {"node", time.node}});
  return list;
}

static llvm::json::Array peerDocument(const BenchRounds &rounds,
                                      const Peers &peers) {
  llvm::json::Array list;
  for (auto [number, peer] : llvm::enumerate(peers)) {
    ArrayRef<double> times = rounds.programs[number + 1];
    TimeRatio ratio = rounds.ratioTo(number);
    list.push_back(
        llvm::json::Object{{"name", peer->name()},
                           {"version", peer->version()},
                           {"p50_seconds", percentile(times, 0.5)},
                           {"ratio", ratio.mean},
                           {"ratio_low", ratio.low},
                           {"ratio_high", ratio.high},
                           {"round_seconds", llvm::json::Array(times)}});
  }
  return list;
}

static llvm::json::Object document(const Findings &found,
                                   const Program &program, unsigned threads) {
  return llvm::json::Object{
      {"variant", std::string(found.load.variant)},
      {"threads", int64_t(program.threads())},
      {"load_seconds", found.loadSeconds()},
      {"map_weights_seconds", double(found.load.weights_ns) * 1e-9},
      {"weights_seconds", double(found.hashedWeightsNs) * 1e-9},
      {"first_call_seconds", found.firstCall},
      {"first_call_page_faults", int64_t(found.firstCallFaults)},
      {"calls", int64_t(found.rounds.ownCalls.size())},
      {"p50_seconds", found.quantile(0.5)},
      {"p90_seconds", found.quantile(0.9)},
      {"p99_seconds", found.quantile(0.99)},
      {"gflops", found.gflops(program)},
      {"gbytes_per_second", found.gbytes(program)},
      {"arena_bytes", int64_t(program.arenaBytes(threads))},
      {"own_memory_bytes", int64_t(ownMemoryBytes())},
      {"states", int64_t(program.states().size())},
      {"state_bytes", int64_t(program.stateBytes())},
      {"kernels", kernelDocument(found)}};
}

/// What is wrong with the peers that the command names, as far as it says; ""
/// if nothing is.
static std::string wrongPeers(const BenchCommand &command) {
  for (const std::string &name : command.peers)
    if (!llvm::is_contained(PeerProcess::names(), name))
      return "--vs \"" + name + "\": there are " +
             llvm::join(PeerProcess::names(), ", ");
  if (!command.peers.empty() && !command.model.binds.empty())
    return "--vs: the other runtimes want the inputs that --bind takes away";
  return "";
}

/// Starts those that the command names; false after an error, which has been
/// reported.
static bool startPeers(Session &session, const BenchCommand &command,
                       const Program &program, ArrayRef<HostTensor> inputs,
                       Peers &peers) {
  const std::string &model =
      command.peerModel.empty() ? command.model.path : command.peerModel;
  if (!command.peers.empty() && !program.states().empty()) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--vs: the program keeps states, which no other runtime does; leave "
        "out --state");
    return false;
  }
  for (const std::string &name : command.peers) {
    peers.push_back(PeerProcess::start(session, name, model, program.inputs(),
                                       inputs, program.threads()));
    if (!peers.back())
      return false;
  }
  return true;
}

/// Writes the picture that the command asks for; false after an error, which
/// has been reported.
static bool drawPeers(Session &session, const BenchCommand &command,
                      const BenchRounds &rounds, const Peers &peers,
                      unsigned threads) {
  if (command.plot.empty())
    return true;
  std::vector<std::string> names{"heddle"};
  for (const std::unique_ptr<PeerProcess> &peer : peers)
    names.push_back(peer->name() + " " + peer->version());
  std::string picture = drawRounds(
      rounds, names,
      (llvm::sys::path::filename(command.model.path) + ": time of a call, " +
       Twine(threads) + (threads == 1 ? " thread" : " threads"))
          .str());
  llvm::Error error =
      writeBytes(command.plot, ArrayRef(picture.data(), picture.size()));
  if (!error)
    return true;
  session.diagnostics.report(ErrorCode::FileUnwritable,
                             command.plot + ": " +
                                 llvm::toString(std::move(error)));
  return false;
}

/// Loads the program twice: once with the weights hashed and moved, which pays
/// when many calls follow, and once as a program starts. Null after an error,
/// which has been reported.
static std::unique_ptr<Program> loadTwice(ProgramOpening &opening,
                                          Findings &found) {
  std::unique_ptr<Program> program =
      opening.load(HEDDLE_VERIFY_WEIGHTS | HEDDLE_WEIGHTS_HUGE);
  if (!program)
    return nullptr;
  found.hashedWeightsNs = program->report().weights_ns;
  program.reset();
  program = opening.load(0);
  if (!program)
    return nullptr;
  found.load = program->report();
  return opening.prepare(*program) ? std::move(program) : nullptr;
}

static int bench(const BenchCommand &command, heddle_group *group) {
  Session session(command.common, command.model.path);
  // Before anything is compiled for nothing.
  if (std::string wrong = wrongPeers(command); !wrong.empty())
    return session.fail(ErrorCode::BadCommandLine, wrong);
  ProgramOpening opening(session, command, group);
  if (!opening.open())
    return session.fail();
  Findings found;
  std::unique_ptr<Program> program = loadTwice(opening, found);
  if (!program)
    return session.fail();
  ArrayRef<HostTensor> inputs = opening.inputs;
  SmallVector<HostTensor> outputs = program->makeOutputs(inputs);
  auto call = [&]() -> std::optional<double> {
    if (!program->rewindStates())
      return std::nullopt;
    Clock::time_point begin = Clock::now();
    if (!program->call(inputs, outputs))
      return std::nullopt;
    return secondsSince(begin);
  };
  uint64_t faults = pageFaults();
  std::optional<double> first = call();
  if (!first)
    return session.fail();
  found.firstCall = *first;
  found.firstCallFaults = pageFaults() - faults;

  Peers peers;
  if (!startPeers(session, command, *program, inputs, peers))
    return session.fail();
  auto rounds = measureRounds(call, peers, command.seconds);
  if (!rounds ||
      !drawPeers(session, command, *rounds, peers, program->threads()))
    return session.fail();
  found.rounds = std::move(*rounds);
  // Processes do not tell their steps.
  if (command.engine != "processes")
    found.kernels = profile(*program, inputs, outputs);

  raw_ostream &os = session.text();
  for (const std::string &line : opening.madeUp)
    os << "made up: " << line << "\n";
  showTimes(os, found, *program, command.threads);
  showPeers(os, found.rounds, peers);
  showKernels(os, found);
  llvm::json::Object all = document(found, *program, command.threads);
  all["made_up"] = llvm::json::Array(opening.madeUp);
  if (!peers.empty()) {
    all["round_calls"] = int64_t(found.rounds.calls);
    all["round_seconds"] = llvm::json::Array(found.rounds.programs[0]);
    all["peers"] = peerDocument(found.rounds, peers);
  }
  return session.finish(std::move(all));
}

int heddle::runBench(const BenchCommand &command) {
  return runLaunched(
      command, [&](heddle_group *group) { return bench(command, group); });
}
