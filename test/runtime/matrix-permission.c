/* Matrix registers are a feature where the system keeps them for the process,
   which it refuses while a thread's alternate signal stack is too small for
   them; where it does, threads that are there already may use them, too. */
/*
RUN: %heddle_build/test/runtime/runtime-matrix-permission
*/
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>

enum { small_stack = 4096 };

#if defined(__x86_64__)
/* Configures the registers and gives them back: without permission the system
   ends the process. */
static void use_registers(void) {
  unsigned char configuration[64] = {1};
  configuration[16] = 64;
  configuration[48] = 16;
  __asm__ volatile("ldtilecfg %0" ::"m"(configuration));
  __asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0"); /* tilezero %tmm0 */
  __asm__ volatile("tilerelease");
}
#else
static void use_registers(void) {}
#endif

static pthread_barrier_t asked;

static void *use_later(void *had) {
  pthread_barrier_wait(&asked);
  if (*(const int *)had)
    use_registers();
  return NULL;
}

static int has_small_stack_refused(int is_set) {
  static char memory[small_stack];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  if (!is_set)
    stack.ss_flags = SS_DISABLE;
  return sigaltstack(&stack, NULL) != 0;
}

int main(void) {
  pthread_barrier_init(&asked, NULL, 2);
  int has = 0;
  pthread_t before;
  CHECK(pthread_create(&before, NULL, use_later, &has) == 0);

  /* Before anything is allowed: what is refused may be asked for again. */
  CHECK(!has_small_stack_refused(1));
  CHECK(!heddle_cpu_has("amx-tile") && !heddle_cpu_has("amx_int8") &&
        !heddle_cpu_has("amx-bf16"));
  CHECK(!has_small_stack_refused(0));
  has = heddle_cpu_has("amx-tile");
  CHECK(heddle_cpu_has("amx-tile") == has);
  pthread_barrier_wait(&asked);
  CHECK(pthread_join(before, NULL) == 0);
  if (has) {
    use_registers();
    /* From now on the system wants larger ones. */
    CHECK(has_small_stack_refused(1));
  }
  printf("matrix registers: %s\n", has ? "kept" : "none");
  return failures != 0;
}
