// Commands as enqueues: one visitor over a list, or over a recording with its bindings.
#pragma once

#include <span>

#include "backends/opencl/api.h"
#include "backends/opencl/images.h"
#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/recording.h"
#include "kit/bound.h"
#include "pintle/backend/command.h"

namespace pintle::opencl {

class Enqueue {
 public:
  /// Each command that the driver has taken sets `has_started`.
  Enqueue(cl_command_queue queue, const backend::Commands& list, std::span<const backend::Binding> bindings,
          bool& has_started, Recording* recording = nullptr) noexcept
      : queue_(queue), list_(list), bindings_(bindings), has_started_(has_started), recording_(recording) {}

  /// The last command makes `*last`, unless that command moves no bytes.
  [[nodiscard]] Result<void> all(cl_event* last);

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::CopyImage& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  Result<void> operator()(const backend::Exec& exec);
  Result<void> operator()(const backend::Replay& replay);
  /// A step does not come here.
  template <class Step>
  Result<void> operator()(const Step&) {
    return Error(Errc::internal, "A command that is a step is enqueued.");
  }

 private:
  [[nodiscard]] backend::Range place(const backend::Range& range) const noexcept {
    return kit::bound(range, bindings_);
  }
  [[nodiscard]] Result<void> copy_block(const backend::CopyImage& copy, const ImageBlock& block);
  [[nodiscard]] Result<void> set_argument(BoundKernel& bound, const Kernel& kernel, std::uint32_t index,
                                          const backend::Argument& argument) const;
  [[nodiscard]] Result<void> set_arguments(BoundKernel& bound, const Kernel& kernel,
                                           std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<void> launch(BoundKernel& bound, const Kernel& kernel, const backend::Exec& exec);
  template <class Transfer>
  [[nodiscard]] Result<void> in_pieces(std::uint64_t size, std::string_view call, Transfer transfer);
  [[nodiscard]] Result<void> started(cl_int status, std::string_view call);

  const cl_command_queue queue_;
  const backend::Commands& list_;
  const std::span<const backend::Binding> bindings_;
  bool& has_started_;
  Recording* const recording_;
  std::size_t index_ = 0;      // of the command
  cl_event* event_ = nullptr;  // of the command
};

}  // namespace pintle::opencl
