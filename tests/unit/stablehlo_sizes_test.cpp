// Types of StableHLO, and the sizes that they leave open.
#include "stablehlo/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stablehlo/type.h"

namespace pintle::stablehlo {
namespace {

using testing::ElementsAre;

constexpr std::nullopt_t open = std::nullopt;

TensorType type_of(std::string_view text) {
  const auto type = read_type(text);
  EXPECT_TRUE(type) << (type ? "" : type.error().text());
  return type ? *type : TensorType{};
}

std::string message_of(std::string_view text) {
  const auto type = read_type(text);
  EXPECT_FALSE(type) << text;
  return type ? "" : std::string(type.error().message());
}

TEST(StablehloType, ReadsSidesAndElement) {
  EXPECT_EQ(type_of("tensor<f32>"), (TensorType{"f32", {}}));
  EXPECT_EQ(type_of("tensor<4x?x8xf8E4M3FN>"), (TensorType{"f8E4M3FN", {4, open, 8}}));
  EXPECT_EQ(type_of("tensor<0x4xi1>"), (TensorType{"i1", {0, 4}}));
  EXPECT_EQ(type_of(" tensor < 4 x ? x // sides\n complex<f32>> "), (TensorType{"complex<f32>", {4, open}}));
  EXPECT_EQ(type_of("tensor<?x4xf32, #stablehlo.bounds<8, ?>>"), (TensorType{"f32", {open, 4}}));
  EXPECT_EQ(type_of("tensor<2x!quant.uniform<i8:f32, 0.5:3>>").element, "!quant.uniform<i8:f32,0.5:3>");
  EXPECT_EQ(type_of("tensor<18446744073709551615xui8>").sides[0], ~std::uint64_t{0});
  EXPECT_EQ(type_of("tensor<?x1x?xf32>").open_sides(), 2U);
}

TEST(StablehloType, SaysWhyItIsNoTensor) {
  EXPECT_EQ(message_of("memref<4xf32>"), "The type \"memref<4xf32>\" is no tensor.");
  EXPECT_EQ(message_of(""), "The type \"\" has no end.");
  EXPECT_EQ(message_of("tensor<4xf32"), "The type \"tensor<4xf32\" has no end.");
  EXPECT_EQ(message_of("tensor 4"), "The type \"tensor 4\" has no \"<\" behind \"tensor\".");
  EXPECT_EQ(message_of("tensor<4xf32> x"), "The type \"tensor<4xf32> x\" goes on behind its \">\".");
  EXPECT_EQ(message_of("tensor<*xf32>"), "The type \"tensor<*xf32>\" has no rank.");
  EXPECT_EQ(message_of("tensor<4>"), "The type \"tensor<4>\" has no \"x\" behind a side.");
  EXPECT_EQ(message_of("tensor<4x>"), "The type \"tensor<4x>\" has no element.");
  EXPECT_EQ(message_of("tensor<18446744073709551616xf32>"),
            "The type \"tensor<18446744073709551616xf32>\" has a side that does not fit 64 bits.");
  std::string sides;
  for (int i = 0; i < 64; ++i) sides += "1x";
  EXPECT_EQ(type_of("tensor<" + sides + "f32>").sides.size(), 64U);
  EXPECT_THAT(message_of("tensor<1x" + sides + "f32>"), testing::HasSubstr("has more than 64 sides"));
  EXPECT_THAT(message_of("tensor<" + std::string(257, 'f') + ">"), testing::HasSubstr("more than 256 letters"));
}

TEST(StablehloType, KnowsTheDtypesOfElements) {
  EXPECT_EQ(dtype_of("i1"), DType::boolean);
  EXPECT_EQ(dtype_of("i64"), DType::i64);
  EXPECT_EQ(dtype_of("ui16"), DType::u16);
  EXPECT_EQ(dtype_of("bf16"), DType::bf16);
  EXPECT_EQ(dtype_of("f8E4M3FN"), DType::f8_e4m3fn);
  EXPECT_EQ(dtype_of("f8E5M2"), DType::f8_e5m2);
  EXPECT_EQ(dtype_of("complex<f32>"), DType::complex64);
  for (const std::string_view other : {"", "i4", "f8E4M3B11FNUZ", "complex<f64>", "!stablehlo.token"})
    EXPECT_EQ(dtype_of(other), std::nullopt) << other;
}

std::vector<std::uint64_t> sides(std::string_view alias, std::string_view type, std::span<const Size> sizes) {
  auto filled = sides_of(alias, type_of(type), sizes);
  EXPECT_TRUE(filled) << (filled ? "" : filled.error().text());
  return filled ? *std::move(filled) : std::vector<std::uint64_t>{};
}

std::string refusal(std::string_view alias, std::string_view type, std::span<const Size> sizes) {
  const auto filled = sides_of(alias, type_of(type), sizes);
  EXPECT_FALSE(filled);
  return filled ? "" : std::string(filled.error().message());
}

TEST(StablehloSizes, OneSideIsWhatTheOthersLeave) {
  const std::vector<Size> sizes{{"x", 24, {}}, {"y", 0, {}}};
  EXPECT_THAT(sides("x", "tensor<?xf32>", sizes), ElementsAre(24));
  EXPECT_THAT(sides("x$i1", "tensor<2x?x3xi1>", sizes), ElementsAre(2, 4, 3));
  EXPECT_THAT(sides("x$a$b", "tensor<24x?xi1>", sizes), ElementsAre(24, 1));
  EXPECT_THAT(sides("y", "tensor<?x4xf32>", sizes), ElementsAre(0, 4));
}

TEST(StablehloSizes, SeveralSidesAreThoseOfTheShape) {
  const std::vector<std::uint64_t> shape{2, 3, 4};
  const std::vector<Size> sizes{{"x", 24, shape}};
  EXPECT_THAT(sides("x", "tensor<?x?x?xf32>", sizes), ElementsAre(2, 3, 4));
  EXPECT_THAT(sides("x$b", "tensor<?x3x?xf32>", sizes), ElementsAre(2, 3, 4));
  EXPECT_EQ(refusal("x$b", "tensor<?x5x?xf32>", sizes),
            "The sides (?x5x?) of the alias \"!x$b\" do not agree with side (1), which is (3), of the shape of "
            "[parameter \"x\"].");
  EXPECT_EQ(
      refusal("x$b", "tensor<?x?xf32>", sizes),
      "The sides (?x?) of the alias \"!x$b\" are open more than once, and need a shape of (2) sides instead of (3) "
      "of [parameter \"x\"].");
}

TEST(StablehloSizes, WhatDoesNotDivideIsRefused) {
  const std::vector<Size> sizes{{"x", 10, {}}};
  EXPECT_EQ(refusal("x$m", "tensor<?x4xf32>", sizes),
            "The sides (?x4) of the alias \"!x$m\" do not divide the elements (10) of [parameter \"x\"].");
  EXPECT_EQ(refusal("x", "tensor<?x0xf32>", sizes),
            "The sides (?x0) of the alias \"!x\" do not divide the elements (10) of [parameter \"x\"].");
  EXPECT_EQ(refusal("x", "tensor<?x4294967296x4294967296xf32>", sizes),
            "The sides (?x4294967296x4294967296) of the alias \"!x\" do not divide the elements (10) of [parameter "
            "\"x\"].");
  EXPECT_EQ(refusal("xy$m", "tensor<?xf32>", sizes),
            "The alias \"!xy$m\" has open sides (?), and no parameter is called \"xy\".");
}

}  // namespace
}  // namespace pintle::stablehlo
