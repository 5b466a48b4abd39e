// Images without kernels: copies, parts, order, lifetime and refusals.
#include "conformance/images.h"

#include <algorithm>
#include <string>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

/// Where the texel (x, y, z) begins among rows without gaps.
std::size_t place(const ImageExtent& extent, Texel texel, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return ((std::size_t{z} * extent.height + y) * extent.width + x) * bytes_of(texel);
}

/// Calls `visit(in_image, in_buffer)` with the place of each row of a part, in an image and in a buffer.
template <class Visit>
void for_each_row(const ImageExtent& image, Texel texel, const ImagePart& part, Visit visit) {
  const std::size_t row = part.row_bytes != 0 ? part.row_bytes : std::size_t{part.extent.width} * bytes_of(texel);
  const std::size_t slice = part.slice_bytes != 0 ? part.slice_bytes : row * part.extent.height;
  for (std::uint32_t z = 0; z < part.extent.slices(); ++z) {
    for (std::uint32_t y = 0; y < part.extent.height; ++y)
      visit(place(image, texel, part.x, part.y + y, part.z + z), z * slice + y * row);
  }
}

/// What a copy of the part leaves: `to` with the bytes of `from` in its rows.
enum class Direction : unsigned char { to_image, to_buffer };
Octets copied(Direction direction, const ImageExtent& image, Texel texel, const ImagePart& part, Octets to,
              const Octets& from) {
  const std::size_t bytes = std::size_t{part.extent.width} * bytes_of(texel);
  for_each_row(image, texel, part, [&](std::size_t in_image, std::size_t in_buffer) {
    const std::size_t target = direction == Direction::to_image ? in_image : in_buffer;
    const std::size_t source = direction == Direction::to_image ? in_buffer : in_image;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source), bytes,
                to.begin() + static_cast<std::ptrdiff_t>(target));
  });
  return to;
}

std::size_t bytes_of(const ImageExtent& extent, Texel texel) {
  return std::size_t{extent.width} * extent.height * extent.slices() * bytes_of(texel);
}

/// Copies the part in and out, between an image and a buffer whose other bytes have to stay as they are.
void check_part(Context& test, const ImageExtent& extent, Texel texel, const ImagePart& part, std::size_t room) {
  Queue queue = test.queue();
  const Image image = make_image(test, extent, texel);
  const Octets before = pattern(bytes_of(extent, texel), 3), rows = pattern(room, 4);
  put(test, queue, image, before);
  const Buffer from = test.buffer(rows), to = test.buffer(rows);
  need(queue.submit(CommandList{}.copy(to, image, part).copy(image, from, part)));
  CHECK_EQ(test.read<std::uint8_t>(queue, to), copied(Direction::to_buffer, extent, texel, part, rows, before));
  CHECK_EQ(texels_of(test, queue, image), copied(Direction::to_image, extent, texel, part, before, rows));
}

DEVICE_TEST(Image, IsHonest) {
  const Limits& limits = test.info().limits;
  if (test.has(Feature::images)) {
    CHECK(limits.max_image_2d != 0);
    CHECK(!test.info().texels.empty());
    for (const TexelSupport& support : test.info().texels) CHECK(!support.is_filtered || !is_integer(support.texel));
    return;
  }
  CHECK_EQ(limits.max_image_2d, 0u);
  CHECK(test.info().texels.empty());
  check_error(test.device().create_image({4, 4}, Texel::rgba8), Errc::unsupported,
              {test.info().capability(Feature::images).detail});
}

