// Programs in the manner of public ones: kernels with what they get, how they are launched, and what they must leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::test {

/// The contents of a buffer.
struct Data {
  DType dtype = DType::u8;
  std::vector<std::byte> bytes;

  template <class T>
  static Data of(std::span<const T> values, DType dtype) {
    Data data{dtype, std::vector<std::byte>(values.size_bytes())};
    std::memcpy(data.bytes.data(), values.data(), values.size_bytes());
    return data;
  }
  /// As elements: a buffer of a struct of the source has the dtype u8.
  template <class T>
  static Data of(const std::vector<T>& values) {
    if constexpr (Element<T>) return of(std::span<const T>(values), dtype_of<T>());
    else return of(std::span<const T>(values), DType::u8);
  }
};

/// The buffers of a program, by their order.
struct Memory {
  std::vector<Data> all;

  template <class T>
  std::span<T> of(std::size_t index) {
    return {reinterpret_cast<T*>(all[index].bytes.data()), all[index].bytes.size() / sizeof(T)};
  }
  std::span<float> floats(std::size_t index) { return of<float>(index); }
};

/// A buffer of the program, as an argument.
struct In {
  std::size_t index;
};

/// What a kernel gets: a buffer, a number, the bytes of a struct or a vector, local memory.
using Given = std::variant<In, ScalarValue, std::vector<std::byte>, Local>;

template <class T>
Given number(T value) {
  return ScalarValue::of(value);
}
template <class T>
Given value(const T& object) {
  std::vector<std::byte> bytes(sizeof object);
  std::memcpy(bytes.data(), &object, sizeof object);
  return bytes;
}

struct Launch {
  std::string kernel;
  Cover items;
  std::vector<Given> arguments;
};

struct Example {
  std::string name;
  std::string source;
  std::vector<Data> buffers;
  std::vector<Launch> launches;
  std::function<void(Memory&)> oracle;  ///< Does to the buffers what all launches do.
  double tolerance = 0;                 ///< For a floating-point number, times one and its size.
  bool has_doubles = false;             ///< Then a device without them may refuse it.
  double elsewhere =
      0;  ///< The tolerance of other devices than the cpu, where native_ functions are less exact; 0: the same.
};

// Inputs of which each run gets the same.
std::vector<float> floats(std::size_t count, unsigned seed = 1);        ///< Between -1 and 1.
std::vector<float> whole_floats(std::size_t count, unsigned seed = 1);  ///< Between -8 and 8.
std::vector<std::int32_t> integers(std::size_t count, std::int32_t below, unsigned seed = 1);

// Halves by their bits.
std::uint16_t half_of(float value);
float of_half(std::uint16_t bits);
Data half_data(std::span<const float> values);

/// Zeros to write to.
template <class T = float>
Data room(std::size_t count) {
  return Data::of(std::vector<T>(count));
}
// The programs, by their manner.
std::vector<Example> linear();
std::vector<Example> grids();
std::vector<Example> sorting();
std::vector<Example> science();
std::vector<Example> tuned();
std::vector<Example> quantised();
std::vector<Example> generated();

/// Runs a program with the signatures that `pintle pack` reads from its source, and compares each buffer with the
/// oracle's.
void expect_right(Device& device, const Example& one);

}  // namespace pintle::test
