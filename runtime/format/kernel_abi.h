/* The one interface between generated code and whoever runs it (version 1).

   A kernel is `void kernel(const heddle_kernel_args *args)`, C calling
   convention of the platform. It computes the tiles [tile_begin, tile_end) of
   its grid and nothing else. It may be called from several threads at once with
   disjoint ranges. It calls nothing outside its own image, allocates nothing,
   has no writable globals, never unwinds, uses at most 16 KiB of stack, and
   expects the default floating-point environment (round to nearest, no flush to
   zero). */
/* Kernels of devices with grids of threads (CUDA) take one parameter, by value:
   a block of bytes that holds what `buffers` points to and then what `integers`
   points to, 8 bytes each. Threads number x of all blocks go through the tiles
   together, each taking every tile that lies as many behind its last as there
   are threads in the grid; a launch has at most as many blocks as it has tiles
   for. */
#ifndef HEDDLE_KERNEL_ABI_H
#define HEDDLE_KERNEL_ABI_H

#include <stdint.h>

#define HEDDLE_KERNEL_ABI_VERSION 1u

/* Weights, buffers of the arena and scratch start at multiples of this many
   bytes; the caller's tensors at what the manifest asks of them (at least their
   element's size). */
#define HEDDLE_KERNEL_ALIGNMENT 64u

typedef struct heddle_kernel_args {
  void *const *buffers;    /* inputs in order, then outputs */
  const int64_t *integers; /* extents, strides, scalars (their bits, zeros above
                              them): what the kernel was compiled to expect */
  void *scratch;  /* this worker's own memory, as many bytes as the kernel
                     declares; contents undefined */
  int64_t worker; /* 0 <= worker < number of workers: no two run at once with
                     the same */
  int64_t tile_begin;
  int64_t tile_end;
  uint32_t version; /* HEDDLE_KERNEL_ABI_VERSION; later versions only add fields
                       after this one */
} heddle_kernel_args;

typedef void (*heddle_kernel)(const heddle_kernel_args *args);

#endif /* HEDDLE_KERNEL_ABI_H */
