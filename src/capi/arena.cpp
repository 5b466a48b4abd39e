// Arenas, and whole values of them.
#include "pintle/c/arena.h"

#include <fmt/format.h>
#include <algorithm>

#include "capi/answers.h"
#include "capi/arrays.h"
#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/convert.h"
#include "capi/enter.h"
#include "capi/host_memory.h"
#include "capi/plan_objects.h"
#include "capi/structs.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<ArenaValue> value_of(const pintle_arena_value& value) {
  PINTLE_TRY(given(value.name, "pintle_arena_value.name"));
  PINTLE_ASSIGN(dtype, enumerator(value.dtype, DType::complex64, "dtype"));
  if (value.rank > Shape::max_rank)
    return Error(Errc::invalid_argument, fmt::format("The rank ({}) of [Value \"{}\"] is larger than the limit ({}).",
                                                     value.rank, value.name, Shape::max_rank));
  return ArenaValue{value.name, dtype, Shape(std::span(value.dims, value.rank))};
}

Result<ArenaOptions> options_of(const pintle_arena_options* options) {
  ArenaOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_arena_options"));
  PINTLE_ASSIGN(placement, enumerator_or(Placement::device, in->placement, Placement::host, "placement"));
  out.label = text_or_none(in->label);
  out.placement = placement;
  return out;
}

void fill(pintle_arena_requirements& out, const ArenaRequirements& needed) noexcept {
  out.total = needed.total;
  out.largest_chunk = needed.largest_chunk;
  out.alignment = needed.alignment;
}

void fill(pintle_arena_value& out, const ArenaValue& value) noexcept {
  out.dtype = static_cast<std::uint32_t>(value.dtype);
  out.name = value.name.c_str();
  fill_dims(out.rank, out.dims, value.shape);
}

/// One whole value between the host and an arena.
struct Transfer {
  std::uint32_t id;
  std::optional<DType> dtype;  // of the elements on the host
  std::optional<Convert> how;
  Timeout timeout;
};

Result<Transfer> transfer_of(std::uint32_t id, std::uint32_t dtype, const pintle_conversion* how,
                             std::int64_t timeout) {
  PINTLE_ASSIGN(bound, timeout_of(timeout));
  PINTLE_ASSIGN(type, dtype_if_given(dtype));
  Transfer transfer{id, type, {}, bound};
  if (how == nullptr) return transfer;
  PINTLE_ASSIGN(conversion, conversion_of(how));
  transfer.how = conversion;
  return transfer;
}

Result<Point> write(Queue& queue, Arena& arena, const Transfer& transfer, std::span<const std::byte> from) {
  const Elements elements = transfer.dtype ? Elements(*transfer.dtype, from) : Elements(from);
  if (!transfer.how) return feed(queue, arena, transfer.id, elements, transfer.timeout);
  return feed(queue, arena, transfer.id, elements, *transfer.how, transfer.timeout);
}

/// Checks the size on the host before anything waits. What concerns the value itself is the read's own error.
Result<void> check_size(const Arena& arena, const Transfer& transfer, std::uint64_t size) {
  const std::span<const PlannedValue> values = arena.plan().values();
  if (transfer.id >= values.size() || values[transfer.id].assignment == Assignment::external) return {};
  std::uint64_t whole = values[transfer.id].size;
  if (transfer.how) {
    if (transfer.how->from != arena.values()[transfer.id].dtype) return {};
    PINTLE_ASSIGN(converted, converted_bytes(whole, *transfer.how));
    whole = converted;
  }
  if (size == whole) return {};
  return Error(Errc::invalid_argument,
               fmt::format("The size ({} bytes) of the host memory is not that ({} bytes) of [Value \"{}\"] of {}.",
                           size, whole, values[transfer.id].name, arena.text()));
}

