// Reads rules of precision; the text is taken for hostile.

#include "Policy.h"

#include "heddle/Support/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace heddle;

/// No model has as many names; and what an error quotes of a line.
static constexpr size_t kMostRules = 10000, kMostLineBytes = 4096,
                        kMostQuoted = 60;

static llvm::Error wrong(unsigned line, const llvm::Twine &what) {
  return llvm::createStringError("line " + llvm::Twine(line) + ": " + what);
}

/// A part of the file as it may be printed.
static std::string quoted(llvm::StringRef text) {
  std::string shown;
  llvm::raw_string_ostream os(shown);
  os << "'";
  llvm::printEscapedString(text.take_front(kMostQuoted), os);
  os << (text.size() > kMostQuoted ? "...'" : "'");
  return shown;
}

/// The last word of `text`, which is left without it and the spaces around.
static llvm::StringRef takeLastWord(llvm::StringRef &text) {
  size_t space = text.find_last_of(" \t");
  llvm::StringRef word =
      space == llvm::StringRef::npos ? text : text.drop_front(space + 1);
  text = text.drop_back(word.size()).rtrim();
  return word;
}

llvm::Expected<PrecisionPolicy> PrecisionPolicy::parse(llvm::StringRef text) {
  PrecisionPolicy policy;
  unsigned number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    if (line.size() > kMostLineBytes)
      return wrong(number, llvm::Twine(line.size()) + " bytes in a line; " +
                               llvm::Twine(kMostLineBytes) + " are taken");
    if (!llvm::json::isUTF8(line) || line.contains('\0'))
      return wrong(number, quoted(line) + " is no text in UTF-8");
    if (policy.list.size() == kMostRules)
      return wrong(number, "more than " + llvm::Twine(kMostRules) + " rules");
    llvm::StringRef pattern = line, last = takeLastWord(pattern);
    bool isPinned = last == "pin";
    llvm::StringRef type = isPinned ? takeLastWord(pattern) : last;
    if (type != kAnyFactorType && !llvm::is_contained(kFactorTypes, type))
      return wrong(number, quoted(type) +
                               " is no type; PATTERN TYPE or "
                               "PATTERN TYPE pin is wanted, where TYPE is " +
                               alternatives(kFactorTypes, kAnyFactorType));
    if (pattern.empty())
      return wrong(number, "there is no pattern before " + quoted(type) +
                               "; PATTERN TYPE is wanted, as in * bf16");
    if (isPinned && type == kAnyFactorType)
      return wrong(number, "auto leaves the choice open and cannot be pinned");
    policy.list.push_back(
        {number, pattern.str(), NamePattern(pattern), type.str(), isPinned});
  }
  return policy;
}

const PrecisionPolicy::Rule *
PrecisionPolicy::ruleFor(llvm::ArrayRef<std::string> names) const {
  for (const Rule &rule : list)
    for (const std::string &name : names)
      if (rule.pattern.matches(name))
        return &rule;
  return nullptr;
}
