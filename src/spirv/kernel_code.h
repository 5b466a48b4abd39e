// What a kernel's SPIR-V needs of its host: a descriptor for each buffer, image and sampler; scalars as a C struct in
// push constants or in a uniform block; values of specialisation constants; a subgroup size.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spirv/image_type.h"

namespace pintle::spirv {

/// How scalars reach a kernel.
enum class ScalarSource : std::uint8_t { none, push, uniform };

/// What a kernel finds at a binding. `combined`: an image with its sampler; `fetched_texels` and `stored_texels`:
/// Vulkan's uniform and storage texel buffers; `other`: what no signature can declare.
enum class DescriptorKind : std::uint8_t {
  storage_buffer,
  uniform_block,
  storage_image,
  sampled_image,
  sampler,
  combined,
  fetched_texels,
  stored_texels,
  other
};

/// Where a kernel finds a buffer, texels, an image or a sampler.
struct Descriptor {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t element = 0;  ///< The element of an array of them.
  DescriptorKind kind = DescriptorKind::storage_buffer;
  friend auto operator<=>(const Descriptor&, const Descriptor&) = default;
};

/// What the host has to know of what it binds.
struct DescriptorNeeds {
  std::uint32_t unit = 4;   ///< Bytes that the kernel accesses at least: a range is rounded up to a multiple of it.
  std::uint32_t least = 0;  ///< Bytes that a uniform block has.
  std::uint32_t first = 0;  ///< Bytes of a storage buffer up to the end of its first element; 0: not known.
  ImageType image{};        ///< The type of an image, or of texels in a buffer.
};

/// Where the bytes of a scalar, a vector or a struct lie.
struct ScalarPlace {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct KernelInterface {
  std::vector<Descriptor> descriptors;  ///< In the order of the parameters.
  std::vector<DescriptorNeeds> needs;   ///< By descriptor.
  /// Descriptors of images, each with that of the sampler that reads it; an image with its sampler has one of both.
  std::vector<std::pair<std::size_t, std::size_t>> sampled;
  std::vector<ScalarPlace> scalars;  ///< In the order of the parameters that come by value.
  ScalarSource scalar_source = ScalarSource::none;
  Descriptor scalar_block;  ///< For the source `uniform`.
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
  std::uint32_t storage_buffers = none;  ///< A kernel's.
  std::uint32_t uniform_blocks = none;   ///< A kernel's.
  std::uint32_t storage_images = none;   ///< A kernel's; those in buffers count.
  std::uint32_t sampled_images = none;   ///< A kernel's; those with a sampler and those in buffers count.
  std::uint32_t samplers = none;         ///< A kernel's; those with an image count.
  std::uint32_t resources = none;        ///< Buffers and images of a kernel.
  std::uint32_t sets = none;             ///< Sets are numbered below it.
  std::uint32_t bindings = none;         ///< Bindings of a set are numbered below it.
};

/// Where no device's limits are known.
inline constexpr KernelLimits no_limits{KernelLimits::none, KernelLimits::none};

}  // namespace pintle::spirv
