// Transfers in pieces.
#include "kit/pieces.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace pintle::kit {
namespace {

using Piece = std::tuple<std::uint64_t, std::uint64_t, bool>;

std::vector<Piece> pieces_of(std::uint64_t size) {
  std::vector<Piece> pieces;
  EXPECT_TRUE(in_pieces(size, [&](std::uint64_t at, std::uint64_t some, bool is_last) -> Result<void> {
    pieces.emplace_back(at, some, is_last);
    return {};
  }));
  return pieces;
}

TEST(Pieces, AreAtMostAGibibyte) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  EXPECT_TRUE(pieces_of(0).empty());
  EXPECT_EQ(pieces_of(1), std::vector<Piece>({{0, 1, true}}));
  EXPECT_EQ(pieces_of(most), std::vector<Piece>({{0, most, true}}));
  EXPECT_EQ(pieces_of(most + 1), std::vector<Piece>({{0, most, false}, {most, 1, true}}));
  EXPECT_EQ(pieces_of(2 * most), std::vector<Piece>({{0, most, false}, {most, most, true}}));
  EXPECT_EQ(pieces_of(4 * most + 4099).back(), Piece(4 * most, 4099, true));
}

TEST(Pieces, EndWithTheFirstError) {
  int calls = 0;
  const auto failed = in_pieces(largest_piece * 3, [&](std::uint64_t at, std::uint64_t, bool) -> Result<void> {
    ++calls;
    if (at == 0) return {};
    return Error(Errc::internal, "The second piece fails.");
  });
  EXPECT_EQ(failed.error().message(), "The second piece fails.");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace pintle::kit
