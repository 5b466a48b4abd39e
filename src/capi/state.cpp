// States.
#include "pintle/c/state.h"

#include <fmt/format.h>
#include <algorithm>

#include "capi/answers.h"
#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/host_memory.h"
#include "capi/state_objects.h"
#include "capi/structs.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// What a function of the caller's has answered.
Result<void> outcome_of(pintle_status status) {
  if (status == PINTLE_OK) return {};
  if (status < 0 || status > PINTLE_INTERNAL)
    return Error(Errc::invalid_argument,
                 fmt::format("The function that refills answers ({}), which is no status.", status));
  const Errc code = static_cast<Errc>(status);
  return Error(code, fmt::format("The function that refills answers {}.", name(code)));
}

Result<Keep> keep_of(const pintle_state_options& options) {
  PINTLE_ASSIGN(kind, enumerator_or(Keep::Kind::lost, options.keep, Keep::Kind::refill, "keep"));
  if (kind == Keep::Kind::lost) return Keep::lost();
  if (kind == Keep::Kind::host_shadow) return Keep::host_shadow();
  PINTLE_TRY(given(reinterpret_cast<const void*>(options.fill), "pintle_state_options.fill"));
  return Keep::refill([fill = options.fill, data = options.data](std::span<std::byte> bytes) {
    return outcome_of(fill(data, bytes.data(), bytes.size()));
  });
}

struct Options {
  Keep keep = Keep::lost();
  HandleOptions memory{};
};

Result<Options> options_of(const pintle_state_options* options) {
  Options out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_state_options"));
  PINTLE_ASSIGN(keep, keep_of(*in));
  PINTLE_ASSIGN(placement, enumerator_or(Placement::device, in->placement, Placement::host, "placement"));
  out.keep = std::move(keep);
  out.memory.placement = placement;
  if (in->alignment != 0) out.memory.alignment = in->alignment;
  return out;
}

Result<void> check_dtype(const Handle& handle, std::uint32_t number) {
  PINTLE_ASSIGN(dtype, dtype_if_given(number));
  if (!dtype || *dtype == handle.dtype()) return {};
  return Error(Errc::invalid_argument, fmt::format("Elements of dtype ({}) do not fit the dtype ({}) of {}.",
                                                   name(*dtype), name(handle.dtype()), handle.text()));
}

template <class Body>
pintle_status with_state(pintle_state state, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(state));
    return body(**its);
  });
}

/// A call that submits to a queue. `start(handle, queue, timeout)` answers a Result<Point>.
template <class Start>
pintle_status submit(pintle_state state, pintle_queue queue, std::int64_t timeout, pintle_point* point,
                     pintle_error* error, Start start) {
  return with_state(state, error, [&](State& its) -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(done, start(its.handle(), on->queue, bound));
    answer(point, on->timeline, done);
    return {};
  });
}

}  // namespace

pintle_status pintle_state_create(pintle_device device, const char* name, uint32_t dtype, size_t rank,
                                  const uint64_t* dims, const pintle_state_options* options, pintle_state* state,
                                  pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(state, "state"));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, Handle::create(*its, name, layout.dtype, layout.shape, std::move(how.keep), how.memory));
    return make(state, std::make_shared<State>(std::move(made)));
  });
}

pintle_status pintle_state_get_info(pintle_state state, pintle_state_info* info, pintle_error* error) {
  return with_state(state, error, [&](const State& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_state_info"));
    const Handle& handle = its.handle();
    out->dtype = static_cast<std::uint32_t>(handle.dtype());
    out->name = its.name().c_str();
    out->bytes = handle.size_bytes();
    out->generation = handle.generation();
    out->keep = static_cast<std::uint32_t>(handle.keep());
    out->is_stale = handle.is_stale() ? 1 : 0;
    fill_dims(out->rank, out->dims, handle.shape());
    return {};
  });
}

pintle_status pintle_state_view(pintle_state state, pintle_view* view, pintle_error* error) {
  return with_state(state, error, [&](State& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(view, "pintle_view"));
    return its.lend_front(&*out);
  });
}

pintle_status pintle_state_next(pintle_state state, pintle_view* view, pintle_error* error) {
  return with_state(state, error, [&](State& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(view, "pintle_view"));
    return its.lend_back(&*out);
  });
}

pintle_status pintle_state_flip(pintle_state state, pintle_error* error) {
  return with_state(state, error, [](State& its) { return its.flip(); });
}

pintle_status pintle_state_write(pintle_state state, pintle_queue queue, uint32_t dtype, const void* from, size_t bytes,
                                 int64_t timeout, pintle_point* point, pintle_error* error) {
  return submit(state, queue, timeout, point, error, [&](Handle& handle, Queue& on, Timeout bound) -> Result<Point> {
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    PINTLE_TRY(check_dtype(handle, dtype));
    return handle.write(on, source, bound);
  });
}

pintle_status pintle_state_checkpoint(pintle_state state, pintle_queue queue, int64_t timeout, pintle_point* point,
                                      pintle_error* error) {
  return submit(state, queue, timeout, point, error,
                [](Handle& handle, Queue& on, Timeout bound) { return handle.checkpoint(on, bound); });
}

pintle_status pintle_state_restore(pintle_state state, pintle_queue queue, int64_t timeout, pintle_point* point,
                                   pintle_error* error) {
  return submit(state, queue, timeout, point, error,
                [](Handle& handle, Queue& on, Timeout bound) { return handle.restore(on, bound); });
}

pintle_status pintle_state_renew(pintle_state state, pintle_error* error) {
  return with_state(state, error, [](State& its) { return its.handle().renew(); });
}

pintle_status pintle_state_release(pintle_state state, pintle_error* error) {
  return enter(error, [&] { return release(state); });
}
