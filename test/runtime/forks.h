/* What tests that fork have in common, in C and C++. */
#ifndef HEDDLE_TEST_RUNTIME_FORKS_H
#define HEDDLE_TEST_RUNTIME_FORKS_H

#include "test/runtime/check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The thread sanitizer does not like a child with threads, but can follow it.
 */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }
#ifdef __cplusplus
}
#endif

/* The emulator of another processor ends where a forked child starts threads:
   who runs tests there sets HEDDLE_TEST_NO_FORK. */
static inline int may_fork(void) { return !getenv("HEDDLE_TEST_NO_FORK"); }

/* What the checks of a child process said is its exit code. */
static inline void await_child(pid_t child) {
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
