/* Calls an entry of an artifact once, on bytes in files: for machines that an
   emulator stands for. Arguments: the artifact, the name of a variant, a folder
   with in0.bin, in1.bin, ...; writes out0.bin, ... there. */
#include "test/runtime/check.h"

static void *room(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
  if (!memory)
    abort();
  return memory;
}

static void transfer(const char *folder, const char *kind, size_t number,
                     const char *mode, void *data, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s%zu.bin", folder, kind, number);
  FILE *file = fopen(path, mode);
  size_t done = 0;
  if (file) {
    done = *mode == 'r' ? fread(data, 1, bytes, file)
                        : fwrite(data, 1, bytes, file);
    if (fclose(file) != 0)
      done = 0;
  }
  if (!file || done != bytes) {
    fprintf(stderr, "cannot transfer %zu bytes of %s\n", bytes, path);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s ARTIFACT VARIANT FOLDER\n", argv[0]);
    return 1;
  }
  heddle_load_options options = HEDDLE_INIT(options);
  options.variant = argv[2];
  heddle_program *program = NULL;
  OK(heddle_program_load_file(argv[1], &options, &program));
  if (!program)
    return finish();
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  if (!context)
    return finish();
  size_t inputs = heddle_program_input_count(program, 0);
  size_t outputs = heddle_program_output_count(program, 0);
  heddle_tensor *tensors = calloc(inputs + outputs + 1, sizeof(*tensors));
  const heddle_tensor **given = calloc(inputs + outputs + 1, sizeof(*given));
  if (!tensors || !given)
    abort();
  for (size_t i = 0; i < inputs + outputs; ++i) {
    heddle_tensor_info info = HEDDLE_INIT(info);
    if (i < inputs)
      OK(heddle_program_input_info(program, 0, i, &info));
    else
      OK(heddle_program_output_info(program, 0, i - inputs, &info));
    tensors[i] =
        make_tensor(room(info.bytes), info.dtype, info.rank, info.shape);
    tensors[i].bytes = info.bytes;
    given[i] = &tensors[i];
    if (i < inputs)
      transfer(argv[3], "in", i, "rb", tensors[i].data, info.bytes);
  }
  OK(heddle_context_call(context, given, inputs, given + inputs, outputs,
                         NULL));
  for (size_t i = 0; i < outputs; ++i)
    transfer(argv[3], "out", i, "wb", tensors[inputs + i].data,
             tensors[inputs + i].bytes);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  for (size_t i = 0; i < inputs + outputs; ++i)
    free(tensors[i].data);
  free(tensors);
  free(given);
  return finish();
}
