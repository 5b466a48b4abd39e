// For tests that drive the opencl backend through the seam, on every device that is there.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cpu_support.h"
#include "pintle/backend/driver.h"
#include "pintle/must.h"
#include "seam_support.h"

namespace pintle::opencl {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline Result<std::unique_ptr<backend::Device>> try_open_opencl(std::uint32_t ordinal,
                                                                std::vector<Option> options = {}) {
  return opencl::create_driver()->open(ordinal, options);
}

/// What most tests launch.
inline constexpr std::string_view opencl_kernels = R"(
kernel void add(global uint* x, uint a, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) x[i] += a;
}
kernel void add_to(global const uint* from, global uint* to, uint a, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) to[i] = from[i] + a;
}
kernel void spin(global uint* x, uint turns) {
  uint value = x[0];
  for (uint i = 0; i < turns; ++i) value = value * 1664525u + 1013904223u;
  x[0] = value;
}
)";
inline const std::vector<std::string> opencl_signatures{
    "add(x: read_write u32[], a: u32, n: u32) group 64",
    "add_to(from: read u32[], to: write u32[], a: u32, n: u32) group 64",
    "spin(x: read_write u32[], turns: u32)",
};
enum class OpenClEntry : std::uint32_t { add, add_to, spin };

/// A device, a queue, and what tests say often.
class OpenClRig {
 public:
  explicit OpenClRig(std::uint32_t ordinal, std::uint64_t first_serial = 0)
      : device(must(try_open_opencl(ordinal))),
        queue(must(device->create_queue({QueueKind::compute, first_serial, {}}))) {}

  backend::MemoryId allocate(std::uint64_t bytes, Placement placement = Placement::device) {
    return must(device->allocate({bytes, 1, placement, "test"}));
  }

  template <class T>
  backend::MemoryId buffer(const std::vector<T>& values) {
    const auto memory = allocate(values.size() * sizeof(T));
    List list;
    list.add(upload(memory, values));
    run(list);
    return memory;
  }
  template <class T>
  std::vector<T> read(backend::MemoryId memory, std::size_t count) {
    std::vector<T> values(count);
    List list;
    list.add(download(memory, values));
    run(list);
    return values;
  }
  template <class T>
  static backend::Upload upload(backend::MemoryId memory, const std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    return {range_of(memory, 0, size), {reinterpret_cast<const std::byte*>(values.data()), size, backend::no_slot}};
  }
  template <class T>
  static backend::Download download(backend::MemoryId memory, std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    return {{reinterpret_cast<std::byte*>(values.data()), size, backend::no_slot}, range_of(memory, 0, size)};
  }

  Result<backend::ProgramId> try_load(std::string_view code, const std::vector<std::string>& signatures,
                                      std::span<const backend::Constant> constants = {}) {
    std::vector<Entry> entries;
    for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
    return device->load({"test", "opencl_c", base::bytes_in(code), entries, constants});
  }
  backend::ProgramId program() {
    if (program_ == backend::ProgramId::none) program_ = must(try_load(opencl_kernels, opencl_signatures));
    return program_;
  }

  /// Adds a launch of one of the kernels above to `list`.
  void launch(List& list, OpenClEntry entry, const std::vector<backend::Argument>& arguments,
              std::uint32_t groups = 1) {
    add_launch(list, program(), static_cast<std::uint32_t>(entry), {groups, 1, 1}, arguments);
  }
  void add(List& list, backend::Range range, std::uint32_t a) {
    const auto count = static_cast<std::uint32_t>(range.size / 4);
    launch(list, OpenClEntry::add, {buffer_argument(range), scalar_argument(a), scalar_argument(count)},
           (count + 63) / 64);
  }

  std::uint64_t submit(const List& list, std::vector<backend::QueuePoint> waits = {}) {
    return must(device->submit(queue, waits, list));
  }
  void finish(std::uint64_t serial) { must(device->wait(queue, serial, soon())); }
  void run(const List& list) { finish(submit(list)); }

  std::unique_ptr<backend::Device> device;
  backend::QueueId queue;

 private:
  backend::ProgramId program_ = backend::ProgramId::none;
};

/// Runs each test on every device of OpenCL's; skips where there is none.
class OpenClTest : public testing::Test {
 protected:
  void SetUp() override {
    found_ = opencl::create_driver()->enumerate();
    if (found_.devices.empty()) GTEST_SKIP() << found_.absences.at(0).reason;
  }

  template <class Body>
  void on_each(Body body) {
    for (std::uint32_t ordinal = 0; ordinal < found_.devices.size(); ++ordinal) {
      SCOPED_TRACE(found_.devices[ordinal].name);
      OpenClRig rig(ordinal);
      body(rig);
    }
  }
  [[nodiscard]] const std::vector<DeviceInfo>& devices() const { return found_.devices; }

 private:
  backend::Enumeration found_;
};

}  // namespace pintle::test
