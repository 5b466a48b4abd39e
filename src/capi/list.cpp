// Lists of commands.
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/list_step.h"
#include "capi/release_call.h"
#include "capi/scalar_values.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<Extent> extent_of(const pintle_extent* extent) {
  PINTLE_ASSIGN(in, readable(extent, "pintle_extent"));
  const std::uint64_t y = in->y == 0 ? 1 : in->y, z = in->z == 0 ? 1 : in->z;
  if (in->is_groups == 0) return Extent(Cover{in->x, y, z});
  if (in->is_groups != 1)
    return Error(Errc::invalid_argument, fmt::format("The value of is_groups ({}) is neither 0 nor 1.", in->is_groups));
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (in->x > most || y > most || z > most)
    return Error(Errc::invalid_argument,
                 fmt::format("The extent ({} x {} x {}) has more than {} groups in a dimension.", in->x, y, z, most));
  return Extent(Grid{static_cast<std::uint32_t>(in->x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)});
}

Result<void> fill_arguments(Converted<KernelArgument>& values, const pintle_argument* arguments, std::size_t count) {
  if (count > Entry::max_parameters)
    return Error(Errc::invalid_argument, fmt::format("The number of arguments ({}) is beyond what an entry has: {}.",
                                                     count, Entry::max_parameters));
  return values.fill(arguments, count, "pintle_argument",
                     [](const pintle_argument& argument, KernelArgument* out) -> Result<void> {
                       PINTLE_ASSIGN(value, argument_of(argument));
                       std::construct_at(out, value);
                       return {};
                     });
}

Result<void> launch_indirect(CommandList& list, pintle_kernel kernel, const BufferArgument& grid,
                             const pintle_extent* most, const pintle_argument* arguments, std::size_t count) {
  PINTLE_ASSIGN(bound, extent_of(most));
  const Grid* const groups = std::get_if<Grid>(&bound);
  if (groups == nullptr) return Error(Errc::invalid_argument, "The extent [most] counts work-items, not work-groups.");
  PINTLE_ASSIGN(entry, use(kernel));
  Converted<KernelArgument> values;
  PINTLE_TRY(fill_arguments(values, arguments, count));
  list.exec_indirect_with(*entry, grid, *groups, values.values());
  return {};
}

/// `add(list, owner)`, which answers a Result<void>, adds a command that keeps the owner. `released` is called with the
/// owner's end, but only where the command stands in the list.
template <class Add>
pintle_status retain(pintle_list list, void (*released)(void* data), void* data, pintle_error* error, Add add) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(released), "released"));
    const auto owner = std::make_shared<ReleaseCall>();
    PINTLE_TRY(add(its, owner));
    PINTLE_TRY(state_of(its));
    owner->arm(released, data);
    return {};
  });
}

}  // namespace

pintle_status pintle_list_create(pintle_list* list, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    return make(list);
  });
}

pintle_status pintle_list_size(pintle_list list, size_t* commands, pintle_error* error) {
  return with_list(list, error, [&](const CommandList& its) -> Result<void> {
    PINTLE_TRY(given(commands, "commands"));
    *commands = its.size();
    return {};
  });
}

pintle_status pintle_list_copy(pintle_list list, const pintle_view* to, const pintle_view* from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, view_of(to));
    PINTLE_ASSIGN(source, view_of(from));
    its.copy(target, source);
    return {};
  });
}

pintle_status pintle_list_fill(pintle_list list, const pintle_view* to, const void* value, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(value, "value"));
    PINTLE_ASSIGN(target, view_of(to));
    its.fill(target, element_at(value, target.dtype()));
    return {};
  });
}

pintle_status pintle_list_upload(pintle_list list, const pintle_view* to, const void* from, size_t bytes,
                                 pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(from, "from"));
    PINTLE_ASSIGN(target, view_of(to));
    its.upload(target, std::span(static_cast<const std::byte*>(from), bytes));
    return {};
  });
}

