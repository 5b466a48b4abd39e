// Entry points of programs: their parameters and work-group size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/access.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/grid.h"

namespace pintle {

/// One parameter of an entry point.
struct Parameter {
  enum class Kind : std::uint8_t { buffer = 1, scalar = 2 };
  std::string name;
  Kind kind = Kind::buffer;
  DType dtype = DType::f32;
  Access access = Access::read;  ///< How the kernel uses a buffer; a scalar is always read.
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// One entry point of a program.
struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
  Grid group_size;                ///< Work-items of one work-group.
  std::uint32_t local_bytes = 0;  ///< Bytes of scratch memory that the items of one work-group share.
  friend bool operator==(const Entry&, const Entry&) = default;

  /// Reads a signature: `saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256`. A scalar is a dtype; a
  /// buffer is an access, a dtype and "[]". A group may have three sizes (`group 16,16,1`), and scratch memory is given
  /// in bytes (`local 1024`). At most 256 parameters. `invalid_argument` names the column.
  [[nodiscard]] static Result<Entry> parse(std::string_view signature);
  /// The signature that `parse` reads back; empty where host memory runs out.
  [[nodiscard]] std::string signature() const noexcept;
};

}  // namespace pintle
