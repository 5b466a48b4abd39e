// For tests that drive a backend over a vendor's driver through the seam, on every device that the machine has.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cpu_support.h"

namespace pintle::test {

/// An open device, a queue, and what tests say often.
class SeamRig {
 public:
  SeamRig(backend::Driver& driver, std::uint32_t ordinal, std::uint64_t first_serial = 0)
      : device(must(driver.open(ordinal, {}))),
        queue(must(device->create_queue({QueueKind::compute, first_serial, {}}))) {}
  SeamRig(const SeamRig&) = delete;
  SeamRig& operator=(const SeamRig&) = delete;
  ~SeamRig() { device->destroy_queue(queue); }

  [[nodiscard]] bool has(Feature feature) const {
    return device->info().capability(feature).support != Support::absent;
  }
  backend::MemoryId allocate(std::uint64_t bytes) { return must(device->allocate(sized(bytes))); }
  template <class T>
  backend::MemoryId buffer(const std::vector<T>& values) {
    const auto memory = allocate(values.size() * sizeof(T));
    write(memory, 0, values);
    return memory;
  }
  template <class T>
  void write(backend::MemoryId memory, std::uint64_t offset, const std::vector<T>& values) {
    run(List({upload(memory, offset, values)}));
  }
  template <class T>
  std::vector<T> read(backend::MemoryId memory, std::uint64_t offset, std::size_t count) {
    std::vector<T> values(count);
    run(List({download(values, memory, offset)}));
    return values;
  }
  template <class T>
  static backend::Upload upload(backend::MemoryId memory, std::uint64_t offset, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {range_of(memory, offset, bytes.size()), {bytes.data(), bytes.size(), backend::no_slot}};
  }
  template <class T>
  static backend::Download download(std::vector<T>& values, backend::MemoryId memory, std::uint64_t offset) {
    const auto bytes = std::as_writable_bytes(std::span(values));
    return {{bytes.data(), bytes.size(), backend::no_slot}, range_of(memory, offset, bytes.size())};
  }

  Result<backend::ProgramId> try_load(std::string_view format, std::span<const std::byte> code,
                                      const std::vector<std::string>& signatures,
                                      const std::vector<backend::Constant>& constants = {}) {
    std::vector<Entry> entries;
    for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
    return device->load({"test", format, code, entries, constants});
  }

  std::uint64_t submit(const List& list) { return must(device->submit(queue, {}, list)); }
  void finish(std::uint64_t serial) { must(device->wait(queue, serial, soon())); }
  /// Submits, and waits until it is done.
  void run(const List& list) { finish(submit(list)); }

  std::unique_ptr<backend::Device> device;
  backend::QueueId queue;
};

/// Runs each test on every device of the driver that Rig opens.
template <class Rig>
class SeamTest : public testing::Test {
 protected:
  void SetUp() override {
    count_ = Rig::driver().enumerate().devices.size();
    if (count_ == 0) GTEST_SKIP() << Rig::nothing;
  }
  template <class Body>
  void each(Body body, std::uint64_t first_serial = 0) {
    for (std::uint32_t ordinal = 0; ordinal < count_; ++ordinal) {
      Rig rig(ordinal, first_serial);
      SCOPED_TRACE(rig.device->info().name);
      body(rig);
    }
  }

 private:
  std::size_t count_ = 0;
};

}  // namespace pintle::test