Result<std::vector<std::byte>> read_bytes(Queue& queue, const Arena& arena, const Transfer& transfer) {
  if (!transfer.how && !transfer.dtype) return read<std::byte>(queue, arena, transfer.id, transfer.timeout);
  if (!transfer.how) return read<std::byte>(queue, arena, transfer.id, *transfer.dtype, transfer.timeout);
  if (transfer.dtype && *transfer.dtype != transfer.how->to)
    return Error(Errc::invalid_argument,
                 fmt::format("The dtype ({}) of the host memory is not that ({}) which the conversion writes.",
                             name(*transfer.dtype), name(transfer.how->to)));
  return read<std::byte>(queue, arena, transfer.id, *transfer.how, transfer.timeout);
}

}  // namespace

pintle_status pintle_plan_get_requirements(pintle_plan plan, pintle_device device,
                                           pintle_arena_requirements* requirements, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(requirements, "pintle_arena_requirements"));
    PINTLE_ASSIGN(its, use(plan));
    PINTLE_ASSIGN(on, use(device));
    PINTLE_ASSIGN(needed, Arena::requirements(*its, *on));
    fill(*out, needed);
    return {};
  });
}

pintle_status pintle_plan_can_fit(pintle_plan plan, pintle_device device, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(plan));
    PINTLE_ASSIGN(on, use(device));
    return Arena::can_fit(*its, *on);
  });
}

pintle_status pintle_arena_create(pintle_device device, pintle_plan plan, const pintle_arena_value* values,
                                  size_t count, const pintle_arena_options* options, pintle_arena* arena,
                                  pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(arena, "arena"));
    PINTLE_ASSIGN(on, use(device));
    PINTLE_ASSIGN(its, use(plan));
    PINTLE_ASSIGN(described, values_of<ArenaValue>(values, count, "pintle_arena_value", value_of));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, Arena::create(*on, *its, std::move(described), std::move(how)));
    return make(arena, std::move(made));
  });
}

pintle_status pintle_arena_get_requirements(pintle_arena arena, pintle_arena_requirements* requirements,
                                            pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(requirements, "pintle_arena_requirements"));
    PINTLE_ASSIGN(its, use(arena));
    fill(*out, its->arena.requirements());
    return {};
  });
}

pintle_status pintle_arena_find(pintle_arena arena, const char* name, uint32_t* id, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(id, "id"));
    PINTLE_ASSIGN(its, use(arena));
    PINTLE_ASSIGN(found, its->arena.id(name));
    *id = found;
    return {};
  });
}

pintle_status pintle_arena_get_value(pintle_arena arena, uint32_t id, pintle_arena_value* value, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(value, "pintle_arena_value"));
    PINTLE_ASSIGN(its, use(arena));
    const std::span<const ArenaValue> values = its->arena.values();
    PINTLE_TRY(within(id, values.size(), "value"));
    fill(*out, values[id]);
    return {};
  });
}

pintle_status pintle_arena_view(pintle_arena arena, uint32_t id, pintle_view* view, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(view, "pintle_view"));
    PINTLE_ASSIGN(its, use(arena));
    PINTLE_ASSIGN(bytes, its->arena.view(id));
    return its->lent.lend(id, bytes, its->arena.text(), &*out);
  });
}

pintle_status pintle_arena_feed(pintle_arena arena, pintle_queue queue, uint32_t id, uint32_t dtype, const void* from,
                                size_t bytes, const pintle_conversion* how, int64_t timeout, pintle_point* point,
                                pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(its, use(arena));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(transfer, transfer_of(id, dtype, how, timeout));
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    PINTLE_ASSIGN(done, write(on->queue, its->arena, transfer, source));
    answer(point, on->timeline, done);
    return {};
  });
}

pintle_status pintle_arena_read(pintle_arena arena, pintle_queue queue, uint32_t id, uint32_t dtype, void* to,
                                size_t bytes, const pintle_conversion* how, int64_t timeout, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(arena));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(transfer, transfer_of(id, dtype, how, timeout));
    PINTLE_ASSIGN(target, writable_bytes(to, bytes, "to"));
    PINTLE_TRY(check_size(its->arena, transfer, target.size()));
    PINTLE_ASSIGN(read, read_bytes(on->queue, its->arena, transfer));
    std::copy(read.begin(), read.end(), target.begin());
    return {};
  });
}

pintle_status pintle_arena_release(pintle_arena arena, pintle_error* error) {
  return enter(error, [&] { return release(arena); });
}
