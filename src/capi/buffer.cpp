// Buffers.
#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/with.h"

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_buffer_allocate(pintle_device device, uint32_t dtype, size_t rank, const uint64_t* dims,
                                     const pintle_buffer_options* options, pintle_buffer* buffer, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, its->allocate(layout.dtype, layout.shape, std::move(how)));
    return make(buffer, std::move(made));
  });
}

pintle_status pintle_buffer_get_info(pintle_buffer buffer, pintle_buffer_info* info, pintle_error* error) {
  return with(buffer, error, [&](const Buffer& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_buffer_info"));
    out->dtype = static_cast<std::uint32_t>(its.dtype());
    out->bytes = its.size_bytes();
    fill_dims(out->rank, out->dims, its.shape());
    out->is_sealed = its.is_sealed() ? 1 : 0;
    return {};
  });
}

pintle_status pintle_buffer_map(pintle_buffer buffer, void** data, pintle_error* error) {
  return with(buffer, error, [&](Buffer& its) -> Result<void> {
    PINTLE_TRY(given(data, "data"));
    PINTLE_ASSIGN(bytes, its.map());
    *data = bytes.data();
    return {};
  });
}

pintle_status pintle_buffer_map_read(pintle_buffer buffer, const void** data, pintle_error* error) {
  return with(buffer, error, [&](Buffer& its) -> Result<void> {
    PINTLE_TRY(given(data, "data"));
    PINTLE_ASSIGN(bytes, its.map_read());
    *data = bytes.data();
    return {};
  });
}

pintle_status pintle_buffer_unmap(pintle_buffer buffer, pintle_error* error) {
  return with(buffer, error, [](Buffer& its) -> Result<void> {
    its.unmap();
    return {};
  });
}

pintle_status pintle_buffer_seal(pintle_buffer buffer, pintle_error* error) {
  return with(buffer, error, [](Buffer& its) { return its.seal(); });
}

pintle_status pintle_buffer_release(pintle_buffer buffer, pintle_error* error) {
  return enter(error, [&] { return release(buffer); });
}
