// The arguments of OpenCL C kernels, as a compiler or a driver tells them, beside the parameters of an entry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/number.h"
#include "pintle/entry.h"

namespace pintle::base {

/// A type of OpenCL C, by its name.
struct OpenClType {
  enum class Kind : std::uint8_t {
    unknown,  ///< A name that the program defines, or void.
    number,   ///< A number, a vector of numbers, or a pointer to them.
    record,   ///< A struct or union.
    image,    ///< An image of two or three dimensions.
    sampler,
    opaque  ///< What no signature can have: another image, an event.
  };
  Kind kind = Kind::unknown;
  Number number;  ///< For Kind::number.
  std::uint32_t components = 1;
  std::uint8_t dimensions = 0;  ///< For Kind::image: 2 or 3; 1 for one over a buffer.
  bool is_pointer = false;
};

/// "const float4*", "unsigned int", "float __attribute__((ext_vector_type(4)))*", "struct item", "image2d_t".
[[nodiscard]] OpenClType parse_opencl_type(std::string_view text);

struct OpenClArgument {
  enum class Space : std::uint8_t { by_value, global, constant, local, untold };
  std::string name;  ///< Empty where it is not told.
  std::string type;  ///< As told; empty where it is not told.
  OpenClType parsed;
  std::uint32_t bytes = 0;  ///< Its size where it is told and the type is no number; 0: not told.
  Space space = Space::by_value;
  bool is_const = false;           ///< A pointer to const.
  bool is_read = false;            ///< The kernel certainly loads from it.
  bool is_written = false;         ///< The kernel certainly stores to it.
  bool may_read = true;            ///< False: the kernel certainly loads nothing from it.
  bool may_write = true;           ///< False: the kernel certainly stores nothing to it.
  std::optional<Access> access{};  ///< An image's, where it is told.
};

/// "global", "by value".
[[nodiscard]] std::string_view name(OpenClArgument::Space space) noexcept;

/// The bytes of the argument that a parameter by value is: OpenCL gives a vector of three the size of one of four.
[[nodiscard]] std::uint32_t opencl_bytes(const Parameter& parameter) noexcept;

/// What of the arguments does not agree with the entry: count, kind, type, access or order; empty where all agrees. The
/// text follows the entry's name. An entry with scratch memory may have one more argument, the last, which is local.
[[nodiscard]] std::optional<std::string> difference(const Entry& entry, std::span<const OpenClArgument> arguments);

}  // namespace pintle::base
