// The vendor's objects behind ours, and objects of the caller's: the structs of pintle/native/cuda.h and hip.h.
#pragma once

#include <cstdint>

#include "backends/cuda/context.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/queue.h"
#include "kit/native_types.h"

namespace pintle::cuda {

/// Fills in the struct that `query` names, of the device or of one of its objects.
[[nodiscard]] Result<void> answer_native(const kit::NativeQuery& query, Context& context, MemoryTable& memory,
                                         QueueTable& queues);

/// The device and the context that a caller gives; the context is null for HIP. `unsupported` for another type.
struct GivenDevice {
  vendor::cuda::Device device = 0;
  vendor::cuda::Context context = nullptr;
};
[[nodiscard]] Result<GivenDevice> given_device(const Platform& platform, const backend::NativeObject& object);

/// A stream of the caller's in this context; `invalid_argument` where it is another's.
[[nodiscard]] Result<vendor::cuda::Stream> given_stream(Context& context, const backend::NativeObject& object);

/// Memory of the caller's that the driver knows in this context; `invalid_argument` where it does not, or has less.
[[nodiscard]] Result<Block> given_memory(Context& context, const backend::NativeMemory& memory);

}  // namespace pintle::cuda
