// Values, words and messages.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/log.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> error_text(Run& run) {
  const Error error = Error(Errc::io, words).with_device("a device", 3).during(words);
  run.check(!during([&] { return error.text(); }).empty());
  return {};
}

Result<void> error_made(Run& run) {
  const Error error =
      during([] { return Error(Errc::io, words).with_vendor({words, 3, words}).with_device(words, 3).during(words); });
  run.check(error.code() == Errc::io || (failed().happened && error.code() == Errc::out_of_memory));
  return {};
}

Result<void> names(Run& run) {
  const std::string all = during([] { return dtype_names(); });
  run.check(all.starts_with("bool"));
  const std::string shape = during([] { return Shape{100000000, 200000000, 300000000}.text(); });
  run.check(shape.starts_with("["));
  return {};
}

Result<void> log(Run& /*run*/) {
  during([] {
    set_log_callback([](LogLevel, std::string_view, std::string_view) {}, LogLevel::debug);
    return 0;
  });
  static_cast<void>(devices());
  during([] {
    set_log_callback({});
    return 0;
  });
  return {};
}

Result<void> logged(Run& run) {
  set_log_callback([](LogLevel, std::string_view, std::string_view) {}, LogLevel::debug);
  const auto queue = during([&] { return run.device().create_queue({.label = words}); });
  set_log_callback({});
  return outcome(queue);
}

}  // namespace

std::span<const Scenario> value_operations() {
  static constexpr std::array<Scenario, 5> all{{{"Error_text", error_text},
                                                {"Error_made", error_made},
                                                {"names", names},
                                                {"set_log_callback", log},
                                                {"logged", logged}}};
  return all;
}

}  // namespace pintle::allocation_sweep
