// The signatures that functions of StableHLO say.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "stablehlo/infer.h"
#include "stablehlo/module.h"

namespace pintle::stablehlo {
namespace {

Result<Entry> inferred(std::string_view text, std::string_view name = "f") {
  PINTLE_ASSIGN(module, Module::read(text));
  const Function* const function = module.find(name);
  if (function == nullptr) return Error(Errc::not_found, std::string(name));
  return infer(*function);
}

std::string signature(std::string_view text) {
  const auto entry = inferred(text);
  return entry ? entry->signature() : std::string(entry.error().message());
}

TEST(StablehloInfer, ArgumentsAreParametersOfTheirNames) {
  EXPECT_EQ(signature("func.func @f(%x: tensor<4x8xf32>, %n: tensor<ui32>, %0: tensor<3xi1>) { return }"),
            "f(x: read f32[4,8], n: u32, _0: read bool[3])");
}

TEST(StablehloInfer, AnArgumentThatIsGivenUpIsWritten) {
  EXPECT_EQ(signature("func.func @f(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> { return %x }"),
            "f(x: read_write f32[4])");
  EXPECT_EQ(signature("func.func @f(%n: tensor<i64> {tf.aliasing_output = 0 : i32}) -> tensor<i64> { return %n }"),
            "f(n: read_write i64[1])");
}

TEST(StablehloInfer, OtherResultsStandWhereTheyAreGiven) {
  EXPECT_EQ(signature("!out = tensor<?xf16>\n"
                      "func.func @f(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<bf16>)\n"
                      "    -> (tensor<ui8>, tensor<4xf32>, !out) { return }"),
            "f(result: write u8[1], x: read_write f32[4], y: bf16, out: write f16[])");
}

TEST(StablehloInfer, AnAliasThatIsAnArgumentsNamesNoResult) {
  EXPECT_EQ(signature("!x = tensor<?xf32>\nfunc.func @f(%x: !x) -> !x { return %x }"),
            "f(x: read f32[], result: write f32[])");
  EXPECT_EQ(signature("!y = tensor<?xf32>\n"
                      "func.func @f(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %y: !y) -> (!y, tensor<4xf32>)\n"
                      "{ return }"),
            "f(result: write f32[], x: read_write f32[4], y: read f32[])");
}

TEST(StablehloInfer, WhatTheTextDoesNotTellIsNamed) {
  EXPECT_EQ(signature("func.func @f(tensor<4xf32>)"), "has an argument without a name");
  EXPECT_EQ(signature("!n = tensor<?xf32>\nfunc.func @f(%x: !n) { return }"),
            "leaves sizes open that are those of \"n\", which is no argument");
  EXPECT_EQ(
      signature("func.func @f(%a: tensor<4xf32> {tf.aliasing_output = 1 : i32},\n"
                "             %b: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>)"),
      "gives its results (2) to its arguments in another order");
  EXPECT_EQ(signature("func.func @f(%a: tensor<4xf32> {tf.aliasing_output = 7 : i32}) -> tensor<4xf32>"),
            "gives its results (1) to its arguments in another order");
  const auto entry = inferred("func.func @f(%x: tensor<4xi4>) { return }");
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code(), Errc::unsupported);
  EXPECT_EQ(entry.error().message(), "has elements of \"i4\", which no device takes");
}

}  // namespace
}  // namespace pintle::stablehlo
