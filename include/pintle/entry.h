// Entry points of programs: their parameters and work-group size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/access.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/grid.h"
#include "pintle/texel.h"

namespace pintle {

/// A number or a vector in a struct that a kernel takes by value.
struct Member {
  std::string name;
  DType dtype = DType::f32;
  std::uint32_t lanes = 1;   ///< 1 for a number; 2, 3, 4, 8 or 16 for a vector.
  std::uint32_t offset = 0;  ///< Bytes from the beginning of the struct.
  friend bool operator==(const Member&, const Member&) = default;
};

/// One side of a buffer's shape: a number, or the value of an integer scalar of the same entry.
struct Side {
  std::uint64_t size = 0;
  std::string scalar;  ///< Empty: `size` is the side.
  friend bool operator==(const Side&, const Side&) = default;
};

/// One parameter of an entry point.
struct Parameter {
  enum class Kind : std::uint8_t {
    buffer = 1,
    scalar = 2,
    value = 3,  ///< A vector, a struct, or bytes of a size, by value.
    local = 4,  ///< Scratch memory of a group, sized at the launch.
    image = 5,
    sampler = 6,
    texel_buffer = 7,  ///< A buffer whose elements a kernel reads and writes as texels.
  };
  std::string name;
  Kind kind = Kind::buffer;
  DType dtype = DType::f32;       ///< A struct and plain bytes have u8.
  Access access = Access::read;   ///< How the kernel uses buffers, images and texels; values are always read.
  std::uint32_t alignment = 1;    ///< Bytes: what a buffer's offset is a multiple of, or where a value may lie.
  std::uint32_t bytes = 0;        ///< The size of a value; a vector of three has three numbers.
  std::uint32_t lanes = 1;        ///< A vector by value has 2, 3, 4, 8 or 16.
  std::vector<Member> members{};  ///< Those of a struct by value, by offset; empty where only its size is declared.
  std::vector<Side> shape{};      ///< A buffer's, outermost first; empty: any number of elements.
  std::uint8_t dimensions = 0;    ///< An image has 2 or 3.
  bool is_sampled = false;        ///< An image comes with its sampler.
  std::optional<Texel> texel{};   ///< An image's or a texel buffer's; empty: any.
  bool is_optional = false;       ///< A launch may give no buffer, and the kernel then gets a null pointer.
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// One entry point of a program.
struct Entry {
  static constexpr std::size_t max_parameters = 256;
  static constexpr std::uint32_t max_value_bytes = 4096;
  std::string name;
  std::vector<Parameter> parameters;
  Grid group_size;                ///< Work-items of one work-group.
  std::uint32_t local_bytes = 0;  ///< Bytes of scratch memory that the items of one work-group share.
  /// Constants that decide the sides of a group when the program is loaded; empty for a side that is fixed. The sides
  /// of `group_size` are their defaults, and in a loaded program their values.
  std::array<std::string, 3> group_constants{};
  std::uint32_t subgroup_size = 0;  ///< Work-items of one subgroup, where the kernel needs a certain number; else 0.
  friend bool operator==(const Entry&, const Entry&) = default;

  /// Reads a signature: `saxpy(a: f32, x: read f32[n], y: read_write f32[n] align 16, n: u32) group 256`.
  /// docs/signatures.md is its grammar: buffers with shapes, scalars, vectors and structs by value, local memory;
  /// groups, subgroups and scratch memory. At most `max_parameters` parameters. `invalid_argument` names the column.
  [[nodiscard]] static Result<Entry> parse(std::string_view signature);
  /// The signature that `parse` reads back; empty where host memory runs out.
  [[nodiscard]] std::string signature() const noexcept;
};

}  // namespace pintle
