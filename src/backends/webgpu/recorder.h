// Commands of the seam as commands of WebGPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/webgpu/flights.h"
#include "backends/webgpu/memory.h"
#include "backends/webgpu/own_kernels.h"
#include "pintle/backend/driver.h"

namespace pintle::webgpu {

/// Encodes one command buffer for a flight. The caller has a Catch: what the implementation refuses comes there. A
/// command is behind everything before it: WebGPU orders launches and copies by what they touch.
class Recorder {
 public:
  Recorder(Context& context, OwnKernels& own, Flight& flight) noexcept
      : context_(context), api_(context.api), own_(own), flight_(flight) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { end_pass(); }

  /// The list has no slots and no steps.
  [[nodiscard]] Result<void> record(const backend::Commands& list);
  /// Ends the command buffer and leaves it in the flight.
  [[nodiscard]] Result<void> finish();

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  Result<void> operator()(const backend::Exec& exec);
  Result<void> operator()(const backend::ExecIndirect& indirect);
  Result<void> operator()(const backend::Timestamp& timestamp);
  /// A list is cut at its steps before it comes here, and core replays what is not recorded here.
  template <class Other>
  Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that this device does not take is left in a list for it.");
  }

 private:
  /// Bytes of a buffer of WebGPU.
  struct Place {
    wg::Buffer buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t whole = 0;  ///< Bytes of the buffer.
  };
  struct Bound {
    wg::Buffer buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  /// A part of a buffer that can be bound, and where in it the wanted bytes begin.
  struct Window {
    Bound bound;
    std::uint32_t first = 0;
  };
  /// A grid, or where one lies.
  struct Launch {
    Grid grid{1, 1, 1};
    Staged grid_at{};
  };

  [[nodiscard]] static Place place_of(const backend::Range& range) noexcept;
  [[nodiscard]] static Place place_of(const Staged& staged) noexcept { return {staged.buffer, staged.offset, 0}; }
  [[nodiscard]] Result<wg::CommandEncoder> encoder();
  [[nodiscard]] Result<wg::ComputePass> pass();
  void end_pass() noexcept;
  [[nodiscard]] Window window_of(const Place& place, std::uint64_t size) const noexcept;
  [[nodiscard]] Result<void> copy_words(const Place& to, const Place& from, std::uint64_t size);
  [[nodiscard]] Result<void> copy(const Place& to, const Place& from, std::uint64_t size);
  [[nodiscard]] Result<void> copy_within(const Place& to, const Place& from, std::uint64_t size);
  [[nodiscard]] Result<void> move(const Place& to, const Place& from, std::uint64_t size);
  template <class Arguments>
  [[nodiscard]] Result<void> run_own(Kernel& kernel, std::span<const Bound> bound, const Arguments& arguments,
                                     std::uint64_t words);
  [[nodiscard]] Result<void> exec(const backend::Exec& exec, const Launch& launch);
  [[nodiscard]] Result<Bound> bind(const Kernel& kernel, std::size_t index, const backend::Range& range) const;
  [[nodiscard]] Result<void> launch(Kernel& kernel, std::span<const Bound> bound, std::span<const std::byte> scalars,
                                    const Launch& launch);
  [[nodiscard]] static bool shares_buffers(const Kernel& kernel, std::span<const Bound> bound) noexcept;
  [[nodiscard]] Result<void> set_groups(wg::ComputePass pass, const Kernel& kernel, const Pipeline& pipeline,
                                        std::span<const Bound> bound);

  Context& context_;
  const wg::Table& api_;
  OwnKernels& own_;
  Flight& flight_;
  const backend::Commands* list_ = nullptr;
  Owned<wg::CommandEncoder> encoder_;
  Owned<wg::ComputePass> pass_;
  const Pipeline* set_ = nullptr;  // what the pass has, with what is bound
  std::vector<Bound> bound_;
  bool is_first_ = true;  // nothing has been encoded yet
};

}  // namespace pintle::webgpu
