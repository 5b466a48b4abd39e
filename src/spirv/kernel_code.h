// What a kernel's SPIR-V needs of its host: a place for each buffer; scalars as a C struct in push constants or in a
// uniform block; values of specialisation constants; a subgroup size.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pintle::spirv {

/// How scalars reach a kernel.
enum class ScalarSource : std::uint8_t { none, push, uniform };

/// Where a kernel finds a buffer.
struct BufferPlace {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t element = 0;  ///< Of an array of buffers.
  bool is_uniform = false;    ///< A uniform block, else a storage buffer.
  friend auto operator<=>(const BufferPlace&, const BufferPlace&) = default;
};

/// What the host has to know of a buffer beside its place.
struct BufferBlock {
  std::uint32_t unit = 4;   ///< Bytes that the kernel accesses at least: a range is rounded up to a multiple of it.
  std::uint32_t least = 0;  ///< Bytes that a uniform block has.
};

/// Where the bytes of a scalar, a vector or a struct lie.
struct ScalarPlace {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct KernelInterface {
  std::vector<BufferPlace> buffers;  ///< In the order of the parameters.
  std::vector<BufferBlock> blocks;   ///< By buffer.
  std::vector<ScalarPlace> scalars;  ///< In the order of the parameters that come by value.
  ScalarSource scalar_source = ScalarSource::none;
  BufferPlace scalar_block;  ///< Of the source `uniform`.
  std::uint32_t scalar_bytes = 0;
};

/// Values of specialisation constants, one behind the other. An id has one value.
struct Specialization {
  struct Value {
    std::uint32_t spec_id = 0;
    std::uint32_t offset = 0;
    std::size_t size = 0;
    std::string name{};  ///< The constant's; empty for a side of a group.
  };
  std::vector<Value> values;
  std::vector<std::byte> data;
};

/// One entry of an image with the code that serves it.
struct KernelCode {
  std::string text;  ///< "Entry "x" of [Program "y"]", for messages.
  std::vector<std::byte> code;
  std::string entry_point;
  KernelInterface interface;
  Specialization specialization;
  std::uint32_t subgroup_size = 0;  ///< 0: any.
  std::uint32_t group_x = 1;        ///< Items of a group in the first dimension.
};

/// Limits of a device that a module is compared with.
struct KernelLimits {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t push_bytes = 0;          ///< Bytes of push constants.
  std::uint32_t shared_bytes = 0;        ///< Bytes that the items of a work-group share.
  std::uint32_t uniform_bytes = none;    ///< Bytes of a uniform block.
  std::uint32_t storage_buffers = none;  ///< Of a kernel.
  std::uint32_t uniform_blocks = none;   ///< Of a kernel.
  std::uint32_t sets = none;             ///< Sets are numbered below it.
  std::uint32_t bindings = none;         ///< Bindings of a set are numbered below it.
};

}  // namespace pintle::spirv
