// Refusals of memory name the value, the holder and the real reason.
#include "kit/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace pintle::kit {
namespace {

using testing::HasSubstr;
using testing::Not;

const Error refusal =
    Error(Errc::out_of_memory, "Call vkAllocateMemory answers OUT (-2).").with_vendor({"Vulkan", -2, "OUT"});

Error refused(std::uint64_t size) {
  const std::array heaps{Heap{"heap 1 (host)", 4096, 512, 0, ""}, Heap{"heap 0 (device)", 8192, 2048, 0, ""}};
  return exhausted({size, 1, Placement::device, "big"}, "gpu:0", heaps, refusal);
}

TEST(Exhausted, NamesTheHeapWithTheMostRoom) {
  const Error error = refused(4096);
  EXPECT_EQ(error.code(), Errc::out_of_memory);
  EXPECT_EQ(error.vendor()->number, -2);
  EXPECT_EQ(error.message(),
            "Requested size (4096 bytes) of [Buffer \"big\"] is more than heap 0 (device) of [gpu:0] has available "
            "(2048 bytes).");
}

// A card said of 1,280 bytes that they are more than 149,902,065,664.
TEST(Exhausted, SaysThatTheDriverRefusesWhatWouldFit) {
  const Error error = refused(1280);
  EXPECT_EQ(error.code(), Errc::out_of_memory);
  EXPECT_THAT(std::string(error.message()), HasSubstr("(1280 bytes) of [Buffer \"big\"] is refused by the driver"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("heap 0 (device) of [gpu:0] has (2048) available"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("answers OUT (-2)"));
  EXPECT_THAT(std::string(error.message()), Not(HasSubstr("more than")));
}

TEST(Exhausted, PagesThatADriverRefusesAreUnsupported) {
  alignas(64) static std::array<std::byte, 64> bytes{};
  const Error error = refused_pages(bytes, "gpu:0", refusal);
  EXPECT_EQ(error.code(), Errc::unsupported);
  EXPECT_EQ(error.vendor()->symbol, "OUT");
  EXPECT_THAT(std::string(error.message()), HasSubstr("(64) bytes in place: Call vkAllocateMemory answers OUT"));
}

}  // namespace
}  // namespace pintle::kit
