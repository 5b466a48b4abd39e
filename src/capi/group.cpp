// Groups of ranks.
#include "pintle/c/group.h"

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/collective.h"
#include "capi/host_memory.h"
#include "capi/owned_handles.h"
#include "capi/rank_objects.h"
#include "capi/structs.h"
#include "capi/with.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<GroupOptions> options_of(const pintle_rank_group_options* options) {
  GroupOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_rank_group_options"));
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.label = text_or_none(in->label);
  out.transport = text_or_none(in->transport);
  out.timeout = timeout;
  return out;
}

}  // namespace

pintle_status pintle_rank_group_threads(uint32_t ranks, const pintle_rank_group_options* options,
                                        pintle_rank_group* groups, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(groups, "groups"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, Group::threads(ranks, how));
    OwnedHandles<pintle_rank_group> all;
    for (Group& group : made) PINTLE_TRY(all.add(std::move(group)));
    all.give(groups);
    return {};
  });
}

pintle_status pintle_rank_group_join(const pintle_rank_group_options* options, pintle_rank_group* group,
                                     pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(group, "group"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(joined, Group::join(how));
    return make(group, std::move(joined));
  });
}

pintle_status pintle_rank_group_get_info(pintle_rank_group group, pintle_rank_group_info* info, pintle_error* error) {
  return with(group, error, [&](const Group& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_rank_group_info"));
    out->rank = its.rank();
    out->ranks = its.ranks();
    out->generation = its.generation();
    out->transport = its.transport().data();
    return {};
  });
}

pintle_status pintle_rank_group_get_statistics(pintle_rank_group group, pintle_rank_group_statistics* statistics,
                                               pintle_error* error) {
  return with(group, error, [&](const Group& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(statistics, "pintle_rank_group_statistics"));
    const GroupStatistics counts = its.statistics();
    out->operations = counts.operations;
    out->bytes_sent = counts.bytes_sent;
    out->bytes_received = counts.bytes_received;
    return {};
  });
}

pintle_status pintle_rank_group_health(pintle_rank_group group, pintle_error* error) {
  return with(group, error, [](const Group& its) { return its.health(); });
}

pintle_status pintle_rank_group_run(pintle_rank_group group, const pintle_collective* operation, uint32_t dtype,
                                    void* to, size_t to_bytes, const void* from, size_t from_bytes, int64_t timeout,
                                    pintle_error* error) {
  return with(group, error, [&](Group& its) -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(run, collective_of(operation));
    PINTLE_ASSIGN(type, dtype_if_given(dtype));
    PINTLE_ASSIGN(target, writable_bytes(to, to_bytes, "to"));
    PINTLE_ASSIGN(source, readable_bytes(from, from_bytes, "from"));
    const DType elements = type.value_or(DType::u8);
    PINTLE_TRY(give_memory(run, {elements, target}, {elements, source}, from != nullptr));
    return its.run(run, bound);
  });
}

pintle_status pintle_rank_group_split(pintle_rank_group group, const uint32_t* color, uint32_t key,
                                      const pintle_rank_group_options* options, pintle_rank_group* part,
                                      pintle_error* error) {
  return with(group, error, [&](Group& its) -> Result<void> {
    PINTLE_TRY(given(part, "part"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, its.split(color == nullptr ? std::nullopt : std::optional(*color), key, how));
    if (made) return make(part, *std::move(made));
    part->id = 0;
    return {};
  });
}

pintle_status pintle_rank_group_shrink(pintle_rank_group group, int64_t timeout, pintle_rank_group* smaller,
                                       pintle_error* error) {
  return with(group, error, [&](Group& its) -> Result<void> {
    PINTLE_TRY(given(smaller, "smaller"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(made, its.shrink(bound));
    return make(smaller, std::move(made));
  });
}

pintle_status pintle_rank_group_rebuild(pintle_rank_group group, int64_t timeout, pintle_rank_group* rebuilt,
                                        pintle_error* error) {
  return with(group, error, [&](Group& its) -> Result<void> {
    PINTLE_TRY(given(rebuilt, "rebuilt"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(made, its.rebuild(bound));
    return make(rebuilt, std::move(made));
  });
}

pintle_status pintle_rank_group_release(pintle_rank_group group, pintle_error* error) {
  return enter(error, [&] { return release(group); });
}
