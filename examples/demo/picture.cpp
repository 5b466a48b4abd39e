#include "examples/demo/picture.h"

#include <png.h>

#include <filesystem>

namespace demo {
namespace {

using pintle::Errc;
using pintle::Error;

/// libpng's state of one picture, freed in the end.
struct Png : png_image {
  Png() : png_image{} { version = PNG_IMAGE_VERSION; }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_image_free(this); }

  [[nodiscard]] bool failed() const noexcept { return PNG_IMAGE_FAILED(*this); }
  [[nodiscard]] Error error(Errc code, const std::string& what) const { return {code, what + " (" + message + ")."}; }
};

std::string quoted(const std::string& path) { return "\"" + path + "\""; }

pintle::Result<void> check_size(const Png& png, const std::string& path) {
  const std::uint64_t pixels = std::uint64_t{png.width} * png.height;
  if (pixels <= most_pixels) return {};
  return Error(Errc::invalid_argument, "Picture " + quoted(path) + " has " + std::to_string(png.width) + " x " +
                                           std::to_string(png.height) + " pixels (" + std::to_string(pixels) +
                                           "), more than the limit (" + std::to_string(most_pixels) + ").");
}

}  // namespace

pintle::Result<Picture> read_picture(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return Error(Errc::io, "Picture " + quoted(path) + " is not there.");
  Png png;
  png_image_begin_read_from_file(&png, path.c_str());
  if (png.failed()) return png.error(Errc::invalid_argument, "Picture " + quoted(path) + " cannot be read as PNG");
  PINTLE_TRY(check_size(png, path));
  png.format = PNG_FORMAT_GRAY;
  Picture picture{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  const png_color black{};
  png_image_finish_read(&png, &black, picture.gray.data(), 0, nullptr);
  if (png.failed()) return png.error(Errc::invalid_argument, "Picture " + quoted(path) + " cannot be decoded");
  return picture;
}

pintle::Result<void> write_picture(const Picture& picture, const std::string& path) {
  Png png;
  png.width = picture.width;
  png.height = picture.height;
  png.format = PNG_FORMAT_GRAY;
  png_image_write_to_file(&png, path.c_str(), 0, picture.gray.data(), 0, nullptr);
  if (png.failed()) return png.error(Errc::io, "Picture " + quoted(path) + " cannot be written");
  return {};
}

}  // namespace demo
