// Small programs that use each family of plain instructions.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void reduceRows(const float *x, float *y, int columns) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * columns + i];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  extern __shared__ float tile[];
  float *ta = tile, *tb = tile + 16 * 17;
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < k; p += 16) {
    ta[threadIdx.y * 17 + threadIdx.x] = row < m && p + threadIdx.x < k ? a[row * k + p + threadIdx.x] : 0;
    tb[threadIdx.y * 17 + threadIdx.x] = column < n && p + threadIdx.y < k ? b[(p + threadIdx.y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 16; ++q) sum += ta[threadIdx.y * 17 + q] * tb[q * 17 + threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
extern "C" __global__ void histogram(const unsigned *x, unsigned *bins, int n) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i] * 2654435761u >> 26], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
// Lanes that loop for different times, with a switch.
extern "C" __global__ void collatz(const unsigned *x, unsigned *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i]; unsigned count = 0;
  while (v > 1) { if (v & 1) v = 3 * v + 1; else v /= 2; ++count; if (count > 5000) break; }
  steps[i] = count;
}
__device__ __noinline__ float horner(float x, const float *c, int n) {
  float r = 0; for (int i = 0; i < n; ++i) r = r * x + c[i]; return r;
}
__constant__ float kCoefficients[4] = {0.5f, -1.25f, 2.0f, 3.0f};
extern "C" __global__ void polynomial(const float *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float r = horner(x[i], kCoefficients, 4); y[i] = exp((double)r * 0.125) + sinf(x[i]) + erff(x[i]); }
}
extern "C" __global__ void halves(const __half *x, const __nv_bfloat16 *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = __half2float(__hfma(x[i], x[i], __float2half(1.5f))) + __bfloat162float(__hmul(y[i], y[i]));
}