DEVICE_TEST(Image, EveryTexelGoesInAndOutUnchanged) {
  test.require(Feature::images);
  test.require_bytes();
  Queue queue = test.queue();
  for (const TexelSupport& support : test.info().texels) {
    for (const ImageExtent extent : {ImageExtent{7, 5}, ImageExtent{64, 33}, ImageExtent{5, 4, 3}}) {
      if (extent.depth > test.info().limits.max_image_3d) continue;
      const Image image = make_image(test, extent, support.texel, support.access);
      CHECK_EQ(image.size_bytes(), bytes_of(extent, support.texel));
      const Octets texels = pattern(image.size_bytes(), 7);
      put(test, queue, image, texels);
      if (!CHECK_EQ(texels_of(test, queue, image), texels))
        record_failure("differs for " + std::string(name(support.texel)), std::source_location::current());
    }
  }
}

DEVICE_TEST(Image, PartsGoWhereTheySay) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  const Texel texel = Texel::rgba8;
  check_part(test, {9, 7}, texel, {.x = 2, .y = 3, .extent = {5, 4}}, 5 * 4 * 4);
  check_part(test, {9, 7}, texel, {.x = 8, .y = 6, .extent = {1, 1}}, 4);
  check_part(test, {9, 7}, texel, {.y = 6, .extent = {9, 1}}, 9 * 4);
  check_part(test, {6, 5, 4}, texel, {.x = 1, .y = 2, .z = 1, .extent = {4, 3, 2}}, 4 * 3 * 2 * 4);
  check_part(test, {6, 5, 4}, texel, {.z = 3, .extent = {6, 5, 1}}, 6 * 5 * 4);
}

// A part of no extent is what is left of the image.
DEVICE_TEST(Image, APartMayEndWithTheImage) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  Queue queue = test.queue();
  const ImageExtent extent{6, 5};
  const Image image = make_image(test, extent, Texel::rgba8);
  const Octets texels = pattern(image.size_bytes());
  put(test, queue, image, texels);
  const Buffer rest = test.buffer(Octets(2 * 4 * 4));
  need(queue.submit(CommandList{}.copy(rest, image, {.x = 4, .y = 1})));
  const ImagePart whole{.x = 4, .y = 1, .extent = {2, 4}};
  CHECK_EQ(test.read<std::uint8_t>(queue, rest),
           copied(Direction::to_buffer, extent, Texel::rgba8, whole, Octets(32), texels));
}

DEVICE_TEST(Image, RowsAndSlicesMayHaveGaps) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  const Texel texel = Texel::rgba8;
  check_part(test, {5, 4}, texel, {.extent = {5, 4}, .row_bytes = 28}, 28 * 4);
  check_part(test, {9, 7}, texel, {.x = 1, .y = 2, .extent = {3, 5}, .row_bytes = 64}, 64 * 5);
  check_part(test, {5, 4, 3}, texel, {.extent = {5, 4, 3}, .row_bytes = 24}, 24 * 4 * 3);
  check_part(test, {5, 4, 3}, texel, {.extent = {5, 4, 3}, .slice_bytes = 100}, 300);
  check_part(test, {5, 4, 3}, texel, {.x = 1, .y = 1, .z = 1, .extent = {3, 2, 2}, .row_bytes = 16, .slice_bytes = 64},
             128);
  check_part(test, {5, 4, 3}, texel, {.y = 2, .extent = {5, 1, 3}, .row_bytes = 32, .slice_bytes = 96}, 300);
}

// The rows begin where the view does.
DEVICE_TEST(Image, ViewsOfBuffersGoInAndOut) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  Queue queue = test.queue();
  const Image image = make_image(test, {4, 3}, Texel::rgba8);
  const Octets bytes = pattern(100);
  const Buffer rows = test.buffer(bytes), back = test.buffer(Octets(100, 9));
  need(queue.submit(CommandList{}.copy(image, need(rows.slice(20, 48))).copy(need(back.slice(40, 60)), image)));
  Octets wanted(100, 9);
  std::copy_n(bytes.begin() + 20, 48, wanted.begin() + 40);
  CHECK_EQ(test.read<std::uint8_t>(queue, back), wanted);
}

