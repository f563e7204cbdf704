// The first process of a group does what its command says; the others load the
// same program and take part in its calls.

#include "LaunchedCommand.h"

#include "ProgramOpening.h"

#include "heddle/Driver/ArtifactQueries.h"
#include "runtime/format/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace heddle;

/// How long a rank that cannot go on lets the first say so and end the job.
static constexpr uint64_t patienceNs = 5000000000;

/// The first error that was reported, as others are told of it.
static heddle_status firstError(Session &session) {
  heddle_status status{};
  status.code = int32_t(
      session.diagnostics.firstError().value_or(ErrorCode::InternalError));
  llvm::StringRef message = session.diagnostics.firstMessage();
  llvm::copy(message.take_front(sizeof status.message - 1), status.message);
  return status;
}

/// What a process does that is not the first, until that needs it no more.
static bool serve(const CallCommand &command, heddle_group *group,
                  Session &session) {
  ProgramOpening opening(session, command, group);
  std::unique_ptr<Program> program;
  if (opening.open())
    program = opening.load(HEDDLE_VERIFY_WEIGHTS);
  if (program)
    return program->serve(command.threads, group);
  // The first process learns it where it makes its ranks.
  heddle_status own = firstError(session);
  heddle_group_agree(group, &own);
  return false;
}

/// How long a launcher may take to read what a process says at its end.
static constexpr std::chrono::milliseconds readingTime(500);

/// Ends all processes of the group. It lets the launcher read first what this
/// process has said: that of MPICH drops what it has not read when one aborts.
[[noreturn]] static void abortGroup(heddle_group *group, int code) {
  llvm::outs().flush();
  auto end = std::chrono::steady_clock::now() + readingTime;
  for (int file : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status;
    int unread = 0;
    if (fstat(file, &status) || !S_ISFIFO(status.st_mode))
      continue;
    while (!ioctl(file, FIONREAD, &unread) && unread &&
           std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  heddle_group_abort(group, code);
  llvm_unreachable("the group's end is the process's");
}

static int serveLaunched(const CallCommand &command, heddle_group *group) {
  std::string said;
  llvm::raw_string_ostream errors(said);
  CommonOptions silent = command.common;
  silent.json = false;
  silent.quiet = true;
  int code = 0;
  {
    Session session(silent, command.model.path, errors);
    if (!serve(command, group, session))
      code = session.fail();
  }
  if (!code)
    return 0;
  // The first process has been told, and says it, unless it is there no more.
  heddle_group_await_abort(group, patienceNs);
  llvm::errs() << said;
  abortGroup(group, code);
}

/// What a command line says that cannot be; empty: nothing.
static std::string findContradiction(const CallCommand &command) {
  if (command.engine != "mpi" && !command.mpiLibrary.empty())
    return "--mpi-library is for --engine mpi alone";
  bool saysWho = command.rank || !command.rendezvous.empty() ||
                 !command.secretFile.empty();
  if (command.engine != "tcp" && saysWho)
    return "--rank, --rendezvous and --secret-file are for --engine tcp alone";
  if (command.rank && !command.ranks)
    return "--rank wants --devices, which says how many processes there are";
  if (command.rank && *command.rank >= command.ranks)
    return "--rank is " + std::to_string(*command.rank) +
           ", and should be a number from 0 to " +
           std::to_string(command.ranks - 1) + " (--devices " +
           std::to_string(command.ranks) + ")";
  return {};
}

static const char *orNull(const std::string &text) {
  return text.empty() ? nullptr : text.c_str();
}

int heddle::runLaunched(const CallCommand &command,
                        llvm::function_ref<int(heddle_group *group)> call) {
  std::string wrong = findContradiction(command);
  if (!wrong.empty())
    return reportUsage(command.common, wrong);
  if (command.engine != "mpi" && command.engine != "tcp")
    return call(nullptr);
  heddle_group_options options{};
  options.size = sizeof options;
  options.engine = command.engine.c_str();
  options.library = orNull(command.mpiLibrary);
  options.rendezvous = orNull(command.rendezvous);
  options.secret_file = orNull(command.secretFile);
  if (command.rank) {
    options.rank = *command.rank;
    options.count = command.ranks;
  }
  heddle_group *group = nullptr;
  heddle_status joined = heddle_group_join(&options, &group);
  if (joined.code) {
    Session session(command.common, command.model.path);
    return session.fail(
        toErrorCode(format::Error(heddle_code(joined.code), "")),
        joined.message);
  }
  int code =
      heddle_group_rank(group) ? serveLaunched(command, group) : call(group);
  if (code)
    abortGroup(group, code);
  heddle_group_leave(group);
  return code;
}
