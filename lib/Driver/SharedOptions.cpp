// Sorts options that name an input or a dimension by the entries that have it.

#include "SharedOptions.h"

#include "heddle/Support/Suggestion.h"
#include "lib/Driver/BoundedOptions.h"

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

/// The input of an entry that is called `name`; null if there is none.
static const ArgumentDescription *findInput(const ModelNames &names,
                                            StringRef name) {
  for (const ArgumentDescription &input : names.inputs)
    if (llvm::is_contained(input.names, name))
      return &input;
  return nullptr;
}

/// The ranges and sizes that an option of --shape gives `subject`.
static SmallVector<StringRef> sizesIn(StringRef text, StringRef subject) {
  SmallVector<StringRef> sizes;
  text.drop_front(subject.size() + 1).split(sizes, 'x');
  return sizes;
}

/// The size that the model gives a dimension of an input with `rank` of them;
/// none for one that it leaves open.
static std::optional<int64_t> fixedSize(const ArgumentDescription &input,
                                        size_t rank, size_t dimension) {
  if (!input.shape || input.shape->size() != rank ||
      ShapedType::isDynamic((*input.shape)[dimension]))
    return std::nullopt;
  return (*input.shape)[dimension];
}

bool SharedOptions::concerns(const ModelNames &names, StringRef text,
                             StringRef option) const {
  StringRef subject = subjectOf(text, option);
  if (subject.empty())
    return true;
  if (option == kDim)
    return llvm::is_contained(names.dimensions, subject);
  return findInput(names, subject);
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
        for (const ArgumentDescription &input : names.inputs)
          known.push_back(input.names.front());
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
         checkList(session, options.binds, kBind) &&
         llvm::all_of(options.shapes, [&](StringRef text) {
           return checkRanges(session, text);
         });
}

bool SharedOptions::checkRanges(Session &session, StringRef text) const {
  StringRef subject = subjectOf(text, kShape);
  if (subject.empty())
    return true;
  SmallVector<StringRef> sizes = sizesIn(text, subject);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    std::optional<ChosenSize> range = parseSizeRange(size);
    if (!range)
      continue;
    auto fail = [&, i = i, size = size](const Twine &why) {
      session.diagnostics.report(ErrorCode::OnnxShapeOption,
                                 "--shape gives dimension " + Twine(i) +
                                     " of the input '" + subject +
                                     "' the range " + size + ", but " + why);
      return false;
    };
    bool isOpen = false;
    for (auto [names, entry] : llvm::zip_equal(entries, options.entries)) {
      const ArgumentDescription *input = findInput(names, subject);
      if (!input)
        continue;
      std::optional<int64_t> fixed = fixedSize(*input, sizes.size(), i);
      isOpen |= !fixed;
      if (fixed && !range->holds(*fixed))
        return fail("the entry \"" + entry.name + "\" has the size " +
                    Twine(*fixed));
    }
    if (!isOpen)
      return fail("no entry leaves it open");
  }
  return true;
}

std::string SharedOptions::fitted(const ModelNames &names,
                                  StringRef text) const {
  StringRef subject = subjectOf(text, kShape);
  const ArgumentDescription *input =
      subject.empty() ? nullptr : findInput(names, subject);
  if (!input)
    return text.str();
  SmallVector<StringRef> sizes = sizesIn(text, subject);
  std::string result = (subject + "=").str();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> fixed = fixedSize(*input, sizes.size(), i);
    result += i ? "x" : "";
    result +=
        fixed && parseSizeRange(size) ? std::to_string(*fixed) : size.str();
  }
  return result;
}

void SharedOptions::restrict(size_t entry, ModelOptions &one) const {
  auto keep = [&](std::vector<std::string> &texts, StringRef option) {
    llvm::erase_if(texts, [&](const std::string &text) {
      return !concerns(entries[entry], text, option);
    });
  };
  keep(one.shapes, kShape);
  for (std::string &text : one.shapes)
    text = fitted(entries[entry], text);
  keep(one.dims, kDim);
  keep(one.binds, kBind);
}