DEVICE_TEST(Hazard, CopiesOfImagesKeepTheirOrder) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  Queue queue = test.queue();
  const ImageExtent extent{64, 64};
  const Image image = make_image(test, extent, Texel::rgba8), other = make_image(test, extent, Texel::rgba8);
  const std::size_t size = bytes_of(extent, Texel::rgba8);
  const Octets first = pattern(size, 1), second = pattern(size, 2);
  const Buffer a = test.buffer(first), b = test.buffer(second), c = test.buffer(Octets(size)),
               d = test.buffer(Octets(size));
  need(queue.submit(CommandList{}
                        .copy(image, a)
                        .copy(c, image)  // what was written
                        .copy(image, b)  // after it was read
                        .copy(other, c)  // what the image gave
                        .fill(c, std::uint8_t{0})
                        .copy(d, other)
                        .copy(c, image)));
  CHECK_EQ(test.read<std::uint8_t>(queue, d), first);
  CHECK_EQ(test.read<std::uint8_t>(queue, c), second);
}

DEVICE_TEST(Hazard, ImagesGoBetweenQueues) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  Queue writer = test.queue("writer"), reader = test.queue("reader");
  const Image image = make_image(test, {32, 32}, Texel::rgba8);
  const Octets texels = pattern(image.size_bytes());
  const Buffer from = test.buffer(texels), to = test.buffer(Octets(texels.size()));
  const Point written = need(writer.submit(CommandList{}.copy(image, from)));
  need(reader.submit(CommandList{}.copy(to, image), {.after = {written}}));
  CHECK_EQ(test.read<std::uint8_t>(reader, to), texels);
}

DEVICE_TEST(Recording, CopiesOfImagesAreRecorded) {
  require_texel(test, Texel::rgba8);
  test.require_bytes();
  Queue queue = test.queue();
  const Image image = make_image(test, {16, 8}, Texel::rgba8);
  const Recording recording =
      need(test.device().record(CommandList{}.copy(image, Slot{0}).copy(Slot{1}, image, {.x = 8})));
  for (std::uint32_t round = 1; round <= 3; ++round) {
    const Octets texels = pattern(image.size_bytes(), round);
    const Buffer from = test.buffer(texels), to = test.buffer(Octets(8 * 8 * 4));
    need(queue.replay(recording, {from, to}));
    const ImagePart part{.x = 8, .extent = {8, 8}};
    CHECK_EQ(test.read<std::uint8_t>(queue, to),
             copied(Direction::to_buffer, {16, 8}, Texel::rgba8, part, Octets(8 * 8 * 4), texels));
  }
  const Buffer small = test.allocate(DType::u8, 100), enough = test.allocate(DType::u8, 600);
  check_error(queue.replay(recording, {small, enough}), Errc::invalid_argument, {"100", "512"});
  check_error(queue.replay(recording, {need(enough.slice(2, 512)), enough}), Errc::invalid_argument);
}

std::uint64_t used_bytes(const Device& device) {
  std::uint64_t used = 0;
  for (const Heap& heap : need(device.budget())) used += heap.used;
  return used;
}

DEVICE_TEST(Image, IsFreedWhenItsWorkIsDone) {
  require_texel(test, Texel::rgba8);
  const std::uint64_t before = used_bytes(test.device());
  {
    Queue queue = test.queue();
    Signal gate = test.signal();
    Image image = make_image(test, {256, 256}, Texel::rgba8);
    CHECK(used_bytes(test.device()) >= before + image.size_bytes());
    const Octets texels = pattern(image.size_bytes());
    const Buffer from = test.buffer(texels), to = test.buffer(Octets(texels.size()));
    const ImageView view = image.view();
    need(queue.submit(CommandList{}.copy(view, from).copy(to, view), {.after = {test.at(gate, 1)}}));
    image = Image();
    check_error(queue.submit(CommandList{}.copy(to, view)), Errc::stale, {"Image"});
    need(test.raise(gate, 1));
    if (test.executes()) CHECK_EQ(test.read<std::uint8_t>(queue, to), texels);
    test.finish(need(queue.submit(CommandList{})));
  }
  CHECK(test.eventually([&] { return used_bytes(test.device()) == before; }));
}

