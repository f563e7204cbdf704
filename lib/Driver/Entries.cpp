// Reads and imports the models of several entries, each with what the options
// say of it, and has them joined.

#include "Entries.h"

#include "ModelFile.h"
#include "SharedOptions.h"
#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/Model.h"
#include "heddle/Frontend/EntryJoiner.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

/// Names that kernels and weights get: k0, w12.
static bool isOwnName(StringRef name) {
  return (name.consume_front("k") || name.consume_front("w")) &&
         !name.empty() &&
         name.find_first_not_of("0123456789") == StringRef::npos;
}

std::string heddle::parseEntry(const std::string &text, EntryModel &entry) {
  auto [name, path] = StringRef(text).split('=');
  auto [file, function] = path.rsplit(':');
  entry.name = name.str();
  entry.path = path.str();
  if (!function.empty() && !llvm::sys::fs::exists(path)) {
    entry.path = file.str();
    entry.function = function.str();
  }
  return entry.name.empty() || entry.path.empty()
             ? "\"" + text +
                   "\" is no entry: write NAME=MODEL or NAME=MODEL:FUNCTION"
             : "";
}

/// False after an error, which has been reported.
static bool checkNames(Session &session, ArrayRef<EntryModel> entries) {
  llvm::StringSet<> known;
  for (const EntryModel &entry : entries) {
    std::string wrong;
    if (entry.name.empty())
      wrong = "an entry has no name";
    else if (isOwnName(entry.name))
      wrong = "\"" + entry.name + "\" is a name that heddle gives itself";
    else if (!known.insert(entry.name).second)
      wrong = "two entries are called \"" + entry.name + "\"";
    if (wrong.empty())
      continue;
    session.diagnostics.report(ErrorCode::BadCommandLine, wrong);
    return false;
  }
  return true;
}

/// Whether the options of an entry call a size `name`. Such names are the
/// user's, and mean one size in all entries; a size that is known by its place
/// in an input is the entry's own.
static bool isNamed(const ModelOptions &options, StringRef name) {
  return llvm::any_of(options.dims, [&](StringRef dim) {
    return dim.rsplit('=').first == name;
  });
}

OwningOpRef<ModuleOp> heddle::importEntries(Session &session,
                                            const ModelOptions &options) {
  if (!checkNames(session, options.entries))
    return nullptr;
  std::vector<ModelFile> files;
  SharedOptions shared(options);
  for (const EntryModel &entry : options.entries) {
    ModelOptions one = options;
    one.entries.clear();
    one.path = entry.path;
    one.memory = entry.memory;
    one.function = entry.function;
    session.diagnostics.setFileName(entry.path);
    std::optional<ModelFile> file = ModelFile::read(session, std::move(one));
    if (!file || !shared.addEntry(session, *file))
      return nullptr;
    files.push_back(std::move(*file));
  }
  session.diagnostics.setFileName(options.path);
  if (!shared.check(session))
    return nullptr;
  EntryJoiner joiner;
  for (auto [i, file] : llvm::enumerate(files)) {
    session.diagnostics.setFileName(options.entries[i].path);
    shared.restrict(i, file.options);
    OwningOpRef<ModuleOp> model = file.import(session);
    if (!model || failed(checkSizeAttributes(*model)))
      return nullptr;
    func::FuncOp entry = entryFunction(*model);
    auto isShared = [&, &file = file](StringRef size) {
      return isNamed(file.options, size);
    };
    if (failed(joiner.add(options.entries[i].name, entry, isShared,
                          std::move(model))))
      return nullptr;
  }
  session.diagnostics.setFileName(options.path);
  return joiner.take();
}
