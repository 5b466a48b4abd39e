// Buffers over memory that is there already.
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/release_call.h"
#include "capi/structs.h"
#include "capi/values.h"
#include "pintle/c/memory.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

struct Import {
  Access access = Access::read_write;
  std::string label;
  void (*released)(void* data) = nullptr;
  void* data = nullptr;
};

Result<Import> options_of(const pintle_import_options* options) {
  Import out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_import_options"));
  PINTLE_ASSIGN(access, enumerator_or(out.access, in->access, Access::read_write, "access"));
  out.access = access;
  out.label = text_or_none(in->label);
  out.released = in->released;
  out.data = in->data;
  return out;
}

}  // namespace

pintle_status pintle_buffer_import(pintle_device device, void* memory, size_t bytes, uint32_t dtype, size_t rank,
                                   const uint64_t* dims, const pintle_import_options* options, pintle_buffer* buffer,
                                   pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(memory, "memory"));
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    const auto release_call = std::make_shared<ReleaseCall>();
    const std::span range(static_cast<const std::byte*>(memory), bytes);
    PINTLE_ASSIGN(made, its->import_host(range, how.access, layout.dtype, layout.shape, release_call, how.label));
    PINTLE_TRY(make(buffer, std::move(made)));
    release_call->arm(how.released, how.data);
    return {};
  });
}

pintle_status pintle_buffer_map_file(pintle_device device, const char* path, uint64_t offset, uint32_t dtype,
                                     size_t rank, const uint64_t* dims, const char* label, pintle_buffer* buffer,
                                     pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(path, "path"));
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, its->map_file(path, offset, layout.dtype, layout.shape, text_or_none(label)));
    return make(buffer, std::move(made));
  });
}

pintle_status pintle_queue_fork(pintle_queue queue, pintle_buffer buffer, const char* label, pintle_buffer* fork,
                                pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(fork, "fork"));
    PINTLE_ASSIGN(its, use(queue));
    PINTLE_ASSIGN(parent, use(buffer));
    PINTLE_ASSIGN(made, its->queue.fork(*parent, text_or_none(label)));
    return make(fork, std::move(made));
  });
}

pintle_status pintle_buffer_keep(pintle_buffer buffer, void (*released)(void* data), void* data, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(released), "released"));
    PINTLE_ASSIGN(its, use(buffer));
    const auto release_call = std::make_shared<ReleaseCall>();
    PINTLE_TRY(its->keep(release_call));
    release_call->arm(released, data);
    return {};
  });
}

pintle_status pintle_queue_check(pintle_queue queue, const pintle_view* view, uint32_t access, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(kind, enumerator(access, Access::read_write, "access"));
    PINTLE_ASSIGN(its, use(queue));
    PINTLE_ASSIGN(asked, view_of(view));
    return its->queue.check(asked, kind);
  });
}
