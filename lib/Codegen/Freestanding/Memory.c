/* Copies and fills that LLVM asks for by name. Emitted kernels move their data
   themselves, so these are written to be small. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  unsigned char *out = to;
  const unsigned char *in = from;
  while (size--)
    *out++ = *in++;
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  unsigned char *out = to;
  const unsigned char *in = from;
  if (out <= in)
    return memcpy(to, from, size);
  while (size--)
    out[size] = in[size];
  return to;
}

void *memset(void *to, int byte, size_t size) {
  unsigned char *out = to;
  while (size--)
    *out++ = (unsigned char)byte;
  return to;
}

int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  for (; size; --size, ++a, ++b)
    if (*a != *b)
      return *a < *b ? -1 : 1;
  return 0;
}
