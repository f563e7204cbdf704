// Sorts options that name an input or a dimension by the entries that have it.

#include "SharedOptions.h"

#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

static constexpr llvm::StringLiteral kShape = "--shape", kDim = "--dim",
                                     kBind = "--bind";

/// What the option is about; empty if it names nothing, or is malformed, which
/// its reader says.
static StringRef subjectOf(StringRef text, StringRef option) {
  if (!text.contains('='))
    return "";
  // Names of inputs may hold an '=', those of files too.
  return option == kBind ? text.split('=').first : text.rsplit('=').first;
}

bool SharedOptions::concerns(const ModelNames &names, StringRef text,
                             StringRef option) const {
  StringRef subject = subjectOf(text, option);
  if (subject.empty())
    return true;
  if (option == kDim)
    return llvm::is_contained(names.dimensions, subject);
  return llvm::any_of(names.inputs, [&](const auto &input) {
    return llvm::is_contained(input, subject);
  });
}

bool SharedOptions::addEntry(Session &session, const ModelFile &file) {
  std::optional<ModelNames> names = file.names(session);
  if (names)
    entries.push_back(std::move(*names));
  return names.has_value();
}

bool SharedOptions::checkList(Session &session, ArrayRef<std::string> texts,
                              StringRef option) const {
  for (StringRef text : texts) {
    if (llvm::any_of(entries, [&](const ModelNames &names) {
          return concerns(names, text, option);
        }))
      continue;
    StringRef subject = subjectOf(text, option);
    std::vector<std::string> known;
    for (const ModelNames &names : entries) {
      if (option == kDim)
        llvm::append_range(known, names.dimensions);
      else
        for (const auto &input : names.inputs)
          known.push_back(input.front());
    }
    llvm::sort(known);
    known.erase(llvm::unique(known), known.end());
    session.diagnostics.report(
        option == kBind ? ErrorCode::StableHloBind : ErrorCode::OnnxShapeOption,
        option + " names the " + (option == kDim ? "dimension" : "input") +
            " '" + subject + "', which no entry has" + suggest(subject, known));
    return false;
  }
  return true;
}

bool SharedOptions::check(Session &session) const {
  return checkList(session, options.shapes, kShape) &&
         checkList(session, options.dims, kDim) &&
         checkList(session, options.binds, kBind);
}

void SharedOptions::restrict(size_t entry, ModelOptions &one) const {
  auto keep = [&](std::vector<std::string> &texts, StringRef option) {
    llvm::erase_if(texts, [&](const std::string &text) {
      return !concerns(entries[entry], text, option);
    });
  };
  keep(one.shapes, kShape);
  keep(one.dims, kDim);
  keep(one.binds, kBind);
}
