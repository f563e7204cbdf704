// Chooses sizes at which a program of ranges is tried.

#include "heddle/Driver/SizePoints.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

SmallVector<SmallVector<int64_t>>
heddle::unequalSizes(ArrayRef<int64_t> least, ArrayRef<int64_t> greatest) {
  SmallVector<SmallVector<int64_t>> points;
  // A size that has no choice is no other than any.
  SmallVector<size_t> open;
  for (size_t i = 0; i < least.size(); ++i)
    if (least[i] != greatest[i])
      open.push_back(i);
  // Numbers of two sizes differ in a bit, which parts them.
  for (unsigned bit = 0; open.size() > size_t(1) << bit; ++bit)
    for (bool whichIsGreatest : {false, true}) {
      SmallVector<int64_t> point(least);
      for (auto [number, size] : enumerate(open))
        if (bool(number >> bit & 1) == whichIsGreatest)
          point[size] = greatest[size];
      points.push_back(std::move(point));
    }
  return points;
}
