// Which sizes a model wants equal: those that it takes one less of together,
// but not alone.

#include "passes/Dynamic/TiedSizes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

/// The largest sizes, those without a name all the least of them: programs with
/// several bounds may want sizes within all of these.
static SmallVector<int64_t> equalMaxima(ArrayRef<BoundedSymbol> symbols,
                                        unsigned named) {
  SmallVector<int64_t> sizes = maxima(symbols);
  MutableArrayRef<int64_t> nameless =
      MutableArrayRef<int64_t>(sizes).drop_front(named);
  if (!nameless.empty())
    llvm::fill(nameless, *llvm::min_element(nameless));
  return sizes;
}

SmallVector<unsigned>
heddle::findTies(ArrayRef<BoundedSymbol> symbols, unsigned named,
                 function_ref<bool(ArrayRef<int64_t>)> imports) {
  // Sizes that the program takes.
  SmallVector<int64_t> base = maxima(symbols);
  if (equalMaxima(symbols, named) != base && !imports(base))
    base = equalMaxima(symbols, named);
  auto importsWithLess = [&](ArrayRef<unsigned> smaller) {
    SmallVector<int64_t> sizes(base);
    for (unsigned i : smaller)
      --sizes[i];
    return imports(sizes);
  };
  SmallVector<unsigned> leaders(symbols.size());
  SmallVector<unsigned> open;
  for (unsigned i = 0; i < symbols.size(); ++i) {
    leaders[i] = i;
    if (i >= named && !importsWithLess({i}))
      open.push_back(i);
  }
  auto alike = [&](unsigned i, unsigned j) { return base[i] == base[j]; };
  for (size_t a = 0; a < open.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (leaders[open[a]] == open[a] && leaders[open[b]] == open[b] &&
          alike(open[a], open[b]) && importsWithLess({open[b], open[a]}))
        leaders[open[a]] = open[b];
  // More than two that are equal.
  auto isAlone = [&](unsigned i) {
    return count(leaders, i) == 1 && leaders[i] == i;
  };
  SmallVector<unsigned> rest;
  for (unsigned i : open)
    if (isAlone(i))
      rest.push_back(i);
  for (unsigned i : rest)
    if (alike(i, rest.front()))
      leaders[i] = rest.front();
  return leaders;
}
