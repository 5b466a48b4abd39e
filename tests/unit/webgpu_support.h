// For tests that drive the webgpu backend through the seam, on every adapter that the machine has.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cpu_support.h"

namespace pintle::webgpu {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline backend::Driver& webgpu_driver() {
  static backend::Driver& driver = *webgpu::create_driver().release();
  return driver;
}

/// An open device, a queue, and what tests say often.
class WebgpuRig {
 public:
  explicit WebgpuRig(std::uint32_t ordinal)
      : device(must(webgpu_driver().open(ordinal, {}))), queue(must(device->create_queue({}))) {}
  ~WebgpuRig() { device->destroy_queue(queue); }

  backend::MemoryId allocate(std::uint64_t bytes) { return must(device->allocate(sized(bytes))); }
  template <class T>
  backend::MemoryId buffer(const std::vector<T>& values) {
    const auto memory = allocate(values.size() * sizeof(T));
    run(List({upload(memory, 0, values)}));
    return memory;
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
  Result<backend::ProgramId> try_load(std::string_view code, const std::vector<std::string>& signatures,
                                      const std::vector<backend::Constant>& constants = {}) {
    std::vector<Entry> entries;
    for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
    return device->load({"test", "wgsl", base::bytes_in(code), entries, constants});
  }
  std::uint64_t submit(const List& list) { return must(device->submit(queue, {}, list)); }
  void finish(std::uint64_t serial) { must(device->wait(queue, serial, soon())); }
  /// Submits, and waits until it is done.
  void run(const List& list) { finish(submit(list)); }

  std::unique_ptr<backend::Device> device;
  backend::QueueId queue;
};

/// Runs each test on every device.
class WebgpuTest : public testing::Test {
 protected:
  void SetUp() override {
    count_ = webgpu_driver().enumerate().devices.size();
    if (count_ == 0) GTEST_SKIP() << "PINTLE_WEBGPU names no library that has an adapter here";
  }
  template <class Body>
  void each(Body body) {
    for (std::uint32_t ordinal = 0; ordinal < count_; ++ordinal) {
      WebgpuRig rig(ordinal);
      SCOPED_TRACE(rig.device->info().name);
      body(rig);
    }
  }

 private:
  std::size_t count_ = 0;
};

}  // namespace pintle::test
