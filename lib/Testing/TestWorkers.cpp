// A worker reads task numbers from one pipe and writes each answer, behind its
// length, to another. The parent hands out the next task when an answer is
// there, so that long tasks do not hold up the rest.

#include "TestWorkers.h"

#include "llvm/ADT/SmallVector.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using Clock = std::chrono::steady_clock;

static bool readAll(int from, void *to, size_t bytes) {
  char *next = static_cast<char *>(to);
  while (bytes) {
    ssize_t got = read(from, next, bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    next += got;
    bytes -= size_t(got);
  }
  return true;
}

static bool writeAll(int to, const void *from, size_t bytes) {
  const char *next = static_cast<const char *>(from);
  while (bytes) {
    ssize_t put = write(to, next, bytes);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    next += put;
    bytes -= size_t(put);
  }
  return true;
}

[[noreturn]] static void serve(int tasks, int answers, pid_t parent,
                               llvm::function_ref<std::string(size_t)> work) {
  // The parent says what a death means; its own report would be about itself.
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  size_t task;
  while (readAll(tasks, &task, sizeof task)) {
    std::string answer = work(task);
    uint64_t size = answer.size();
    if (!writeAll(answers, &size, sizeof size) ||
        !writeAll(answers, answer.data(), size))
      break;
  }
  // No destructors: they belong to the parent.
  _exit(0);
}

namespace {
struct Worker {
  pid_t process = -1;
  int tasks = -1, answers = -1;
  bool busy = false;
  size_t task = 0;
  Clock::time_point started;
};

class Pool {
public:
  Pool(size_t count, double seconds,
       llvm::function_ref<std::string(size_t)> work,
       llvm::function_ref<void(size_t, llvm::StringRef)> done,
       llvm::function_ref<void(size_t, std::string)> died)
      : count(count), seconds(seconds), work(work), done(done), died(died) {}

  void run(unsigned jobs);

private:
  bool start(Worker &worker);
  void stop(Worker &worker, bool kill);
  /// Gives the worker its next task, or lets it go.
  void feed(Worker &worker);
  void collect(Worker &worker);
  void bury(Worker &worker, bool overdue);

  size_t count, next = 0;
  double seconds;
  llvm::function_ref<std::string(size_t)> work;
  llvm::function_ref<void(size_t, llvm::StringRef)> done;
  llvm::function_ref<void(size_t, std::string)> died;
  llvm::SmallVector<Worker, 4> workers;
};
} // namespace

bool Pool::start(Worker &worker) {
  int tasks[2], answers[2];
  if (pipe(tasks) != 0)
    return false;
  if (pipe(answers) != 0) {
    close(tasks[0]);
    close(tasks[1]);
    return false;
  }
  // What is buffered would be printed by both.
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t process = fork();
  if (process == 0) {
    for (const Worker &other : workers)
      for (int file : {other.tasks, other.answers})
        if (file >= 0)
          close(file);
    close(tasks[1]);
    close(answers[0]);
    serve(tasks[0], answers[1], parent, work);
  }
  close(tasks[0]);
  close(answers[1]);
  if (process < 0) {
    close(tasks[1]);
    close(answers[0]);
    return false;
  }
  worker.process = process;
  worker.tasks = tasks[1];
  worker.answers = answers[0];
  return true;
}

void Pool::stop(Worker &worker, bool kill) {
  close(worker.tasks);
  close(worker.answers);
  if (kill)
    ::kill(worker.process, SIGKILL);
  waitpid(worker.process, nullptr, 0);
  worker = Worker();
}

void Pool::feed(Worker &worker) {
  if (next == count) {
    stop(worker, /*kill=*/false);
    return;
  }
  if (worker.process < 0 && !start(worker)) {
    died(next++,
         std::string("no process can be started: ") + std::strerror(errno));
    return;
  }
  worker.task = next++;
  worker.busy = true;
  worker.started = Clock::now();
  if (!writeAll(worker.tasks, &worker.task, sizeof worker.task))
    bury(worker, /*overdue=*/false);
}

void Pool::bury(Worker &worker, bool overdue) {
  size_t task = worker.task;
  if (overdue)
    ::kill(worker.process, SIGKILL);
  int status = 0;
  waitpid(worker.process, &status, 0);
  close(worker.tasks);
  close(worker.answers);
  worker = Worker();
  char why[96];
  if (overdue)
    std::snprintf(why, sizeof why, "took more than %g seconds", seconds);
  else if (WIFSIGNALED(status))
    std::snprintf(why, sizeof why,
                  "heddle died of signal %d (%s); this is a fault of heddle's",
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    std::snprintf(why, sizeof why, "its process ended with exit code %d",
                  WEXITSTATUS(status));
  died(task, why);
}

void Pool::collect(Worker &worker) {
  uint64_t size;
  std::string answer;
  bool whole = readAll(worker.answers, &size, sizeof size);
  if (whole) {
    answer.resize(size);
    whole = readAll(worker.answers, answer.data(), size);
  }
  if (!whole)
    return bury(worker, /*overdue=*/false);
  worker.busy = false;
  done(worker.task, answer);
}

void Pool::run(unsigned jobs) {
  workers.resize(jobs);
  while (true) {
    bool busy = false;
    for (Worker &worker : workers) {
      while (!worker.busy && next < count)
        feed(worker);
      if (!worker.busy && worker.process >= 0)
        feed(worker);
      busy |= worker.busy;
    }
    if (!busy)
      return;
    llvm::SmallVector<pollfd, 4> files;
    llvm::SmallVector<Worker *, 4> waiting;
    int milliseconds = -1;
    for (Worker &worker : workers) {
      if (!worker.busy)
        continue;
      files.push_back({worker.answers, POLLIN, 0});
      waiting.push_back(&worker);
      if (seconds > 0) {
        double left = seconds - std::chrono::duration<double>(Clock::now() -
                                                              worker.started)
                                    .count();
        int bound = left <= 0 ? 0 : int(left * 1000) + 1;
        milliseconds = milliseconds < 0 ? bound : std::min(milliseconds, bound);
      }
    }
    poll(files.data(), files.size(), milliseconds);
    for (size_t i = 0; i < files.size(); ++i) {
      Worker &worker = *waiting[i];
      if (files[i].revents)
        collect(worker);
      else if (seconds > 0 &&
               std::chrono::duration<double>(Clock::now() - worker.started)
                       .count() > seconds)
        bury(worker, /*overdue=*/true);
    }
  }
}

void heddle::runInProcesses(
    size_t count, unsigned jobs, double seconds,
    llvm::function_ref<std::string(size_t)> work,
    llvm::function_ref<void(size_t, llvm::StringRef)> done,
    llvm::function_ref<void(size_t, std::string)> died) {
  // A worker that dies while a task is written to it must not end us.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  Pool(count, seconds, work, done, died).run(std::max(jobs, 1u));
  sigaction(SIGPIPE, &before, nullptr);
}
