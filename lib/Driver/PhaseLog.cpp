// Names, times and memory of the phases of a command.

#include "heddle/Driver/PhaseLog.h"
#include "heddle/Support/Threads.h"

#include "llvm/Support/Format.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle;

uint64_t heddle::ownMemoryBytes() {
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0)
    return 0;
  text[size] = 0;
  uint64_t total = 0;
  for (const char *field : {"RssAnon:", "RssShmem:"})
    if (const char *line = std::strstr(text, field))
      total += std::strtoull(line + std::strlen(field), nullptr, 10) * 1024;
  return total;
}

std::string heddle::formatBytes(uint64_t bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = double(bytes);
  unsigned unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (unit == 0)
    os << bytes << " B";
  else
    os << llvm::format("%.1f ", amount) << units[unit];
  return text;
}

PhaseLog::PhaseLog(llvm::raw_ostream *lines, bool showProgress)
    : lines(lines), showProgress(showProgress),
      watcher(startThread([this] { watch(); })) {}

PhaseLog::~PhaseLog() {
  end();
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  // Not after its next look at the memory: that is as long as a small program
  // takes to compile.
  stopped.notify_one();
  // Without it a phase's peak is what the process has at its two ends.
  if (watcher.joinable())
    watcher.join();
}

void PhaseLog::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  do {
    uint64_t now = ownMemoryBytes();
    if (now > phasePeak)
      phasePeak = now;
  } while (!stopped.wait_for(lock, std::chrono::milliseconds(5),
                             [&] { return stop; }));
}

void PhaseLog::begin(llvm::StringRef name) {
  end();
  phases.push_back({prefix + name.str()});
  if (onBegin)
    onBegin(phases.back().name.c_str());
  phasePeak = ownMemoryBytes();
  started = std::chrono::steady_clock::now();
  running = true;
  if (showProgress)
    llvm::errs() << "\r\033[K" << phases.back().name << " ...";
}

void PhaseLog::progress(const llvm::Twine &text) {
  if (running && showProgress)
    llvm::errs() << "\r\033[K" << phases.back().name << " ... " << text;
}

void PhaseLog::end() {
  if (!running)
    return;
  running = false;
  Phase &phase = phases.back();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - started;
  phase.seconds = seconds.count();
  phase.peakBytes = std::max<uint64_t>(phasePeak, ownMemoryBytes());
  peak = std::max(peak, phase.peakBytes);
  if (showProgress)
    llvm::errs() << "\r\033[K";
  if (lines) {
    *lines << llvm::format("%-20s %8.2f s  %12s\n", phase.name.c_str(),
                           phase.seconds, formatBytes(phase.peakBytes).c_str());
    lines->flush();
  }
}

double PhaseLog::totalSeconds() const {
  double total = 0;
  for (const Phase &phase : phases)
    total += phase.seconds;
  return total;
}

llvm::json::Array PhaseLog::toJson() const {
  llvm::json::Array array;
  for (const Phase &phase : phases)
    array.push_back(
        llvm::json::Object{{"phase", phase.name},
                           {"seconds", phase.seconds},
                           {"peak_bytes", int64_t(phase.peakBytes)}});
  return array;
}
