// The plan dialect's enumerations, in a file of their own: a generator of
// enumerations emits those of included files, too.

#ifndef HEDDLE_DIALECTS_PLAN_PLANENUMS_TD
#define HEDDLE_DIALECTS_PLAN_PLANENUMS_TD

include "mlir/IR/EnumAttr.td"

def Plan_BufferKind : I32EnumAttr<"BufferKind", "where a buffer lives", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Weight", 2, "weight">, I32EnumAttrCase<"Arena", 3, "arena">,
    I32EnumAttrCase<"Persistent", 4, "persistent">, I32EnumAttrCase<"State", 5, "state">]> {
  let cppNamespace = "::heddle::plan";
  let genSpecializedAttr = 0;
}

def Plan_MemorySpace : I32EnumAttr<"MemorySpace", "which memory of a device", [
    I32EnumAttrCase<"Host", 0, "host">, I32EnumAttrCase<"Device", 1, "device">,
    I32EnumAttrCase<"Pinned", 2, "pinned">, I32EnumAttrCase<"Managed", 3, "managed">]> {
  let cppNamespace = "::heddle::plan";
  let genSpecializedAttr = 0;
}

#endif // HEDDLE_DIALECTS_PLAN_PLANENUMS_TD
