/* Compiles a model through the installed C interface. */
#include <heddle/compiler.h>
#include <stdio.h>

int main(int argc, char **argv) {
  char *json = NULL;
  if (argc != 3) return 2;
  heddle_outcome outcome = heddle_compile_file(argv[1], argv[2], NULL, &json);
  printf("outcome %d\n%s\n", (int)outcome, json);
  heddle_string_free(json);
  return outcome;
}
