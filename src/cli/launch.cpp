#include "cli/launch.h"

#include <chrono>
#include <memory>
#include <utility>

namespace pintle::cli {

Result<Launch> Launch::create(const Device& device, Kernel kernel, const Extent& extent,
                              std::vector<Binding> bindings) {
  PINTLE_ASSIGN(queue, device.create_queue());
  Launch launch(std::move(queue), std::move(kernel), extent);
  for (Binding& binding : bindings) PINTLE_TRY(launch.add(device, std::move(binding)));
  return launch;
}

Result<void> Launch::add(const Device& device, Binding binding) {
  if (binding.scalar) {
    arguments_.emplace_back(*binding.scalar);
    return {};
  }
  if (binding.is_null) {
    arguments_.emplace_back(nullptr);
    return {};
  }
  if (binding.parameter.kind == Parameter::Kind::local) {
    arguments_.emplace_back(Local{binding.elements});
    return {};
  }
  if (binding.parameter.kind == Parameter::Kind::value) {
    values_.push_back(std::move(binding.value));
    arguments_.emplace_back(ByValue{values_.back()});
    return {};
  }
  PINTLE_ASSIGN(buffer, device.allocate(binding.dtype(), binding.shape(), {.label = binding.parameter.name}));
  Place place{std::move(buffer), nullptr, binding.output.has_value()};
  if (binding.input) place.start = std::make_shared<const std::vector<std::byte>>(std::move(binding.input->bytes));
  const auto& texel = binding.parameter.texel;
  arguments_.emplace_back(texel ? KernelArgument(TexelBuffer{place.buffer, *texel}) : KernelArgument(place.buffer));
  places_.push_back(std::move(place));
  return {};
}

Result<void> Launch::reset() {
  CommandList list;
  for (const Place& place : places_) {
    if (place.start) {
      list.upload_retained(place.buffer, place.start, *place.start);
    } else {
      PINTLE_ASSIGN(bytes, place.buffer.view().as(DType::u8, Shape{place.buffer.size_bytes()}));
      list.fill(bytes, std::uint8_t{0});
    }
  }
  return queue_.submit_and_wait(std::move(list));
}

Result<double> Launch::run() {
  PINTLE_TRY(reset());
  const auto start = std::chrono::steady_clock::now();
  CommandList list;
  list.exec_with(kernel_, extent_, arguments_);
  PINTLE_TRY(queue_.submit_and_wait(std::move(list)));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Result<std::vector<io::Array>> Launch::outputs() {
  std::vector<io::Array> arrays;
  for (const Place& place : places_) {
    if (!place.output) continue;
    // The device may write these bytes past a timeout, so the list shares them.
    const auto bytes = std::make_shared<std::vector<std::byte>>(place.buffer.size_bytes());
    PINTLE_TRY(queue_.submit_and_wait(CommandList{}.download_retained(bytes, *bytes, place.buffer)));
    arrays.push_back({place.buffer.dtype(), place.buffer.shape(), std::move(*bytes)});
  }
  return arrays;
}

}  // namespace pintle::cli
