// Native objects, out and in.
#include <utility>

#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/native_structs.h"
#include "capi/objects.h"
#include "capi/queue_values.h"
#include "pintle/c/native.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// Fills the struct with what lies behind the object.
template <class Object>
Result<void> hand_out(const Object& object, pintle_native* native) {
  return with_struct(native, [&]<class InC>(NativeStruct<InC> kind) -> Result<void> {
    PINTLE_ASSIGN(out, kind.writable(native));
    PINTLE_ASSIGN(found, object.template native<typename NativeStruct<InC>::Its>());
    fill(*out, found);
    return {};
  });
}

/// Calls `wrap` with the library's struct.
template <class Wrap>
Result<void> take_in(const pintle_native* native, Wrap wrap) {
  return with_struct(native, [&]<class InC>(NativeStruct<InC> kind) -> Result<void> {
    PINTLE_ASSIGN(in, kind.readable(native));
    return wrap(value_of(*in));
  });
}

}  // namespace

pintle_status pintle_device_get_native(pintle_device device, pintle_native* native, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(device));
    return hand_out(*its, native);
  });
}

pintle_status pintle_queue_get_native(pintle_queue queue, pintle_native* native, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(queue));
    return hand_out(its->queue, native);
  });
}

pintle_status pintle_buffer_get_native(pintle_buffer buffer, pintle_native* native, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(buffer));
    return hand_out(*its, native);
  });
}

pintle_status pintle_device_wrap(const pintle_native* native, pintle_device* device, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(device, "device"));
    return take_in(native, [&](const auto& theirs) -> Result<void> {
      PINTLE_ASSIGN(made, wrap_native(theirs));
      return make(device, std::move(made));
    });
  });
}

pintle_status pintle_queue_wrap(pintle_device device, const pintle_native* native, const pintle_queue_options* options,
                                pintle_queue* queue, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(queue, "queue"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    return take_in(native, [&](const auto& theirs) -> Result<void> {
      PINTLE_ASSIGN(made, its->wrap_native(theirs, how));
      return make_queue(queue, std::move(made));
    });
  });
}

pintle_status pintle_buffer_wrap(pintle_device device, const pintle_native* native, uint32_t dtype, size_t rank,
                                 const uint64_t* dims, const char* label, pintle_buffer* buffer, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(its, use(device));
    return take_in(native, [&](const auto& theirs) -> Result<void> {
      PINTLE_ASSIGN(made, its->wrap_native(theirs, layout.dtype, layout.shape, text_or_none(label)));
      return make(buffer, std::move(made));
    });
  });
}

pintle_status pintle_cpu_register_kernel(const char* symbol,
                                         void (*kernel)(const pintle_group* group, void* const* arguments),
                                         pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(symbol, "symbol"));
    PINTLE_TRY(given(reinterpret_cast<const void*>(kernel), "kernel"));
    return cpu::register_kernel(symbol, kernel);
  });
}
