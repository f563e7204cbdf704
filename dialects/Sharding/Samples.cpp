// The text of small programs that show rules.

#include "dialects/Sharding/Samples.h"

#include "llvm/ADT/Twine.h"

using llvm::StringRef;

namespace heddle::sharding {

std::string sample(llvm::ArrayRef<StringRef> arguments, StringRef body,
                   StringRef result) {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < arguments.size(); ++i)
    text += (i ? ", %" : "%") + std::string(1, static_cast<char>('a' + i)) +
            ": " + arguments[i].str();
  return text + ") -> (" + result.str() + ") {\n  " + body.str() +
         "\n  return %r : " + result.str() + "\n}\n";
}

std::string pointwiseSample(StringRef operation, unsigned operands,
                            StringRef element, StringRef resultElement,
                            StringRef attributes) {
  if (resultElement.empty())
    resultElement = element;
  std::string type = ("tensor<4x6x" + element + ">").str();
  std::string result = ("tensor<4x6x" + resultElement + ">").str();
  std::string names, types;
  llvm::SmallVector<StringRef> arguments;
  for (unsigned i = 0; i < operands; ++i) {
    names += (i ? ", %" : "%") + std::string(1, static_cast<char>('a' + i));
    types += (i ? ", " : "") + type;
    arguments.push_back(type);
  }
  return sample(arguments,
                ("%r = \"" + operation + "\"(" + names + ") " + attributes +
                 " : (" + types + ") -> " + result)
                    .str(),
                result);
}

} // namespace heddle::sharding
