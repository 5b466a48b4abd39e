// A device of a backend over a simulator, a queue, and what tests say often.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "pintle/backend/driver.h"
#include "pintle/must.h"
#include "unit/cpu_support.h"
#include "unit/seam_support.h"

namespace pintle::test {

/// What is tested, and the format of its sources: each program of tests says it.
std::unique_ptr<backend::Driver> create_driver();
extern const std::string_view source_format;

inline constexpr std::string_view source = R"(
extern "C" __global__ void add(unsigned* x, unsigned a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += a;
}
extern "C" __global__ void hold(volatile unsigned* gate) { while (*gate == 0) {} }
extern "C" __global__ void store(unsigned long long at) { *(volatile unsigned*)at = 1; }
extern "C" __global__ void __launch_bounds__(32) few() {}
extern "C" __global__ void ends(unsigned at, unsigned size, unsigned* out) {
  extern __shared__ unsigned char memory[];
  memory[at] = 3;
  memory[at + size - 1] = 4;
  out[0] = memory[at] + memory[at + size - 1];
}
)";
inline const std::vector<std::string> signatures{"add(x: read_write u32[], a: u32, n: u32) group 64",
                                                 "hold(gate: read u32[])", "store(at: u64)",
                                                 "ends(memory: local u8[], size: u32, out: write u32[])"};
enum class Entries : std::uint32_t { add, hold, store, ends };

inline Result<std::unique_ptr<backend::Device>> try_open(std::uint32_t ordinal = 0, std::vector<Option> options = {}) {
  return create_driver()->open(ordinal, options);
}

/// Tells the absences in a process of its own, which has not asked the driver yet, and ends it with 3.
[[noreturn]] inline void tell_absences(const char* variable, const char* value) {
  setenv(variable, value, 1);
  for (const Absence& absence : create_driver()->enumerate().absences)
    std::cerr << absence.reason << " " << absence.next_step << "\n";
  std::_Exit(3);
}

/// A device, a queue, and what tests say often.
class Rig {
 public:
  explicit Rig(std::uint32_t ordinal = 0)
      : device(must(try_open(ordinal))), queue(must(device->create_queue({QueueKind::compute, 0, {}}))) {}

  Result<backend::ProgramId> try_load(const std::vector<std::string>& all, std::string_view code = source,
                                      std::string_view format = source_format) {
    std::vector<Entry> entries;
    for (const std::string& signature : all) entries.push_back(must(Entry::parse(signature)));
    return device->load({"test", format, base::bytes_in(code), entries, {}});
  }
  /// Why `source` does not load with a signature, else "loads".
  std::string refusal_of(const std::string& signature) {
    const auto loaded = try_load({signature});
    return loaded ? std::string("loads") : loaded.error().text();
  }
  backend::MemoryId allocate(std::uint64_t bytes, Placement placement = Placement::device) {
    return must(device->allocate({bytes, 1, placement, "test"}));
  }
  void launch(List& list, Entries entry, const std::vector<backend::Argument>& arguments, std::uint32_t groups = 1) {
    if (program_ == backend::ProgramId::none) program_ = must(try_load(signatures));
    add_launch(list, program_, static_cast<std::uint32_t>(entry), {groups, 1, 1}, arguments);
  }
  std::uint64_t submit(const List& list) { return must(device->submit(queue, {}, list)); }
  void finish(std::uint64_t serial) { must(device->wait(queue, serial, soon())); }
  void run(const List& list) { finish(submit(list)); }

  void write(backend::MemoryId to, const std::vector<std::byte>& bytes) {
    List list;
    list.add(backend::Upload{range_of(to, 0, bytes.size()), {bytes.data(), bytes.size(), backend::no_slot}});
    run(list);
  }
  std::vector<std::byte> read(backend::MemoryId from, std::uint64_t size) {
    std::vector<std::byte> bytes(size);
    List list;
    list.add(backend::Download{{bytes.data(), size, backend::no_slot}, range_of(from, 0, size)});
    run(list);
    return bytes;
  }
  /// Holds the queue until `let_go`.
  volatile std::uint32_t* hold() {
    const auto gate = allocate(4, Placement::host);
    auto* const word = reinterpret_cast<std::uint32_t*>(must(device->map(gate)).data());
    *word = 0;
    List list;
    launch(list, Entries::hold, {buffer_argument(range_of(gate, 0, 4))});
    held_ = submit(list);
    return word;
  }
  void let_go(volatile std::uint32_t* gate) {
    *gate = 1;
    finish(held_);
  }

  std::unique_ptr<backend::Device> device;
  backend::QueueId queue;

 private:
  backend::ProgramId program_ = backend::ProgramId::none;
  std::uint64_t held_ = 0;
};

}  // namespace pintle::test