DEVICE_TEST(Error, ImagesThatCannotBeAreRefused) {
  require_texel(test, Texel::rgba8);
  const Device& device = test.device();
  const Limits& limits = test.info().limits;
  const auto refused = [&](const ImageExtent& extent, Errc code, std::initializer_list<std::string_view> words) {
    check_error(device.create_image(extent, Texel::rgba8), code, words);
  };
  refused({0, 4}, Errc::invalid_argument, {"(0, 4)"});
  refused({4, 0}, Errc::invalid_argument, {"(4, 0)"});
  refused({limits.max_image_2d + 1, 1}, Errc::invalid_argument, {std::to_string(limits.max_image_2d)});
  if (limits.max_image_3d != 0)
    refused({1, 1, limits.max_image_3d + 1}, Errc::invalid_argument, {std::to_string(limits.max_image_3d)});
  check_error(device.create_image({4, 4}, Texel{0}), Errc::invalid_argument, {"(0)", "rgba8"});
  check_error(device.create_image({4, 4}, Texel::rgba8, {.access = Access{9}}), Errc::invalid_argument, {"(9)"});
  for (int number = 1; number <= static_cast<int>(Texel::rgba32f); ++number) {
    const Texel texel{static_cast<std::uint8_t>(number)};
    if (support_of(test, texel) == nullptr)
      check_error(device.create_image({4, 4}, texel), Errc::unsupported, {name(texel), "rgba8"});
  }
}

DEVICE_TEST(Error, PartsThatCannotBeAreRefused) {
  require_texel(test, Texel::rgba8);
  Queue queue = test.queue();
  const Image flat = make_image(test, {8, 4}, Texel::rgba8);
  const Buffer buffer = test.allocate(DType::u8, 1024);
  const auto refused = [&](const BufferArgument& rows, const ImagePart& part,
                           std::initializer_list<std::string_view> words) {
    check_error(queue.submit(CommandList{}.copy(flat, rows, part)), Errc::invalid_argument, words);
    check_error(queue.submit(CommandList{}.copy(rows, flat, part)), Errc::invalid_argument, words);
  };
  refused(buffer, {.x = 4, .extent = {5, 4}}, {"(5)", "(4)", "along x", "of a case"});
  refused(buffer, {.y = 4, .extent = {1, 1}}, {"along y"});
  refused(buffer, {.extent = {8, 4, 1}}, {"two dimensions"});
  refused(buffer, {.z = 1, .extent = {1, 1}}, {"along z"});
  refused(buffer, {.extent = {8, 0}}, {"along y"});
  refused(buffer, {.row_bytes = 30}, {"(30 bytes)", "(4)", "(32)"});
  refused(buffer, {.row_bytes = 34}, {"(34 bytes)"});
  refused(buffer, {.row_bytes = 36, .slice_bytes = 150}, {"(150 bytes)", "(36)"});
  refused(need(buffer.slice(0, 127)), {}, {"127", "(128)"});
  refused(need(buffer.slice(2, 200)), {}, {"offset 2"});
}

DEVICE_TEST(Error, ImagesOfAnotherDeviceAreRefused) {
  require_texel(test, Texel::rgba8);
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  const Image image = need(other.create_image({8, 4}, Texel::rgba8));
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u8, 128);
  check_error(queue.submit(CommandList{}.copy(image, buffer)), Errc::invalid_argument, {"[Image", "[Buffer"});
  check_error(queue.submit(CommandList{}.copy(buffer, image)), Errc::invalid_argument);
  check_error(queue.submit(CommandList{}.copy(ImageView(), buffer)), Errc::invalid_argument, {"ImageView"});
}

}  // namespace
}  // namespace pintle::conformance
