// Which shapes of a launch are refused, and with what.
#include <array>

#include "facts/session.h"

namespace facts {
namespace {

using Sides = std::array<unsigned, 3>;

Status launch(Session& session, Function kernel, Sides groups, Sides items, unsigned shared = 0) {
  std::array<void*, 1> none{};
  return session.cuda.cuLaunchKernel(kernel, groups[0], groups[1], groups[2], items[0], items[1], items[2], shared,
                                     session.stream, none.data(), nullptr);
}

std::string shape(Session& session, Sides groups, Sides items) {
  return text(launch(session, session.function("nothing"), groups, items));
}

std::string shared(Session& session, int more) {
  int most = 0;
  expect(session.cuda.cuDeviceGetAttribute(&most, DeviceAttribute::max_shared_per_block, 0), "cuDeviceGetAttribute");
  const Status launched =
      launch(session, session.function("nothing"), {1, 1, 1}, {1, 1, 1}, static_cast<unsigned>(most + more));
  return codes({launched, session.finish(session.stream)});
}

/// More than the device has, what it has, a launch with that and one with more; then a smaller limit, and more than it.
std::string opt_in(Session& session) {
  const Function nothing = session.function("nothing");
  int most = 0;
  expect(session.cuda.cuDeviceGetAttribute(&most, DeviceAttribute::max_shared_per_block_opt_in, 0),
         "cuDeviceGetAttribute");
  const auto allow = [&](int bytes) {
    return session.cuda.cuFuncSetAttribute(nothing, FunctionAttribute::max_dynamic_shared_bytes, bytes);
  };
  const auto with = [&](int bytes) {
    return launch(session, nothing, {1, 1, 1}, {1, 1, 1}, static_cast<unsigned>(bytes));
  };
  return codes({allow(most + 1024), allow(most), with(most), with(most + 4), allow(65536), with(65540),
                session.finish(session.stream)});
}

/// 255 registers for each of 1,024 items.
std::string too_many_registers(Session& session) {
  const Function kernel = session.function("registers");
  const DevicePointer memory = session.allocate(2 << 20);
  DevicePointer in = memory, out = memory;
  int stride = 1;
  std::array<void*, 3> pointers{static_cast<void*>(&in), static_cast<void*>(&out), static_cast<void*>(&stride)};
  const Status launched =
      session.cuda.cuLaunchKernel(kernel, 1, 1, 1, 1024, 1, 1, 0, session.stream, pointers.data(), nullptr);
  return codes({launched, session.finish(session.stream)});
}

std::string more_than_the_bounds(Session& session) {
  return text(launch(session, session.function("few"), {1, 1, 1}, {33, 1, 1}));
}

std::string null_function(Session& session) { return text(launch(session, nullptr, {1, 1, 1}, {1, 1, 1})); }

constexpr Rule rules[] = {
    {"launch.no_group", "line 188", [](Session& s) { return shape(s, {0, 1, 1}, {1, 1, 1}); }},
    {"launch.no_item", "line 189", [](Session& s) { return shape(s, {1, 1, 1}, {0, 1, 1}); }},
    {"launch.items_1024", "line 190", [](Session& s) { return shape(s, {1, 1, 1}, {1024, 1, 1}); }},
    {"launch.items_1025", "line 191", [](Session& s) { return shape(s, {1, 1, 1}, {1025, 1, 1}); }},
    {"launch.groups_2_to_the_31", "line 192", [](Session& s) { return shape(s, {1u << 31, 1, 1}, {1, 1, 1}); }},
    {"launch.groups_in_y_65536", "line 193", [](Session& s) { return shape(s, {1, 65536, 1}, {1, 1, 1}); }},
    {"launch.groups_in_z_65536", "line 194", [](Session& s) { return shape(s, {1, 1, 65536}, {1, 1, 1}); }},
    {"launch.items_in_z_65", "line 195", [](Session& s) { return shape(s, {1, 1, 1}, {1, 1, 65}); }},
    {"launch.null_function", "line 198", &null_function},
    {"launch.shared_memory_of_the_limit", "line 201", [](Session& s) { return shared(s, 0); }},
    {"launch.shared_memory_over_the_limit", "line 202", [](Session& s) { return shared(s, 4); }},
    {"launch.shared_memory_that_is_opted_in", "lines 203 to 208", &opt_in, Of::cuda},
    {"launch.too_many_registers", "line 888", &too_many_registers, Of::cuda},
    {"launch.more_items_than_the_bounds", "not measured", &more_than_the_bounds},
};

}  // namespace

std::span<const Rule> launch_rules() { return rules; }

}  // namespace facts
