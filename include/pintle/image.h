// Images: texels in a layout that the device chooses.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "pintle/access.h"
#include "pintle/deadline.h"
#include "pintle/fwd.h"
#include "pintle/sampler.h"
#include "pintle/texel.h"

namespace pintle {

/// How an image is made.
struct ImageOptions {
  std::string label{};                 ///< In messages: `[Image 12 "frame"]`.
  Access access = Access::read_write;  ///< What kernels will do with it; copies may always read and write it.
  Timeout timeout{};                   ///< As in `BufferOptions`.
};

/// A whole image as commands name it: an id, never a pointer. A command that uses it after the image is destroyed is
/// `stale`. A plain value; any thread may copy and use it.
class ImageView {
 public:
  ImageView() noexcept = default;

  [[nodiscard]] const ImageExtent& extent() const noexcept { return extent_; }
  [[nodiscard]] Texel texel() const noexcept { return texel_; }
  [[nodiscard]] Access access() const noexcept { return access_; }
  /// Bytes of its texels, one behind another.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return std::uint64_t{extent_.width} * extent_.height * extent_.slices() * bytes_of(texel_);
  }

 private:
  friend class Inside;
  ImageView(std::uint64_t incarnation, std::uint64_t buffer, const ImageExtent& extent, Texel texel,
            Access access) noexcept
      : incarnation_(incarnation), buffer_(buffer), extent_(extent), texel_(texel), access_(access) {}

  std::uint64_t incarnation_ = 0;  // unique in the process, as a BufferView's is
  std::uint64_t buffer_ = 0;       // images have numbers of buffers
  ImageExtent extent_{};
  Texel texel_ = Texel::rgba8;
  Access access_ = Access::read_write;
};

/// Owns an image. Its contents are undefined until a copy or a kernel writes them. Destruction never blocks: the memory
/// is freed when the last submission that uses it is reached. Move-only. One thread at a time; any thread may use its
/// view.
class Image {
 public:
  Image() noexcept = default;
  Image(Image&& other) noexcept : table_(std::exchange(other.table_, nullptr)), view_(std::exchange(other.view_, {})) {}
  Image& operator=(Image&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    table_ = std::exchange(other.table_, nullptr);
    view_ = std::exchange(other.view_, {});
    return *this;
  }
  ~Image() { destroy(); }

  [[nodiscard]] const ImageExtent& extent() const noexcept { return view_.extent(); }
  [[nodiscard]] Texel texel() const noexcept { return view_.texel(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return view_.size_bytes(); }
  /// Its name in messages: `[Image 12 "frame"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] const ImageView& view() const noexcept { return view_; }
  operator const ImageView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)

 private:
  friend class Inside;
  Image(core::BufferTable& table, const ImageView& view) noexcept : table_(&table), view_(view) {}
  void destroy() noexcept;

  core::BufferTable* table_ = nullptr;  // lives as long as one of its images
  ImageView view_;
};

/// An argument for a parameter `in: read image2d sampled`: an image with the sampler that reads it.
struct SampledImage {
  ImageView image;
  Sampler sampler{};
};

}  // namespace pintle
