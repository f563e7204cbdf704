// What the processes of a grid send each other, feed and probe; and when all of
// them wait.

#include "Processes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

void ProcessGrid::put(const std::string &key, Values values) {
  std::lock_guard<std::mutex> lock(mutex);
  mailboxes[key].push_back(std::move(values));
  auto waiter = waiting.find(key);
  if (waiter != waiting.end() && waiter->second) {
    --waiter->second;
    --blocked;
  }
  changed.notify_all();
}

std::optional<ProcessGrid::Values> ProcessGrid::take(const std::string &key) {
  std::unique_lock<std::mutex> lock(mutex);
  std::deque<Values> &mail = mailboxes[key];
  if (mail.empty()) {
    ++waiting[key];
    ++blocked;
    checkProgress();
    changed.wait(lock, [&] { return stuck || !mail.empty(); });
    if (mail.empty())
      return std::nullopt;
  }
  Values values = std::move(mail.front());
  mail.pop_front();
  return values;
}

void ProcessGrid::checkProgress() {
  if (blocked < threads)
    return;
  stuck = true;
  changed.notify_all();
}

void ProcessGrid::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  ++threads;
}

void ProcessGrid::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  --threads;
  if (threads)
    checkProgress();
}

func::FuncOp ProcessGrid::nextInfeed() {
  std::lock_guard<std::mutex> lock(mutex);
  if (infeed.empty())
    return {};
  func::FuncOp next = infeed.front();
  infeed.pop_front();
  return next;
}

void ProcessGrid::probe(StringRef id, const HostTensor &value) {
  std::lock_guard<std::mutex> lock(mutex);
  probes[id.str()].push_back(value);
}

HostTensor ProcessGrid::probed(StringRef id, int64_t iteration) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = probes.find(id.str());
  if (found == probes.end() || iteration < 1 ||
      iteration > int64_t(found->second.size()))
    return {};
  return found->second[iteration - 1];
}
