// What a StableHLO text says of its functions, and the texts of one function that are made of it.
#include "stablehlo/module.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace pintle::stablehlo {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// As JAX writes it, with an entry more and open sizes.
constexpr std::string_view jax = R"(#loc1 = loc("x")
!x = tensor<?xf32>
!x$i1 = tensor<?xi1>
!x$matrix = tensor<?x4xf32>
!other = tensor<?xi32>
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // func.func @not_here() {
  func.func public @f(%arg0: !x {jax.buffer_donor = true} loc("x"), %arg1: !x loc(#loc1))
      -> (!x {jax.result_info = "r[\"a\"]"}) {
    %0 = call @helper(%arg0, %arg1) : (!x, !x) -> !x loc(#loc2)
    %1 = stablehlo.compare LT, %0, %arg1 : (!x, !x) -> !x$i1 loc(#loc2)
    %2 = stablehlo.reshape %0 : (!x) -> !x$matrix loc(#loc)
    return %0 : !x loc(#loc)
  } loc(#loc)
  func.func private @helper(%a: !x, %b: !x) -> !x {
    %0 = stablehlo.add %a, %b : !x
    return %0 : !x
  }
  func.func @g(%a: !other) -> !other { return %a : !other } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("jit(f)/add"(#loc1))
)";

Module module_of(std::string_view text) {
  auto module = Module::read(text);
  EXPECT_TRUE(module) << (module ? "" : module.error().text());
  return module ? *std::move(module) : *Module::read("");
}

std::string message_of(std::string_view text) {
  const auto module = Module::read(text);
  EXPECT_FALSE(module);
  if (module) return "";
  EXPECT_EQ(module.error().code(), Errc::invalid_argument);
  return std::string(module.error().message());
}

/// The text for an entry; it reads again, and @main is all that others see.
std::string special(std::string_view text, std::string_view entry, std::span<const Size> sizes = {},
                    std::span<const Donation> donated = {}) {
  const auto made = module_of(text).specialize(entry, sizes, donated);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  if (!made) return "";
  const Module again = module_of(*made);
  for (const Function& function : again.functions()) EXPECT_EQ(function.is_private, function.name != "main") << *made;
  EXPECT_NE(again.find("main"), nullptr) << *made;
  EXPECT_FALSE(again.has_open_sizes("main")) << *made;
  return *made;
}

Error refusal(std::string_view text, std::string_view entry, std::span<const Size> sizes = {},
              std::span<const Donation> donated = {}) {
  auto made = module_of(text).specialize(entry, sizes, donated);
  EXPECT_FALSE(made) << *made;
  return made ? Error(Errc::internal, "") : made.error();
}

std::string message(std::string_view text, std::string_view entry, std::span<const Size> sizes = {}) {
  return std::string(refusal(text, entry, sizes).message());
}

TEST(StablehloModule, ReadsWhatJaxWrites) {
  const Module module = module_of(jax);
  ASSERT_EQ(module.functions().size(), 3U);
  const Function* const f = module.find("f");
  ASSERT_NE(f, nullptr);
  EXPECT_FALSE(f->is_private);
  EXPECT_TRUE(f->has_body);
  ASSERT_EQ(f->arguments.size(), 2U);
  EXPECT_EQ(f->arguments[0].type, (TensorType{"f32", {std::nullopt}}));
  EXPECT_EQ(f->arguments[0].alias, "x");
  EXPECT_TRUE(f->arguments[0].is_donor);
  EXPECT_FALSE(f->arguments[1].is_donor);
  ASSERT_EQ(f->results.size(), 1U);
  EXPECT_EQ(f->results[0].alias, "x");
  EXPECT_TRUE(module.find("helper")->is_private);
  EXPECT_EQ(module.find("main"), nullptr);
  EXPECT_EQ(module.find("not_here"), nullptr);
}

TEST(StablehloModule, MakesTheTextOfOneEntry) {
  const std::vector<Size> sizes{{"x", 12, {}}};
  const std::string f = special(jax, "f", sizes);
  EXPECT_THAT(f, HasSubstr("!x = tensor<12xf32>"));
  EXPECT_THAT(f, HasSubstr("!x$i1 = tensor<12xi1>"));
  EXPECT_THAT(f, HasSubstr("!x$matrix = tensor<3x4xf32>"));
  EXPECT_THAT(f, HasSubstr("!other = tensor<?xi32>"));  // no size of this entry, and not in use
  EXPECT_THAT(f, HasSubstr("func.func public @main(%arg0"));
  EXPECT_THAT(f, HasSubstr("func.func private @helper"));
  EXPECT_THAT(f, HasSubstr("module @jit_f attributes {mhlo.num_partitions = 1 : i32"));
  EXPECT_THAT(f, HasSubstr("#loc2 = loc(\"jit(f)/add\"(#loc1))"));
  EXPECT_THAT(f, Not(HasSubstr("@g")));
  const std::string g = special(jax, "g", std::vector<Size>{{"other", 5, {}}});
  EXPECT_THAT(g, HasSubstr("func.func @main(%a: !other)"));
  EXPECT_THAT(g, HasSubstr("!other = tensor<5xi32>"));
  EXPECT_THAT(g, Not(HasSubstr("helper")));
  EXPECT_THAT(g, Not(HasSubstr("{ return %a : !other } loc(#loc1)\n}\n")));
}

TEST(StablehloModule, TypesOfAnEntryAreFilledIn) {
  const auto f = module_of(jax).specialized("f", std::vector<Size>{{"x", 12, {}}});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->name, "f");
  EXPECT_EQ(f->arguments[1].type, (TensorType{"f32", {12}}));
  EXPECT_EQ(f->results[0].type, (TensorType{"f32", {12}}));
}

TEST(StablehloModule, ReadsFunctionsWithoutAModule) {
  const Module module = module_of(R"(
func.func @one(%a: tensor<4x2xf32>, %b: tensor<bf16>) -> tensor<4xui8> attributes {a = "}", b = [@none, {}]} { return }
func.func @"a \"b\\\41"() { "x.y"() ({ ^bb0(%c: i32): "z"(%c) : (i32) -> () }) : () -> () return }
func.func private @declared(tensor<4xf32, #enc<"a>", [1]>>, tensor<4xf32> {a = b}) -> (tensor<f32>, (i32) -> i32)
func.func nested @two(%t: !stablehlo.token, %u: tuple<tensor<4xf32>, i1>, %v: f32) -> () { return }
{-# dialect_resources: { builtin: { x: "0x08" } } #-}
)");
  ASSERT_EQ(module.functions().size(), 4U);
  const Function& one = *module.find("one");
  EXPECT_EQ(one.arguments[0].type, (TensorType{"f32", {4, 2}}));
  EXPECT_EQ(one.arguments[1].type, (TensorType{"bf16", {}}));
  ASSERT_EQ(one.results.size(), 1U);
  EXPECT_EQ(one.results[0].type, (TensorType{"ui8", {4}}));
  EXPECT_NE(module.find("a \"b\\A"), nullptr);
  const Function& declared = *module.find("declared");
  EXPECT_FALSE(declared.has_body);
  ASSERT_EQ(declared.arguments.size(), 2U);
  EXPECT_EQ(declared.arguments[0].type, (TensorType{"f32", {4}}));
  ASSERT_EQ(declared.results.size(), 2U);
  EXPECT_EQ(declared.results[1].type.element, "(i32) -> i32");
  const Function& two = *module.find("two");
  EXPECT_FALSE(two.is_private);
  EXPECT_EQ(two.arguments[0].type.element, "!stablehlo.token");
  EXPECT_EQ(two.arguments[1].type.element, "tuple<tensor<4xf32>, i1>");
  EXPECT_EQ(two.arguments[2].type, (TensorType{"f32", {}}));
  EXPECT_TRUE(two.results.empty());
}

TEST(StablehloModule, FollowsNamesThroughFunctionsAndAliases) {
  const std::string text = special(R"(
#callee = @c
!n = tensor<?xf32>
!pair = tuple<!n, !n>
func.func @a() { call @b() : () -> () return }
func.func @b() { "x"() {f = [@"d"], g = #callee, t = !pair} : () -> () return }
func.func @c() { return }
func.func public @d() { return }
func.func @e() { return }
func.func private @"main"() { return }
)",
                                   "a", std::vector<Size>{{"n", 7, {}}});
  EXPECT_THAT(text, HasSubstr("func.func @main() { call @b()"));
  EXPECT_THAT(text, HasSubstr("private @b()"));
  EXPECT_THAT(text, HasSubstr("private @c()"));
  EXPECT_THAT(text, HasSubstr("func.func private @d()"));
  EXPECT_THAT(text, Not(HasSubstr("@e")));
  EXPECT_THAT(text, Not(HasSubstr("\"main\"")));
  EXPECT_THAT(text, HasSubstr("!n = tensor<7xf32>"));
}

TEST(StablehloModule, ValuesOfAttributesEndWhereTheNextThingBegins) {
  const std::vector<Size> sizes{{"x", 7, {}}};
  const std::string text = special(R"(
!x = tensor<?xf32>
!y = tensor<?xf32>
#number = -1 : i32
#text = "a"
#zero = dense<0.0> : !x
#names = @g::@h
#list = [#zero, {a = #text}]
"other"() : () -> !y
func.func @f() { "x"() {a = #list, b = #names, c = #number} : () -> () return }
func.func @g() { return }
func.func @h() { return })",
                                   "f", sizes);
  EXPECT_THAT(text, HasSubstr("!x = tensor<7xf32>"));
  EXPECT_THAT(text, HasSubstr("!y = tensor<?xf32>"));  // no value goes on into the operation
  EXPECT_THAT(text, HasSubstr("private @g()"));
  EXPECT_THAT(text, HasSubstr("private @h()"));
}

TEST(StablehloModule, EntryIsRenamedWhereItIsUsed) {
  const std::string text = special("func.func private @f() { call @f() call @\"f\"() return }", "f");
  EXPECT_EQ(text, "func.func public @main() { call @main() call @\"main\"() return }");
  EXPECT_EQ(special("func.func @main() { return }", "main"), "func.func @main() { return }");
}

TEST(StablehloModule, AnotherMainIsRefused) {
  EXPECT_EQ(
      message("func.func @f() { call @main() } func.func @main() { return }", "f"),
      "The function \"f\" uses the function \"main\", whose name it has to get itself. The other one needs another "
      "name.");
}

TEST(StablehloModule, EntriesThatAreNotThereAreRefused) {
  EXPECT_EQ(refusal(jax, "h").code(), Errc::not_found);
  EXPECT_EQ(message(jax, "h"), "The text has no function \"h\".");
  EXPECT_EQ(message("func.func private @f()", "f"), "The function \"f\" has no body.");
  EXPECT_FALSE(module_of(jax).specialized("h", {}));
  EXPECT_FALSE(module_of(jax).has_open_sizes("h"));
  // Functions inside of other operations are no entries.
  EXPECT_EQ(message("module { module { func.func @f() { return } } }", "f"), "The text has no function \"f\".");
}

TEST(StablehloModule, KnowsWhetherSizesMatter) {
  const Module module = module_of(R"(
!x = tensor<?xf32>
!y = !x
func.func @open(%a: !y) { return }
func.func @closed(%a: tensor<4xf32>) { return }
func.func @calls() { call @open() return }
func.func @written(%a: tensor<4x?xf32>) { return })");
  EXPECT_TRUE(module.has_open_sizes("open"));
  EXPECT_FALSE(module.has_open_sizes("closed"));
  EXPECT_TRUE(module.has_open_sizes("calls"));
  EXPECT_TRUE(module.has_open_sizes("written"));
}

TEST(StablehloModule, AliasOfAnAliasHasItsSides) {
  constexpr std::string_view text = "!x = tensor<?xf32> !y = !x func.func @f(%a: !y) -> !y { return %a : !y }";
  const std::vector<Size> sizes{{"x", 3, {}}};
  EXPECT_THAT(special(text, "f", sizes), StartsWith("!x = tensor<3xf32> !y = !x func"));
  EXPECT_EQ(module_of(text).specialized("f", sizes)->arguments[0].type, (TensorType{"f32", {3}}));
}

TEST(StablehloModule, SidesThatNoParameterGivesAreRefused) {
  const std::vector<Size> sizes{{"x", 10, {}}};
  EXPECT_EQ(message("!y = tensor<?xf32> func.func @f(%a: !y) { return }", "f", sizes),
            "The alias \"!y\" has open sides (?), and no parameter is called \"y\".");
  EXPECT_EQ(
      message("\nfunc.func @f(%a: tensor<4x?xf32>) { return }", "f", sizes),
      "A side is open (\"?\") at line 2, column 27. Only an alias has open sides, and its name begins with that of a "
      "parameter: !x = tensor<?xf32>.");
  EXPECT_THAT(message("!x = tuple<tensor<?xf32>> func.func @f(%a: !x) { return }", "f", sizes),
              StartsWith("A side is open (\"?\") at line 1, column 19."));
  EXPECT_THAT(message("!x = tensor<??xf32> func.func @f(%a: !x) { return }", "f", sizes),
              StartsWith("A side is open (\"?\") at line 1, column 13."));
  // "?" has other meanings elsewhere, and nobody asks for what is not used.
  EXPECT_NE(
      special("func.func @f() { \"x\"() {s = #sdy.sharding<@m, [{\"a\", ?}]>} return } func.func @g(%a: tensor<?xi1>)",
              "f"),
      "");
}

TEST(StablehloModule, ResultsTakeTheMemoryOfArguments) {
  constexpr std::string_view text =
      "func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32> {}, %c: tensor<4xf32> {x = \"tf.aliasing_output\"} "
      "loc(\"c\"), "
      "%d: tensor<4xf32> {a = #b<1, {}>, tf.aliasing_output = 3 : i32}, "
      "%e: tensor<4xf32> {a = \"b\", \"jax.buffer_donor\" = [{}, true], c = d}) -> "
      "(tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) { return }";
  const Module before = module_of(text);
  EXPECT_EQ(before.find("f")->arguments[3].result, 3U);
  EXPECT_FALSE(before.find("f")->arguments[2].result);
  EXPECT_TRUE(before.find("f")->arguments[4].is_donor);
  const std::vector<Donation> donated{{4, 4}, {0, 0}, {1, 1}, {2, 2}, {3, 0}};
  const std::string made = special(text, "f", {}, donated);
  EXPECT_THAT(made, HasSubstr("%a: tensor<4xf32> {tf.aliasing_output = 0 : i32},"));
  EXPECT_THAT(made, HasSubstr("%b: tensor<4xf32> {tf.aliasing_output = 1 : i32},"));
  EXPECT_THAT(made, HasSubstr("%c: tensor<4xf32> {tf.aliasing_output = 2 : i32, x = \"tf.aliasing_output\"} loc"));
  EXPECT_THAT(made, HasSubstr("%e: tensor<4xf32> {a = \"b\", tf.aliasing_output = 4 : i32, c = d}) ->"));
  const Module module = module_of(made);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(module.find("main")->arguments[i].result, i);
  EXPECT_FALSE(module.find("main")->arguments[4].is_donor);
}

// A fuzzer's: a name in what is replaced was replaced, too, and cut the text.
TEST(StablehloModule, WhatIsReplacedIsReplacedOnce) {
  const std::string made =
      special("func.func @f(%a: tensor<4xf32> {jax.buffer_donor = t {call @f(%a)} u}) -> tensor<f32> { return }", "f",
              {}, std::array{Donation{0, 0}});
  EXPECT_EQ(made, "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<f32> { return }");
}

TEST(StablehloModule, DonationsOfWhatIsNotThereAreRefused) {
  constexpr std::string_view text = "func.func @f(%a: tensor<f32>) -> tensor<f32> { return }";
  for (const Donation donation : {Donation{1, 0}, Donation{0, 1}}) {
    const Error error = refusal(text, "f", {}, std::array{donation});
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.message(),
              fmt::format("Argument ({}) and result ({}) of the function \"f\" are not below (1) and (1).",
                          donation.argument, donation.result));
  }
}

TEST(StablehloModule, ErrorsHaveLineAndColumn) {
  EXPECT_EQ(message_of("module {\n  func.func @f() {\n"),
            "A bracket \"{\" begins at line 2, column 18 and has no end.");
  EXPECT_EQ(message_of("module {\n"), "A bracket \"{\" begins at line 1, column 8 and has no end.");
  EXPECT_EQ(message_of("module @m attributes {a"), "A bracket \"{\" begins at line 1, column 22 and has no end.");
  EXPECT_EQ(message_of("func.func @f(%a: tensor<4xf32> {a"),
            "A bracket \"{\" begins at line 1, column 32 and has no end.");
  EXPECT_EQ(message_of("func.func @f() {\n a = \"b\\\"\n}"),
            "A string begins at line 2, column 6 and has no end on its line.");
  EXPECT_EQ(message_of("func.func @f() { \"b\\"), "A string begins at line 1, column 18 and has no end on its line.");
  EXPECT_EQ(message_of("func.func @\"f"), "A string begins at line 1, column 12 and has no end on its line.");
  EXPECT_EQ(message_of("func.func f()"),
            "The text has \"f\" at line 1, column 11, where the name of a function is expected.");
  EXPECT_EQ(message_of("func.func @f(%a tensor<f32>)"),
            "The text has \"tensor\" at line 1, column 17, where \":\" is expected.");
  EXPECT_EQ(message_of("func.func @f(%a: ,"), "The text has \",\" at line 1, column 18, where a type is expected.");
  EXPECT_EQ(message_of("func.func @f(%a: "), "The text ends at line 1, column 18, where a type is expected.");
  EXPECT_EQ(message_of("func.func @f() {\n(]}"), "The text has \"]\" at line 2, column 2, where \")\" is expected.");
  EXPECT_EQ(message_of("!x = i1\n!x = i8"), "The alias \"!x\" has a second definition at line 2, column 1.");
  EXPECT_EQ(message_of("#x = )"), "The text has \")\" at line 1, column 6, where a value is expected.");
  EXPECT_EQ(message_of("\n}"), "The text has \"}\" at line 2, column 1, where an operation is expected.");
  EXPECT_EQ(message_of("func.func @f(%a: i1 {tf.aliasing_output = -1})"),
            "The text has \"-\" at line 1, column 43, where the number of a result is expected.");
  EXPECT_EQ(message_of("func.func @f() attributes ("),
            "The text has \"(\" at line 1, column 27, where \"{\" is expected.");
}

TEST(StablehloModule, TextsThatAreDeepOrCutAreReadToTheirEnd) {
  constexpr std::size_t depth = 200'000;
  const std::string open(depth, '('), close(depth, ')'), angles(depth, '<');
  EXPECT_TRUE(Module::read("func.func @f() {" + open + close + "}"));
  EXPECT_THAT(message_of("func.func @f() {" + open), HasSubstr("has no end"));
  EXPECT_THAT(message_of("func.func @f(%a: tensor" + angles), HasSubstr("has no end"));
  EXPECT_TRUE(Module::read("!x = tuple" + angles + std::string(depth, '>')));
  for (std::size_t length = 0; length < jax.size(); ++length) {
    const auto module = Module::read(jax.substr(0, length));
    if (module) continue;
    EXPECT_THAT(std::string(module.error().message()), HasSubstr("line ")) << length;
  }
}

TEST(StablehloModule, TellsBytecodeFromText) {
  constexpr std::array bytecode{std::byte{0x4d}, std::byte{0x4c}, std::byte{0xef}, std::byte{0x52}, std::byte{0x0d}};
  EXPECT_TRUE(is_bytecode(bytecode));
  EXPECT_TRUE(is_bytecode(std::span(bytecode).first(4)));
  EXPECT_FALSE(is_bytecode(std::span(bytecode).first(3)));
  EXPECT_FALSE(is_bytecode(std::as_bytes(std::span(std::string_view("MLIR module")))));
}

}  // namespace
}  // namespace pintle::stablehlo
