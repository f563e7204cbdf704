/* A user of the installed runtime: adds two tensors. */
#include <heddle/runtime.h>
#include <stdio.h>

int main(int argc, char **argv) {
  static float left[1000], right[1000], sum[1000];
  const int64_t shape[] = {10, 100};
  heddle_tensor x = HEDDLE_INIT(x), y, z;
  x.dtype = HEDDLE_F32;
  x.rank = 2;
  x.shape = shape;
  y = z = x;
  x.data = left, y.data = right, z.data = sum;
  const heddle_tensor *inputs[] = {&x, &y}, *output = &z;
  heddle_program *program = NULL;
  heddle_context *context = NULL;
  left[999] = 1, right[999] = 2;
  heddle_status status =
      heddle_program_load_file(argc > 1 ? argv[1] : "", NULL, &program);
  if (!status.code)
    status = heddle_context_create(program, 0, NULL, &context);
  if (!status.code)
    status = heddle_context_call(context, inputs, 2, &output, 1, NULL);
  if (status.code)
    fprintf(stderr, "error[HDL-%04d]: %s\n", status.code, status.message);
  printf("%g\n", sum[999]);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return status.code != 0;
}
