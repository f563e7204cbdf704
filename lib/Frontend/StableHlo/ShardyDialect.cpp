#include "lib/Frontend/StableHlo/ShardyAttributes.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;

namespace {
class ShardyReader : public BytecodeDialectInterface {
public:
  explicit ShardyReader(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    // Byte by byte to the end, which only an error tells.
    ScopedDiagnosticHandler silent(getContext(),
                                   [](Diagnostic &) { return success(); });
    bool byte = false;
    while (succeeded(reader.readBool(byte)))
      ;
    return UnitAttr::get(getContext());
  }
};

class ShardyDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShardyDialect)
  static constexpr StringLiteral getDialectNamespace() { return "sdy"; }

  explicit ShardyDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ShardyDialect>()) {
    addInterfaces<ShardyReader>();
    allowUnknownOperations();
  }
};
} // namespace

void heddle::allowShardyAttributes(MLIRContext &context) {
  context.loadDialect<ShardyDialect>();
}
