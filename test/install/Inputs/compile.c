/* Compiles a model through the installed C interface: from its file, or with
   `memory` from memory; with `cancel` gives up when the second phase begins. */
#include <heddle/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t cancel = 0;
static int phases = 0;

static void on_phase(void *stop_early, const char *name) {
  printf("begins: %s\n", name);
  if (++phases == 2 && stop_early)
    cancel = 1;
}

static void *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *data = malloc(1 << 16);
  *bytes = fread(data, 1, 1 << 16, file);
  fclose(file);
  return data;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const char *how = argc > 3 ? argv[3] : "file";
  heddle_model model = {.size = sizeof model, .path = argv[1]};
  void *data = NULL;
  if (strcmp(how, "memory") == 0) {
    data = read_file(argv[1], &model.bytes);
    model.data = data;
    model.path = "held";
  }
  heddle_compile_options options = {
      .size = sizeof options, .on_phase = on_phase, .cancel = &cancel};
  options.on_phase_data = strcmp(how, "cancel") == 0 ? &options : NULL;
  heddle_compiler *compiler = heddle_compiler_create();
  char *json = NULL;
  heddle_outcome outcome =
      heddle_compiler_compile(compiler, &model, argv[2], &options, &json);
  printf("outcome %d\n%s\n", (int)outcome, json);
  heddle_string_free(json);
  heddle_compiler_destroy(compiler);
  free(data);
  return outcome;
}
