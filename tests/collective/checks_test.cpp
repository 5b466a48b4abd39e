#include "collective/group/checks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace pintle::collective {
namespace {

std::array<std::byte, 64> memory;

Memory at(std::string_view name, DType dtype, std::size_t first, std::size_t size) {
  return {name, Elements(dtype, std::span(memory).subspan(first, size))};
}
/// Never looked into.
Memory of_size(std::string_view name, std::uint64_t bytes) {
  Memory huge = at(name, DType::u8, 0, 1);
  huge.bytes = bytes;
  return huge;
}

std::string text(const Result<void>& result) { return result ? "success" : std::string(result.error().message()); }

TEST(Checks, ElementsAreWhole) {
  EXPECT_EQ(text(check_elements(at("to", DType::f32, 0, 8))), "success");
  EXPECT_EQ(text(check_elements(at("to", DType::f32, 0, 0))), "success");
  for (const std::size_t size : {1u, 2u, 3u, 5u, 7u}) {
    EXPECT_EQ(text(check_elements(at("to", DType::f32, 0, size))),
              "The size of to (" + std::to_string(size) + " bytes) is no multiple of an element of f32 (4).");
  }
  EXPECT_EQ(text(check_elements(at("from", static_cast<DType>(17), 0, 8))), "The dtype of from (17) is none.");
  EXPECT_EQ(text(check_elements(at("from", static_cast<DType>(0), 0, 8))), "The dtype of from (0) is none.");
}

TEST(Checks, Dtypes) {
  EXPECT_EQ(text(check_same_dtype(at("to", DType::i8, 0, 1), at("from", DType::i8, 1, 1))), "success");
  EXPECT_EQ(text(check_same_dtype(at("to", DType::i8, 0, 1), at("from", DType::u8, 1, 1))),
            "The dtype of to (i8) is not that of from (u8).");
}

TEST(Checks, Parts) {
  EXPECT_EQ(text(check_parts(at("to", DType::u8, 0, 12), at("from", DType::u8, 16, 4), 3)), "success");
  EXPECT_EQ(text(check_parts(at("to", DType::u8, 0, 0), at("from", DType::u8, 16, 0), 3)), "success");
  EXPECT_EQ(text(check_parts(at("to", DType::u8, 0, 13), at("from", DType::u8, 16, 4), 3)),
            "The size of to (13 bytes) is not 3 times the size of from (4 bytes).");
  EXPECT_EQ(text(check_parts(at("to", DType::u8, 0, 3), at("from", DType::u8, 16, 4), 1)),
            "The size of to (3 bytes) is not the size of from (4 bytes).");
}

// 2^62 times 4 is 0 in 64 bits.
TEST(Checks, PartsWhoseSizeOverflows) {
  EXPECT_FALSE(check_parts(of_size("to", 0), of_size("from", std::uint64_t{1} << 62), 4));
  EXPECT_TRUE(check_parts(of_size("to", std::uint64_t{1} << 63), of_size("from", std::uint64_t{1} << 62), 2));
}

TEST(Checks, Overlap) {
  for (std::size_t first = 0; first < 32; ++first) {
    const bool is_apart = first + 4 <= 8 || first >= 16;
    const auto checked = check_overlap(at("to", DType::u8, 8, 8), at("from", DType::u8, first, 4));
    EXPECT_EQ(text(checked), is_apart ? "success" : "to (8 bytes) overlaps from (4 bytes).") << first;
    const auto turned = check_overlap(at("to", DType::u8, first, 4), at("from", DType::u8, 8, 8));
    EXPECT_EQ(turned.has_value(), is_apart) << first;
  }
  EXPECT_TRUE(check_overlap(at("to", DType::u8, 8, 0), at("from", DType::u8, 0, 16)));
  EXPECT_TRUE(check_overlap(at("to", DType::u8, 0, 16), at("from", DType::u8, 8, 0)));
}

}  // namespace
}  // namespace pintle::collective
