// The table of code generators, by kind of target.

#include "CodeGenerator.h"

#include <deque>

using namespace heddle;

/// Pointers to entries stay good while others are added.
static std::deque<CodeGenerator> &generators() {
  static std::deque<CodeGenerator> table = {cpuCodeGenerator(),
                                            gpuCodeGenerator()};
  return table;
}

void heddle::registerCodeGenerator(CodeGenerator generator) {
  generators().push_back(generator);
}

const CodeGenerator *heddle::findCodeGenerator(const Target &target) {
  for (const CodeGenerator &generator : generators())
    if (generator.kind == target.kind())
      return &generator;
  return nullptr;
}
