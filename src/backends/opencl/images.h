// Images and samplers as OpenCL has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// `unsupported` for an image that comes with its sampler, which OpenCL C has as two parameters, and for more images or
/// samplers than a kernel may have.
[[nodiscard]] Result<void> check_images(const Entry& entry, const FoundDevice& found);

/// Images of a context and what goes with them. Thread-safe.
class Images {
 public:
  /// With `stay`, images over a buffer are released with the buffer and not before: the driver may still launch with
  /// them.
  Images(cl_context context, bool stay) noexcept : context_(context), stay_(stay) {}

  [[nodiscard]] Result<Owned<cl_mem>> create(const backend::MemoryRequest& request) const;
  /// The bytes from the start of a buffer, or of a sub-buffer, as texels: an image of one dimension.
  [[nodiscard]] Result<Owned<cl_mem>> over(cl_mem buffer, std::uint64_t size, Texel texel, Access access) const;
  /// An image of one texel, made once: what a kernel is given where there is no other. An image of one dimension lies
  /// over a buffer.
  [[nodiscard]] Result<cl_mem> stand_in(std::uint32_t dimensions);
  [[nodiscard]] bool stay() const noexcept { return stay_; }
  /// A sampler of these values, made once.
  [[nodiscard]] Result<cl_sampler> sampler(const Sampler& sampler);

 private:
  [[nodiscard]] Result<Owned<cl_mem>> make_stand_in(std::uint32_t dimensions);

  using Key = std::tuple<Filter, Address, Coordinates>;

  const cl_context context_;
  const bool stay_;
  std::mutex mutex_;
  Owned<cl_mem> under_;  // the first stand-in, and goes after it: not every driver keeps a buffer for its images
  std::array<Owned<cl_mem>, 3> stand_ins_;  // of one, two and three dimensions
  std::map<Key, Owned<cl_sampler>> samplers_;
};

/// Texels that lie in a buffer without gaps.
struct ImageBlock {
  std::uint64_t offset = 0;  ///< Bytes in the buffer, from where the transfer begins.
  std::array<std::size_t, 3> origin{};
  std::array<std::size_t, 3> region{};
  bool is_last = false;
};

/// OpenCL's copies know no gaps: a part with gaps between its rows is copied by rows, one with gaps between its slices
/// by slices, and any other at once.
template <class Copy>
[[nodiscard]] Result<void> for_each_block(const backend::ImageTransfer& transfer, Copy copy) {
  const ImagePart& part = transfer.part;
  const std::uint64_t row = std::uint64_t{part.extent.width} * bytes_of(transfer.texel);
  const std::uint32_t height = part.extent.height, depth = part.extent.slices();
  const bool rows_touch = height == 1 || part.row_bytes == row;
  const bool slices_touch = rows_touch && (depth == 1 || part.slice_bytes == row * height);
  const std::uint32_t rows = rows_touch ? height : 1, slices = slices_touch ? depth : 1;
  for (std::uint32_t z = 0; z < depth; z += slices) {
    for (std::uint32_t y = 0; y < height; y += rows) {
      PINTLE_TRY(copy(ImageBlock{z * part.slice_bytes + y * part.row_bytes,
                                 {part.x, part.y + y, part.z + z},
                                 {part.extent.width, rows, slices},
                                 z + slices == depth && y + rows == height}));
    }
  }
  return {};
}

}  // namespace pintle::opencl
