// The conformance suite's launches, signals and recordings, through the C interface alone. Each case runs on every
// device that tests/conformance runs on.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/c/pintle.h"

namespace csuite {

using Words = std::vector<std::uint32_t>;

/// No wait of a case is longer; and a wait that must not be answered. Nanoseconds.
inline constexpr std::int64_t patience = 20'000'000'000, moment = 20'000'000;

struct Answer {
  pintle_status status;
  std::string text;
};

template <class Function, class... Arguments>
Answer call(Function function, Arguments... arguments) {
  pintle_error error PINTLE_ERROR_INIT;
  const pintle_status status = function(arguments..., &error);
  Answer answer{status, error.text == nullptr ? "" : error.text};
  EXPECT_EQ(error.code, status);
  EXPECT_EQ(pintle_error_free(&error, nullptr), PINTLE_OK);
  return answer;
}

/// Ends the case where the call fails.
template <class Function, class... Arguments>
void ok(Function function, Arguments... arguments) {
  const Answer answer = call(function, arguments...);
  if (answer.status != PINTLE_OK) throw std::runtime_error(answer.text);
}

/// What a call answers in its last argument before the error.
template <class Out, class Function, class... Arguments>
Out made(Function function, Arguments... arguments) {
  Out out{};
  ok(function, arguments..., &out);
  return out;
}

/// The call fails with this status, and its text has these words.
template <class Function, class... Arguments>
void refused(pintle_status status, std::initializer_list<std::string_view> words, Function function,
             Arguments... arguments) {
  const Answer answer = call(function, arguments...);
  EXPECT_EQ(answer.status, status) << answer.text;
  for (const std::string_view word : words) EXPECT_NE(answer.text.find(word), std::string::npos) << word << answer.text;
}

/// A struct with its size, and zeros.
template <class Struct>
Struct sized() {
  Struct out{};
  out.size = sizeof out;
  return out;
}

/// A device that stays open for all cases, with the suite's program.
struct OpenDevice {
  pintle_device device{};
  pintle_program program{};
  std::string id;
  bool executes = false;
  bool calls_host = false;
  bool is_driven = false;
  std::uint32_t offset_alignment = 0;
};
OpenDevice& open_device(const std::string& id);
void close_devices();

pintle_view all_of(pintle_buffer buffer);
pintle_view part_of(pintle_buffer buffer, std::uint64_t offset, std::uint64_t bytes);
pintle_argument of(pintle_buffer buffer);
pintle_argument of(const pintle_view& view);
pintle_argument of(std::uint32_t value);
pintle_argument of(std::int32_t value);
pintle_argument of(float value);
pintle_argument of_scalar(std::uint32_t dtype, std::uint64_t bits);
pintle_argument slot(std::uint64_t index);
pintle_argument source(const Words& words);
pintle_argument target(Words& words);
pintle_extent groups(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1);
pintle_extent items(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1);
std::uint64_t bytes_of(std::uint32_t dtype);

class Suite : public testing::TestWithParam<std::string> {
 protected:
  using Points = std::vector<pintle_point>;

  void TearDown() override;

  [[nodiscard]] OpenDevice& on() { return open_device(GetParam()); }
  [[nodiscard]] pintle_device device() { return on().device; }
  [[nodiscard]] pintle_kernel kernel(const std::string& entry);
  [[nodiscard]] pintle_queue queue(const char* label = nullptr);
  [[nodiscard]] pintle_signal signal(const char* label = nullptr);
  /// A list of nothing; `submit` and `record` take it.
  [[nodiscard]] pintle_list list();
  [[nodiscard]] pintle_list launch(const std::string& entry, const pintle_extent& extent,
                                   const std::vector<pintle_argument>& arguments);
  [[nodiscard]] pintle_list fill(pintle_buffer buffer, std::uint32_t value);
  [[nodiscard]] pintle_recording record(pintle_list list);
  [[nodiscard]] pintle_buffer buffer(std::uint32_t dtype, std::uint64_t count, const char* label = nullptr);
  [[nodiscard]] pintle_buffer buffer(const Words& words);
  void write(pintle_buffer buffer, const void* from, std::size_t bytes);
  void read(pintle_queue queue, pintle_buffer buffer, void* to, std::size_t bytes);
  [[nodiscard]] Words words(pintle_queue queue, pintle_buffer buffer, std::size_t count);

  [[nodiscard]] static pintle_point at(pintle_signal signal, std::uint64_t value);
  pintle_point submit(pintle_queue queue, pintle_list list, const Points& after = {}, const Points& signals = {},
                      const char* label = nullptr);
  pintle_point replay(pintle_queue queue, pintle_recording recording, const std::vector<pintle_argument>& bindings = {},
                      const Points& after = {}, const Points& signals = {});
  static void finish(const pintle_point& point) { ok(pintle_point_wait, &point, patience); }
  [[nodiscard]] static bool is_reached(const pintle_point& point);
  /// Polls the device until the condition holds.
  [[nodiscard]] bool eventually(const std::function<bool()>& holds);
  /// Released at the end of the case; what a call took over before is stale then.
  template <class Handle>
  Handle keep(Handle handle, pintle_status (*release)(Handle, pintle_error*)) {
    releases_.push_back([handle, release] { return release(handle, nullptr); });
    return handle;
  }

 private:
  std::vector<std::function<pintle_status()>> releases_;
};

/// The devices that every case runs on, and their names in those of tests.
std::vector<std::string> device_ids();
std::string suffix(const testing::TestParamInfo<std::string>& info);

/// Skips the case on a device that executes nothing.
#define NEEDS_BYTES() \
  if (!on().executes) GTEST_SKIP() << "not applicable: executes nothing"

}  // namespace csuite
