// Submissions and replays, where instructions count (tests/budgets). So what is rare stands in functions of its own,
// and the source is compiled with -O2 where others have -O1.
#include <fmt/format.h>
#include <utility>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/scalar_values.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

using Bindings = Converted<SlotValue>;

[[nodiscard]] bool can_answer(const pintle_point* point) noexcept {
  return point == nullptr || (point->size >= sizeof *point && point->size <= largest_struct);
}

[[gnu::noinline]] Error no_answer(const pintle_point& point) {
  return wrong_size("pintle_point", point.size, sizeof point);
}

[[gnu::noinline]] Result<Point> submit_with(Queue& queue, pintle_list list, const pintle_submit_options* options) {
  PINTLE_ASSIGN(how, options_of(options));
  const auto commands = take(list);
  if (!commands) return missing(list);
  return queue.submit(std::move(*commands), std::move(how));
}

[[gnu::noinline]] Result<Point> replay_with(Queue& queue, const Recording& recording, const Bindings& values,
                                            const pintle_submit_options* options) {
  PINTLE_ASSIGN(how, options_of(options));
  return queue.replay(recording, values.values(), std::move(how));
}

[[gnu::noinline]] Error too_many(std::size_t count) {
  return {Errc::invalid_argument,
          fmt::format("The number of bindings ({}) is beyond the number of slots: {}.", count, Slot::limit)};
}

[[gnu::always_inline]] inline Result<void> make_scalar(const pintle_argument& argument, SlotValue* out) {
  PINTLE_ASSIGN(scalar, scalar_of(argument.dtype, &argument.value));
  std::construct_at(out, scalar);
  return {};
}

}  // namespace

pintle_status pintle_queue_submit(pintle_queue queue, pintle_list list, const pintle_submit_options* options,
                                  pintle_point* point, pintle_error* error) {
  return enter(error, [&]() __attribute__((always_inline)) -> Result<void> {
    if (!can_answer(point)) [[unlikely]]
      return no_answer(*point);
    const auto its = find(queue);
    if (!its) [[unlikely]]
      return missing(queue);
    if (options != nullptr) return answer(point, its->timeline, submit_with(its->queue, list, options));
    const auto commands = take(list);
    if (!commands) [[unlikely]]
      return missing(list);
    return answer(point, its->timeline, its->queue.submit(std::move(*commands)));
  });
}

pintle_status pintle_queue_replay(pintle_queue queue, pintle_recording recording, const pintle_argument* bindings,
                                  size_t count, const pintle_submit_options* options, pintle_point* point,
                                  pintle_error* error) {
  return enter(error, [&]() __attribute__((always_inline)) -> Result<void> {
    if (!can_answer(point)) [[unlikely]]
      return no_answer(*point);
    if (count > Slot::limit) [[unlikely]]
      return too_many(count);
    const auto its = find(queue);
    if (!its) [[unlikely]]
      return missing(queue);
    const auto recorded = find(recording);
    if (!recorded) [[unlikely]]
      return missing(recording);
    Bindings values;
    if (count != 0) {
      // Scalars are what most slots take.
      PINTLE_TRY(values.fill(bindings, count, "pintle_argument", [](const pintle_argument& argument, SlotValue* out) {
        return argument.kind == PINTLE_ARGUMENT_SCALAR ? make_scalar(argument, out) : make_slot_value(argument, out);
      }));
    }
    if (options != nullptr) return answer(point, its->timeline, replay_with(its->queue, *recorded, values, options));
    return answer(point, its->timeline, its->queue.replay(*recorded, values.values()));
  });
}
