// What stands behind each kind of handle, and the tables of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/handle_table.h"
#include "pintle/c/pintle.h"
#include "pintle/pintle.h"

namespace pintle::capi {

/// What was listed, and the id of each device by its name.
struct ListedDevices : DeviceList {
  std::vector<std::string> names{};
};

/// A signal, of the caller or of a queue's points.
struct SignalObject {
  Signal signal;
  bool is_of_queue = false;
};

/// Ends the signal that a queue's points name.
void end_timeline(pintle_signal timeline) noexcept;

/// A queue of any kind, and the handle of the signal that its points name.
template <class Its>
struct QueueOf {
  Its queue;
  pintle_signal timeline;

  QueueOf(Its its, pintle_signal signal) noexcept : queue(std::move(its)), timeline(signal) {}
  QueueOf(const QueueOf&) = delete;
  QueueOf& operator=(const QueueOf&) = delete;
  ~QueueOf() { end_timeline(timeline); }
};
using QueueObject = QueueOf<Queue>;

/// The number, the name and the table of a handle's type. The numbers are stable: a handle of a kind keeps its bits.
/// Those of other headers: images and texts from 20 on, memory from 30 on, plans from 40 on, ranks from 50 on.
template <class Handle>
struct Kind;

#define PINTLE_C_KIND(handle, object, number, word)            \
  template <>                                                  \
  struct Kind<handle> {                                        \
    using Object = object;                                     \
    static constexpr std::string_view name = word;             \
    static inline constinit HandleTable<object, number> table; \
  }
PINTLE_C_KIND(pintle_device, Device, 1, "device");
PINTLE_C_KIND(pintle_device_list, ListedDevices, 2, "device list");
PINTLE_C_KIND(pintle_buffer, Buffer, 3, "buffer");
PINTLE_C_KIND(pintle_pack, ProgramPack, 4, "pack");
PINTLE_C_KIND(pintle_program, Program, 5, "program");
PINTLE_C_KIND(pintle_kernel, Kernel, 6, "kernel");
PINTLE_C_KIND(pintle_list, CommandList, 7, "list");
PINTLE_C_KIND(pintle_queue, QueueObject, 8, "queue");
PINTLE_C_KIND(pintle_signal, SignalObject, 9, "signal");
PINTLE_C_KIND(pintle_recording, Recording, 10, "recording");

template <class Handle>
using Use = typename decltype(Kind<Handle>::table)::Use;

/// Why a handle has no object: it is none, was released, or belongs to another type.
[[nodiscard]] Error no_object(std::string_view kind, std::uint64_t id, bool was_made);
[[nodiscard]] Error no_place(std::string_view kind);

/// Why a handle names no object.
template <class Handle>
[[nodiscard]] Error missing(Handle handle) {
  return no_object(Kind<Handle>::name, handle.id, Kind<Handle>::table.was_made(handle.id));
}

/// The object of a handle, for as long as the use lives.
template <class Handle>
[[nodiscard]] Result<Use<Handle>> use(Handle handle) {
  auto found = Kind<Handle>::table.find(handle.id);
  if (!found) [[unlikely]]
    return missing(handle);
  return found;
}

/// The object of a handle that ends with this call: empty where there is none, and `missing` says why.
template <class Handle>
[[nodiscard]] auto take(Handle handle) noexcept {
  return Kind<Handle>::table.take(handle.id);
}

/// Makes an object and answers its handle in `out`.
template <class Handle, class... Parts>
[[nodiscard]] Result<void> make(Handle* out, Parts&&... parts) {
  const std::uint64_t id = Kind<Handle>::table.make(std::forward<Parts>(parts)...);
  if (id == 0) return no_place(Kind<Handle>::name);
  out->id = id;
  return {};
}

/// Makes the handle of a queue, and that of the signal that its points name.
template <class Handle, class Its>
[[nodiscard]] Result<void> make_queue(Handle* out, Its made) {
  pintle_signal timeline;
  PINTLE_TRY(make(&timeline, made.last().signal(), true));
  Result<void> result = make(out, std::move(made), timeline);
  if (!result) end_timeline(timeline);
  return result;
}

template <class Handle>
[[nodiscard]] Result<void> release(Handle handle) {
  if (Kind<Handle>::table.release(handle.id)) return {};
  return missing(handle);
}

}  // namespace pintle::capi
