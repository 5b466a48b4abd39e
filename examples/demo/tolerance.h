// How far f32 may lie from the exact value, derived and not measured.
#pragma once

namespace demo {

/// A rounding to f32 changes a value by at most this part of it.
inline constexpr double rounding = 0x1p-24;
/// The greatest value in a picture.
inline constexpr double brightest = 255;
/// For products of roundings, which the sums below leave out.
inline constexpr double higher_orders = 1.001;

/// Each pass of the blur sums positive terms: a pair of pixels (1 rounding), the weight's own rounding (1), a product
/// (1), two additions (2). Two passes make 10 roundings of a value of at most 255.
inline constexpr double blur_tolerance = 10 * rounding * brightest * higher_orders;

/// Each gradient has weights of 8 in all on values with the blur's error; its own roundings are those of three
/// differences (255, 2 * 255, 255) and of two sums (3 * 255, 4 * 255).
inline constexpr double gradient_tolerance =
    8 * blur_tolerance + (1 + 2 + 1 + 3 + 4) * rounding * brightest * higher_orders;
/// sqrt(2): the length changes by no more than the vector does. The length itself is at most 4 * 255 * sqrt(2) and
/// gets, relative to it, half of the roundings of a square and a sum (2 / 2) and those of a square root (1, and up to 3
/// more on other devices).
inline constexpr double square_root_of_two = 1.41421356237309515;
inline constexpr double edges_tolerance =
    square_root_of_two * gradient_tolerance + 5 * rounding * 4 * brightest * square_root_of_two * higher_orders;

/// Whole numbers.
inline constexpr double draw_tolerance = 0;

}  // namespace demo
