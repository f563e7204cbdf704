// Threads that the system may refuse to start.

#ifndef HEDDLE_SUPPORT_THREADS_H
#define HEDDLE_SUPPORT_THREADS_H

#include <functional>
#include <thread>

namespace heddle {

/// Starts a thread that does `work`. Where the system refuses it (a limit on
/// processes or memory), the result is not joinable and nothing was done.
std::thread startThread(std::function<void()> work);

/// Whether the system starts a thread now.
bool canStartThread();

} // namespace heddle

#endif // HEDDLE_SUPPORT_THREADS_H
