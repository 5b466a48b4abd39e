#include "registry/device_id.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "pintle/must.h"
#include "unit/golden.h"

namespace pintle::registry {
namespace {

std::string canonical(std::string_view text) {
  const auto id = DeviceId::parse(text);
  return id ? id->text() : "refused: " + id.error().text();
}

std::string refusal(std::string_view text) {
  const auto id = DeviceId::parse(text);
  if (id) return "accepted: " + id->text();
  EXPECT_EQ(id.error().code(), Errc::invalid_argument);
  return id.error().text();
}

std::string nested(std::size_t layers) {
  std::string text;
  for (std::size_t i = 0; i < layers; ++i) text += "trace(";
  return text + "cpu" + std::string(layers, ')');
}

TEST(DeviceId, ReadsItsParts) {
  const DeviceId id = must(DeviceId::parse("Faulty(trace(vulkan:1?Mode=Fast&debug)?file=/A b.json)?call=submit"));
  ASSERT_EQ(id.layers.size(), 2u);
  EXPECT_EQ(id.layers[0], (IdLayer{"faulty", {{"call", "submit"}}}));
  EXPECT_EQ(id.layers[1], (IdLayer{"trace", {{"file", "/A b.json"}}}));
  EXPECT_EQ(id.backend, "vulkan");
  EXPECT_EQ(id.ordinal, 1u);
  EXPECT_EQ(id.word, "");
  EXPECT_EQ(id.options, (std::vector<IdOption>{{"debug", ""}, {"mode", "Fast"}}));
}

TEST(DeviceId, TellsOrdinalsFromUuids) {
  EXPECT_EQ(must(DeviceId::parse("cuda:4294967295")).ordinal, 4294967295u);
  EXPECT_EQ(must(DeviceId::parse("cuda:5F3A")).word, "5f3a");
  EXPECT_EQ(must(DeviceId::parse("cuda:12345678-")).word, "12345678-");
  EXPECT_EQ(must(DeviceId::parse("cuda:GPU-12")).word, "gpu-12");
  EXPECT_TRUE(must(DeviceId::parse("BEST")).is_best());
}

TEST(DeviceId, PrintsInLowerCaseWithSortedOptions) {
  EXPECT_EQ(canonical("CPU"), "cpu");
  EXPECT_EQ(canonical("Vulkan:0"), "vulkan:0");
  EXPECT_EQ(canonical("CUDA:ABC-1"), "cuda:abc-1");
  EXPECT_EQ(canonical("cpu?B=Xy&a"), "cpu?a&b=Xy");
  EXPECT_EQ(canonical("Trace(Validate(Best))?File=A=B?"), "trace(validate(best))?file=A=B?");
  EXPECT_EQ(canonical("cpu?path=\xc3\xa9"), "cpu?path=\xc3\xa9");
}

TEST(DeviceId, RefusesWithTheColumn) {
  std::string texts;
  for (const std::string_view text : {"",
                                      " cpu",
                                      "cpu ",
                                      "cpu\n",
                                      "1cpu",
                                      "_cpu",
                                      "cpu:",
                                      "cpu:-",
                                      "cpu::0",
                                      "cpu:0:1",
                                      "cpu:+1",
                                      "cpu:01",
                                      "cpu:4294967296",
                                      "cpu:99999999999999999999",
                                      "cpu?",
                                      "cpu?&",
                                      "cpu?a&",
                                      "cpu?a&&b",
                                      "cpu?=1",
                                      "cpu?a=",
                                      "cpu?a=1&A=2",
                                      "cpu?a=b(c",
                                      "cpu?a=\x01",
                                      "(cpu)",
                                      "trace()",
                                      "trace(cpu",
                                      "trace(cpu))",
                                      "trace(cpu)x",
                                      "trace(cpu):0",
                                      "trace:0(cpu)",
                                      "trace(cpu)(cpu)",
                                      "trace(cpu)?",
                                      "best:0",
                                      "best?x",
                                      "trace(best?x)",
                                      "cpu)",
                                      "\xff"}) {
    texts += refusal(text) + "\n";
  }
  test::expect_golden("device_id/refusals", texts);
}

TEST(DeviceId, LimitsLengthAndDepth) {
  EXPECT_EQ(canonical(nested(16)), nested(16));
  EXPECT_EQ(refusal(nested(17)).substr(0, 10), "Column 97 ");
  EXPECT_NE(refusal(nested(17)).find("more layers than the limit (16)"), std::string::npos);
  const std::string longest = "cpu?a=" + std::string(DeviceId::max_length - 6, 'x');
  EXPECT_EQ(canonical(longest), longest);
  EXPECT_NE(refusal(longest + "x").find("Length (1025)"), std::string::npos);
  EXPECT_NE(refusal(longest + "x").find("limit (1024)"), std::string::npos);
}

TEST(DeviceId, NulBytesAreNoEnd) { EXPECT_EQ(refusal(std::string_view("cpu\0", 4)).substr(0, 9), "Column 4 "); }

TEST(DeviceId, WhatParsesPrintsAndParsesTheSame) {
  std::mt19937 engine(11);
  constexpr std::string_view alphabet = "aZ09_-:?&=().xbest";
  std::size_t accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "c";
    const auto length = engine() % 10;
    for (unsigned j = 0; j < length; ++j) text += alphabet[engine() % alphabet.size()];
    const auto id = DeviceId::parse(text);
    if (!id) continue;
    ++accepted;
    const DeviceId again = must(DeviceId::parse(id->text()));
    ASSERT_EQ(again, *id) << text;
    ASSERT_EQ(again.text(), id->text()) << text;
  }
  EXPECT_GT(accepted, 10'000u);
}

}  // namespace
}  // namespace pintle::registry
