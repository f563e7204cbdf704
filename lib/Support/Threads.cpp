// Threads that the system may refuse to start.
//
// The standard library tells a refusal by an exception, which the rest of the
// compiler is built without: this file alone is built to catch it.

#include "heddle/Support/Threads.h"

#include <system_error>

std::thread heddle::startThread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error &) {
    return {};
  }
}

bool heddle::canStartThread() {
  std::thread thread = startThread([] {});
  if (!thread.joinable())
    return false;
  thread.join();
  return true;
}
