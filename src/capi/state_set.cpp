// Sets of states.
#include "pintle/c/state_set.h"

#include <iterator>

#include "capi/answers.h"
#include "capi/arrays.h"
#include "capi/check.h"
#include "capi/state_objects.h"
#include "capi/structs.h"
#include "capi/with.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// A call that submits to a queue. `start(set, queue, timeout)` answers a Result<Point>.
template <class Start>
pintle_status submit(pintle_state_set set, pintle_queue queue, std::int64_t timeout, pintle_point* point,
                     pintle_error* error, Start start) {
  return with(set, error, [&](StateSetObject& its) -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(done, start(*its.set, on->queue, bound));
    answer(point, on->timeline, done);
    return {};
  });
}

Result<HandleLoadOptions> options_of(const pintle_state_load_options* options) {
  HandleLoadOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_state_load_options"));
  PINTLE_ASSIGN(reuse_last, texts_of(in->reuse_last, in->reuse_last_count, "reuse_last"));
  PINTLE_ASSIGN(ignore, texts_of(in->ignore, in->ignore_count, "ignore"));
  out.reuse_last = std::move(reuse_last);
  out.ignore = std::move(ignore);
  return out;
}

}  // namespace

pintle_status pintle_state_set_create(pintle_state_set* set, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(set, "set"));
    return make(set, std::make_shared<HandleSet>());
  });
}

pintle_status pintle_state_set_add(pintle_state_set set, pintle_state state, pintle_error* error) {
  return with(set, error, [&](StateSetObject& its) -> Result<void> {
    PINTLE_ASSIGN(added, use(state));
    const auto [place, is_new] = its.states.try_emplace((*added)->name(), *added);
    // Where the name is there already, the set refuses it.
    Result<void> joined = (*added)->join(its.set);
    if (!joined && is_new) its.states.erase(place);
    return joined;
  });
}

pintle_status pintle_state_set_find(pintle_state_set set, const char* name, pintle_state* state, pintle_error* error) {
  return with(set, error, [&](StateSetObject& its) -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(state, "state"));
    PINTLE_TRY(its.set->find(name));
    return make(state, SharedState(its.states.find(name)->second));
  });
}

pintle_status pintle_state_set_count(pintle_state_set set, size_t* count, pintle_error* error) {
  return with(set, error, [&](const StateSetObject& its) { return answer_count(its.states, count); });
}

pintle_status pintle_state_set_name(pintle_state_set set, size_t index, const char** name, pintle_error* error) {
  return with(set, error, [&](const StateSetObject& its) -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(within(index, its.states.size(), "state"));
    *name = std::next(its.states.begin(), static_cast<std::ptrdiff_t>(index))->first.c_str();
    return {};
  });
}

pintle_status pintle_state_set_checkpoint(pintle_state_set set, pintle_queue queue, int64_t timeout,
                                          pintle_point* point, pintle_error* error) {
  return submit(set, queue, timeout, point, error,
                [](HandleSet& all, Queue& on, Timeout bound) { return all.checkpoint(on, bound); });
}

pintle_status pintle_state_set_restore(pintle_state_set set, pintle_queue queue, int64_t timeout, pintle_point* point,
                                       pintle_error* error) {
  return submit(set, queue, timeout, point, error,
                [](HandleSet& all, Queue& on, Timeout bound) { return all.restore(on, bound); });
}

pintle_status pintle_state_set_lost(pintle_state_set set, const char* const** names, size_t* count,
                                    pintle_error* error) {
  return with(set, error, [&](StateSetObject& its) -> Result<void> {
    PINTLE_TRY(given(names, "names"));
    PINTLE_TRY(given(count, "count"));
    PINTLE_ASSIGN(lost, its.set->lost());
    std::vector<const char*> told;
    for (const std::string& name : lost) told.push_back(its.states.find(name)->first.c_str());
    its.lost = std::move(told);
    *names = its.lost.data();
    *count = its.lost.size();
    return {};
  });
}

pintle_status pintle_state_set_save(pintle_state_set set, pintle_queue queue, const char* path, int64_t timeout,
                                    pintle_error* error) {
  return with(set, error, [&](StateSetObject& its) -> Result<void> {
    PINTLE_TRY(given(path, "path"));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    return its.set->save(on->queue, path, bound);
  });
}

pintle_status pintle_state_set_load(pintle_state_set set, pintle_queue queue, const char* path,
                                    const pintle_state_load_options* options, int64_t timeout, pintle_point* point,
                                    pintle_error* error) {
  return submit(set, queue, timeout, point, error, [&](HandleSet& all, Queue& on, Timeout bound) -> Result<Point> {
    PINTLE_TRY(given(path, "path"));
    PINTLE_ASSIGN(how, options_of(options));
    return all.load(on, path, how, bound);
  });
}

pintle_status pintle_state_set_release(pintle_state_set set, pintle_error* error) {
  return enter(error, [&] { return release(set); });
}
