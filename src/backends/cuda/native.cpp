#include "backends/cuda/native.h"

#include <fmt/format.h>

#include <optional>

#include "pintle/native/cuda.h"
#include "pintle/native/hip.h"

namespace pintle::cuda {
namespace {

template <class DeviceStruct, class MemoryStruct, class QueueStruct>
struct Structs {
  using Device = DeviceStruct;
  using Memory = MemoryStruct;
  using Queue = QueueStruct;
};

/// What `use` answers with the structs of the platform.
template <class Use>
auto with_structs(const Platform& platform, Use use) {
  if (platform.names().has_contexts) return use(Structs<CudaDevice, CudaMemory, CudaQueue>{});
  return use(Structs<hip::HipDevice, hip::HipMemory, hip::HipQueue>{});
}

template <class All>
Error unknown(const Platform& platform, std::string_view type) {
  return kit::unknown_native_type<typename All::Device, typename All::Memory, typename All::Queue>(
      type, platform.names().backend);
}

template <class T>
const T& value_of(const backend::NativeObject& object) noexcept {
  return *static_cast<const T*>(object.value);
}

template <class DeviceStruct>
DeviceStruct device_struct(const Context& context) noexcept {
  DeviceStruct filled;
  filled.device = context.found().device;
  if constexpr (requires { filled.context; }) filled.context = context.handle();
  return filled;
}

/// HIP has one context for each device.
Error of_another_context(const Context& context, std::string_view what) {
  if (!context.platform().names().has_contexts)
    return Error(Errc::invalid_argument, fmt::format("{} is of another device than [{}].", what, context.id()));
  return Error(Errc::invalid_argument,
               fmt::format("{} is of another context than that of [{}]. Wrap its own context, or open the primary one "
                           "(cuda:{}?primary), which CUDA's runtime and PyTorch use.",
                           what, context.id(), context.found().device));
}

/// Memory of a pool of the driver's has no context.
bool is_reachable(const Context& context, DevicePointer address) {
  vendor::cuda::Context its = nullptr;
  const Status told =
      context.ask<&Calls::cuPointerGetAttribute>(&its, vendor::cuda::PointerAttribute::context, address);
  return told != Status::CUDA_SUCCESS || its == nullptr || its == context.handle();
}

}  // namespace

Result<void> answer_native(const kit::NativeQuery& query, Context& context, MemoryTable& memory, QueueTable& queues) {
  const Platform& platform = context.platform();
  return with_structs(platform, [&]<class All>(All) {
    const auto memory_of = [&](std::uint64_t id) -> Result<std::optional<typename All::Memory>> {
      const Piece* const piece = memory.find(backend::MemoryId{id});
      if (piece == nullptr) return std::nullopt;
      return typename All::Memory{piece->address(), piece->host(), context.found().device};
    };
    const auto queue_of = [&](std::uint64_t id) -> Result<std::optional<typename All::Queue>> {
      const auto queue = queues.find(backend::QueueId{id});
      if (queue == nullptr) return std::nullopt;
      return typename All::Queue{queue->stream()};
    };
    return kit::answer_native(query, platform.names().backend,
                              kit::native_device(device_struct<typename All::Device>(context)),
                              kit::native_type<typename All::Memory>("a buffer", memory_of),
                              kit::native_type<typename All::Queue>("a queue", queue_of));
  });
}

Result<GivenDevice> given_device(const Platform& platform, const backend::NativeObject& object) {
  return with_structs(platform, [&]<class All>(All) -> Result<GivenDevice> {
    if (object.type != All::Device::native_type) return unknown<All>(platform, object.type);
    const auto& given = value_of<typename All::Device>(object);
    GivenDevice its{given.device, nullptr};
    if constexpr (requires { given.context; }) {
      its.context = static_cast<vendor::cuda::Context>(given.context);
      if (its.context == nullptr) return Error(Errc::invalid_argument, "The CUcontext to wrap is null.");
    }
    return its;
  });
}

Result<vendor::cuda::Stream> given_stream(Context& context, const backend::NativeObject& object) {
  return with_structs(context.platform(), [&]<class All>(All) -> Result<vendor::cuda::Stream> {
    if (object.type != All::Queue::native_type) return unknown<All>(context.platform(), object.type);
    auto* const stream = static_cast<vendor::cuda::Stream>(value_of<typename All::Queue>(object).stream);
    if (stream == vendor::cuda::stream_per_thread)
      return Error(Errc::invalid_argument,
                   "The default stream of each thread cannot be wrapped: it is another one in a thread of Pintle's.");
    vendor::cuda::Context its = nullptr;
    PINTLE_TRY(context.call<&Calls::cuStreamGetCtx>(stream, &its));
    if (its == context.handle()) return stream;
    return of_another_context(context, "The stream to wrap");
  });
}

Result<Block> given_memory(Context& context, const backend::NativeMemory& memory) {
  return with_structs(context.platform(), [&]<class All>(All) -> Result<Block> {
    if (memory.object.type != All::Memory::native_type) return unknown<All>(context.platform(), memory.object.type);
    const auto& given = value_of<typename All::Memory>(memory.object);
    DevicePointer base = 0;
    std::size_t size = 0;
    if (context.ask<&Calls::cuMemGetAddressRange>(&base, &size, given.address) != Status::CUDA_SUCCESS)
      return Error(Errc::invalid_argument,
                   fmt::format("Address ({:#x}) is not of memory that the driver has given on [{}].", given.address,
                               context.id()));
    if (!is_reachable(context, given.address))
      return of_another_context(context, fmt::format("Memory at ({:#x})", given.address));
    const std::uint64_t left = size - (given.address - base);
    if (left < memory.size)
      return Error(Errc::invalid_argument, fmt::format("Memory at ({:#x}) on [{}] has ({}) bytes, and ({}) are wanted.",
                                                       given.address, context.id(), left, memory.size));
    return Block{given.address, static_cast<std::byte*>(given.host), kit::Suballocator(memory.size)};
  });
}

}  // namespace pintle::cuda