pintle_status pintle_list_download(pintle_list list, void* to, size_t bytes, const pintle_view* from,
                                   pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(to, "to"));
    PINTLE_ASSIGN(source, view_of(from));
    its.download(std::span(static_cast<std::byte*>(to), bytes), source);
    return {};
  });
}

pintle_status pintle_list_upload_retained(pintle_list list, const pintle_view* to, const void* from, size_t bytes,
                                          void (*released)(void* data), void* data, pintle_error* error) {
  return retain(list, released, data, error, [&](CommandList& its, std::shared_ptr<ReleaseCall> owner) -> Result<void> {
    PINTLE_TRY(given(from, "from"));
    PINTLE_ASSIGN(target, view_of(to));
    its.upload_retained(target, std::move(owner), std::span(static_cast<const std::byte*>(from), bytes));
    return {};
  });
}

pintle_status pintle_list_download_retained(pintle_list list, void* to, size_t bytes, const pintle_view* from,
                                            void (*released)(void* data), void* data, pintle_error* error) {
  return retain(list, released, data, error, [&](CommandList& its, std::shared_ptr<ReleaseCall> owner) -> Result<void> {
    PINTLE_TRY(given(to, "to"));
    PINTLE_ASSIGN(source, view_of(from));
    its.download_retained(std::move(owner), std::span(static_cast<std::byte*>(to), bytes), source);
    return {};
  });
}

pintle_status pintle_list_upload_slot(pintle_list list, const pintle_view* to, uint32_t from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, view_of(to));
    PINTLE_ASSIGN(slot, slot_of(from));
    its.upload(target, slot);
    return {};
  });
}

pintle_status pintle_list_download_slot(pintle_list list, uint32_t to, const pintle_view* from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(slot, slot_of(to));
    PINTLE_ASSIGN(source, view_of(from));
    its.download(slot, source);
    return {};
  });
}

pintle_status pintle_list_launch(pintle_list list, pintle_kernel kernel, const pintle_extent* extent,
                                 const pintle_argument* arguments, size_t count, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(grid, extent_of(extent));
    PINTLE_ASSIGN(entry, use(kernel));
    Converted<KernelArgument> values;
    PINTLE_TRY(fill_arguments(values, arguments, count));
    its.exec_with(*entry, grid, values.values());
    return {};
  });
}

pintle_status pintle_list_launch_indirect(pintle_list list, pintle_kernel kernel, const pintle_view* grid,
                                          const pintle_extent* most, const pintle_argument* arguments, size_t count,
                                          pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(at, view_of(grid));
    return launch_indirect(its, kernel, at, most, arguments, count);
  });
}

pintle_status pintle_list_launch_indirect_slot(pintle_list list, pintle_kernel kernel, uint32_t grid,
                                               const pintle_extent* most, const pintle_argument* arguments,
                                               size_t count, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(at, slot_of(grid));
    return launch_indirect(its, kernel, at, most, arguments, count);
  });
}

pintle_status pintle_list_uses(pintle_list list, const pintle_view* buffer, uint32_t access, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(used, view_of(buffer));
    PINTLE_ASSIGN(how, enumerator(access, Access::read_write, "access"));
    its.uses(used, how);
    return {};
  });
}

pintle_status pintle_list_holds(pintle_list list, pintle_buffer buffer, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(held, view_of(buffer, 0, 0, 0));
    its.holds(held);
    return {};
  });
}

pintle_status pintle_list_call(pintle_list list, void (*function)(void* data), void* data, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(function), "function"));
    its.call([function, data] { function(data); });
    return {};
  });
}

pintle_status pintle_list_timestamp(pintle_list list, const pintle_view* to, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, view_of(to));
    its.timestamp(target);
    return {};
  });
}

pintle_status pintle_list_barrier(pintle_list list, pintle_error* error) {
  return with_list(list, error, [](CommandList& its) -> Result<void> {
    its.barrier();
    return {};
  });
}

pintle_status pintle_list_label(pintle_list list, const char* label, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(label, "label"));
    its.label(label);
    return {};
  });
}

pintle_status pintle_list_release(pintle_list list, pintle_error* error) {
  return enter(error, [&] { return release(list); });
}
