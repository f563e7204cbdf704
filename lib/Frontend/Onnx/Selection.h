// What a vector of booleans keeps: as much as the data says.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_SELECTION_H
#define HEDDLE_LIB_FRONTEND_ONNX_SELECTION_H

#include "Emitter.h"

namespace heddle::onnx {

struct Selection {
  /// The positions of what is kept, in order, and behind them the others.
  mlir::Value positions;
  mlir::Value count; ///< A scalar of 32 bits.

  /// The positions of what is kept, of which there are at most `most`.
  mlir::Value first(Emitter &emit, int64_t most) const;
  /// The same of any number of them.
  mlir::Value kept(Emitter &emit) const;
};

Selection select(Emitter &emit, mlir::Value keep);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_SELECTION_H
