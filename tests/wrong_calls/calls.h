// One random program of right and wrong calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pintle/pintle.h"
#include "random.h"

namespace pintle::wrong_calls {

using differential::Random;

/// How calls ended.
struct Counts {
  std::uint64_t done = 0;
  std::map<Errc, std::uint64_t> refused;

  template <class T>
  bool add(const Result<T>& result) {
    if (result) ++done;
    else ++refused[result.error().code()];
    return result.has_value();
  }
};

class Calls {
 public:
  Calls(Device device, const ProgramPack& pack, std::uint64_t seed, Counts& counts);

  /// Makes `count` calls, and then a right submission. An error is a defect.
  Result<void> run(int count);

 private:
  void allocate();
  void let_go();
  void submit();
  void replay();
  void load_broken_text();
  [[nodiscard]] BufferView view();
  [[nodiscard]] BufferView words(std::uint64_t count);
  [[nodiscard]] Grid grid();
  void add_command(CommandList& list);
  void add_launch(CommandList& list);
  void add_transfer(CommandList& list);
  [[nodiscard]] Result<void> submit_right();

  Device device_;
  Random random_;
  Counts& counts_;
  std::vector<Kernel> kernels_;
  std::vector<Buffer> buffers_;
  std::vector<BufferView> views_;  // of buffers that may be gone
  std::vector<std::vector<std::byte>> host_;
  std::vector<Recording> recordings_;
  Queue queue_;
};

/// Code in a format of the device's, with letters changed.
std::optional<ProgramPack> broken_text(const DeviceInfo& device, Random& random);

}  // namespace pintle::wrong_calls
