// For tests that drive the cpu backend through the seam, without core.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/backend/driver.h"
#include "pintle/must.h"
#include "seam_support.h"

namespace pintle::cpu {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline Result<std::unique_ptr<backend::Device>> try_open_cpu(std::vector<Option> options) {
  return cpu::create_driver()->open(0, options);
}

/// A device, a queue, and what tests say often.
class CpuRig {
 public:
  explicit CpuRig(std::vector<Option> options = {}, std::uint64_t first_serial = 0)
      : device(must(try_open_cpu(std::move(options)))),
        queue(must(device->create_queue({QueueKind::compute, first_serial, {}}))) {}

  backend::MemoryId allocate(std::uint64_t bytes) { return must(device->allocate(sized(bytes))); }

  template <class T>
  backend::MemoryId buffer(const std::vector<T>& values) {
    const auto memory = allocate(values.size() * sizeof(T));
    std::memcpy(must(device->map(memory)).data(), values.data(), values.size() * sizeof(T));
    return memory;
  }
  template <class T>
  std::vector<T> read(backend::MemoryId memory) {
    const auto bytes = must(device->map(memory));
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  backend::ProgramId load(std::string_view format, std::span<const std::byte> code, const std::vector<Entry>& entries) {
    return must(device->load({"test", format, code, entries, {}}));
  }
  backend::ProgramId native(const std::vector<std::string>& signatures) {
    std::vector<Entry> entries;
    for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
    return load("native", {}, entries);
  }

  /// Submits, and waits until it is done.
  void run(const List& list) { finish(must(device->submit(queue, {}, list))); }
  void finish(std::uint64_t serial) { must(device->wait(queue, serial, soon())); }

  std::unique_ptr<backend::Device> device;
  backend::QueueId queue;
};

inline backend::Range range_of(backend::MemoryId memory, std::uint64_t offset, std::uint64_t size) {
  return {memory, 0, offset, size, backend::no_slot};
}

inline backend::Argument buffer_argument(backend::Range range) {
  backend::Argument argument;
  argument.range = range;
  return argument;
}

template <class T>
backend::Scalar scalar_of(T value) {
  backend::Scalar scalar;
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

template <class T>
backend::Argument scalar_argument(T value) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::scalar;
  argument.dtype = dtype_of<T>();
  argument.scalar = scalar_of(value);
  return argument;
}

inline backend::Argument local_argument(DType dtype, std::uint64_t bytes) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::local;
  argument.dtype = dtype;
  argument.range.size = bytes;
  return argument;
}

inline backend::Argument null_argument() {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::null;
  return argument;
}

/// `bytes` stay valid as long as the argument.
inline backend::Argument value_argument(DType dtype, std::span<const std::byte> bytes) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::value;
  argument.dtype = dtype;
  argument.range.size = bytes.size();
  argument.value = bytes.data();
  return argument;
}

/// Adds a launch to a list.
inline void add_launch(List& list, backend::ProgramId program, std::uint32_t entry, Grid grid,
                       std::span<const backend::Argument> arguments) {
  backend::Exec exec;
  exec.program = program;
  exec.entry = entry;
  exec.first_argument = static_cast<std::uint32_t>(list.arguments.size());
  exec.argument_count = static_cast<std::uint32_t>(arguments.size());
  exec.grid = grid;
  list.arguments.insert(list.arguments.end(), arguments.begin(), arguments.end());
  list.add(exec);
}

/// A list of one launch.
inline List launch(backend::ProgramId program, std::uint32_t entry, Grid grid,
                   const std::vector<backend::Argument>& arguments) {
  List list;
  add_launch(list, program, entry, grid, arguments);
  return list;
}

}  // namespace pintle::test
