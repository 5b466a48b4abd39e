#include "io/json.h"

#include <gtest/gtest.h>

#include <string>

#include "pintle/must.h"
#include "unit/golden.h"

namespace pintle::io {
namespace {

std::string refusal(std::string_view text) {
  const auto document = parse_json(text);
  if (document) return "accepted: " + std::string(text);
  EXPECT_EQ(document.error().code(), Errc::invalid_argument);
  return document.error().text();
}

TEST(Json, ReadsADocument) {
  const auto document = must(parse_json(R"({"name": "blur", "sizes": [1, 2]})"));
  const JsonView view(document);
  EXPECT_EQ(must(must(view.member("name")).text()), "blur");
  const auto sizes = must(must(view.member("sizes")).items());
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(must(sizes[1].number()), 2u);
  EXPECT_EQ(sizes[1].path(), "$.sizes[1]");
}

TEST(Json, AZeroByteIsNoEnd) {
  using namespace std::string_view_literals;
  EXPECT_EQ(refusal("{}\0 and more"sv), "Offset 2 of the JSON text is a zero byte.");
  EXPECT_EQ(refusal("{}\0"sv), "Offset 2 of the JSON text is a zero byte.");
}

TEST(Json, MembersHaveTheirPaths) {
  const auto document = must(parse_json(R"({"layer.0 \"w\"": 1, "bias": {"deep": [2]}})"));
  const auto members = must(JsonView(document).members());
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].first, "bias");
  EXPECT_EQ(members[0].second.path(), "$.bias");
  EXPECT_EQ(must(must(members[0].second.member("deep")).items())[0].path(), "$.bias.deep[0]");
  EXPECT_EQ(members[1].first, "layer.0 \"w\"");
  EXPECT_EQ(members[1].second.path(), R"($["layer.0 \"w\""])");
  EXPECT_FALSE(members[1].second.members());
}

TEST(Json, RefusalsOfTextNameTheOffset) {
  std::string all;
  for (const char* const text : {"", "{", "{\"a\":1,}", "[1 2]", "nul", "1e999", "{} {}", "{\"a\":1,\"a\":2}",
                                 "\"\xff\"", "{\"a\":[0,{\"b\":1,\"b\":2}]}"}) {
    all += (all.empty() ? "" : "\n") + refusal(text);
  }
  test::expect_golden("errors/json_text", all);
}

TEST(Json, TheSameKeyInTwoObjectsIsFine) { EXPECT_TRUE(parse_json(R"({"a": {"b": 1}, "c": [{"b": 1}, {"b": 2}]})")); }

TEST(Json, NestingHasALimit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(16)));
  EXPECT_TRUE(refusal(nested(17)).ends_with("[0][0] is nested deeper than the limit (16)."));
  EXPECT_EQ(refusal(nested(1'000'000)), refusal(nested(17)));
}

TEST(Json, RefusalsOfValuesNameThePath) {
  const auto document = must(parse_json(R"({"name": 5, "list": [{"size": -1}, "x"], "more": null})"));
  const JsonView view(document);
  const auto list = must(must(view.member("list")).items());
  std::string all = must(view.member("name")).text().error().text();
  all += "\n" + view.text().error().text();
  all += "\n" + view.items().error().text();
  all += "\n" + must(view.member("list")).number().error().text();
  all += "\n" + must(list[0].member("size")).number().error().text();
  all += "\n" + list[1].member("size").error().text();
  all += "\n" + list[0].member("offset").error().text();
  all += "\n" + view.has_only({"name", "list"}).error().text();
  all += "\n" + list[1].has_only({"size"}).error().text();
  test::expect_golden("errors/json_value", all);
}

TEST(Json, KnowsItsKeys) {
  const auto document = must(parse_json(R"({"name": null})"));
  EXPECT_TRUE(JsonView(document).has("name"));
  EXPECT_FALSE(JsonView(document).has("Name"));
  EXPECT_TRUE(JsonView(document).has_only({"name", "other"}));
}

}  // namespace
}  // namespace pintle::io
