// One kernel with its buffers on a device, ready to run any number of times.
#pragma once

#include <list>
#include <string_view>
#include <vector>

#include "cli/binding.h"
#include "pintle/buffer.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/program.h"
#include "pintle/queue.h"

namespace pintle::cli {

class Launch {
 public:
  /// Allocates a buffer for each binding that needs one.
  [[nodiscard]] static Result<Launch> create(const Device& device, Kernel kernel, const Extent& extent,
                                             std::vector<Binding> bindings);

  /// Brings every buffer to its start and runs the kernel once. The milliseconds of the run, from submission to
  /// completion.
  [[nodiscard]] Result<double> run();
  /// What the outputs hold, in the order of the bindings.
  [[nodiscard]] Result<std::vector<io::Array>> outputs();

 private:
  Launch(Queue queue, Kernel kernel, const Extent& extent)
      : queue_(std::move(queue)), kernel_(std::move(kernel)), extent_(extent) {}
  Result<void> add(const Device& device, Binding binding);
  Result<void> reset();

  struct Place {
    Buffer buffer;
    std::shared_ptr<const std::vector<std::byte>> start;  // none: zeros
    bool output = false;
  };

  Queue queue_;
  Kernel kernel_;
  Extent extent_;
  std::vector<Place> places_;
  std::list<std::vector<std::byte>> values_;  // which the arguments lend
  std::vector<KernelArgument> arguments_;
};

}  // namespace pintle::cli
