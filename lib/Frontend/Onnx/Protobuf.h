// A checked cursor over one protobuf message. Only for files compiled with
// exceptions: everything here throws ReadError.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_PROTOBUF_H
#define HEDDLE_LIB_FRONTEND_ONNX_PROTOBUF_H

#include "Model.h"

#include <protozero/pbf_reader.hpp>

namespace heddle::onnx {

/// protozero asserts that a getter fits the wire type; a damaged file may not,
/// so each getter checks first.
class Message {
public:
  explicit Message(llvm::StringRef bytes)
      : reader(bytes.data(), bytes.size()) {}

  bool next() { return reader.next(); }
  uint32_t field() const { return reader.tag(); }
  void skip() { reader.skip(); }

  llvm::StringRef bytes() {
    expect(protozero::pbf_wire_type::length_delimited);
    protozero::data_view view = reader.get_view();
    return {view.data(), view.size()};
  }
  int64_t varint() {
    expect(protozero::pbf_wire_type::varint);
    return static_cast<int64_t>(reader.get_uint64());
  }
  float float32() {
    expect(protozero::pbf_wire_type::fixed32);
    return reader.get_float();
  }

  /// Calls `take` with each varint of a repeated field, which writers may pack
  /// or not.
  template <typename Take> void varints(Take take) {
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited)
      return take(varint());
    for (uint64_t value : reader.get_packed_uint64())
      take(static_cast<int64_t>(value));
  }
  template <typename Take> void floats(Take take) {
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited)
      return take(float32());
    for (float value : reader.get_packed_float())
      take(value);
  }
  template <typename Take> void doubles(Take take) {
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) {
      expect(protozero::pbf_wire_type::fixed64);
      return take(reader.get_double());
    }
    for (double value : reader.get_packed_double())
      take(value);
  }

private:
  void expect(protozero::pbf_wire_type type) {
    if (reader.wire_type() != type)
      throw ReadError{ReadError::Malformed,
                      "field " + std::to_string(reader.tag()) +
                          " has another wire type than ONNX defines"};
  }
  protozero::pbf_reader reader;
};

/// Runs `body` and turns what it throws into a value.
template <typename Body> std::optional<ReadError> catchErrors(Body body) {
  try {
    body();
    return std::nullopt;
  } catch (const ReadError &error) {
    return error;
  } catch (const std::exception &error) {
    return ReadError{ReadError::Malformed,
                     std::string("it is cut short or damaged (") +
                         error.what() + ")"};
  }
}

/// Reads a TensorProto; declared here because models and tensor files share it.
void readTensorMessage(llvm::StringRef bytes, Tensor &tensor);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_PROTOBUF_H
