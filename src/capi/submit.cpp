// Submissions and replays, where instructions count (tests/budgets). So what is rare stands in functions of its own,
// and the source is compiled with -O2 where others have -O1.
#include <fmt/format.h>
#include <memory>
#include <span>
#include <utility>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/scalar_values.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

template <class Handle>
using Stay = typename decltype(Kind<Handle>::table)::Stay;
using Taken = Cell<CommandList>::Taken;
using Bindings = Converted<SlotValue>;

[[nodiscard]] bool can_answer(const pintle_point* point) noexcept {
  return point == nullptr || (point->size >= sizeof *point && point->size <= largest_struct);
}

[[gnu::noinline]] pintle_status no_answer(const pintle_point& point, pintle_error* error) {
  return fail(error, wrong_size("pintle_point", point.size, {}, sizeof point));
}

template <class Handle>
[[gnu::noinline]] pintle_status is_missing(Handle handle, pintle_error* error) {
  return fail(error, missing(handle));
}

[[gnu::noinline]] pintle_status end(const Result<void>& result, pintle_error* error) {
  return result ? PINTLE_OK : fail(error, result.error());
}

/// The point of a submission, or why it failed.
[[gnu::always_inline]] inline pintle_status end(pintle_point* out, pintle_signal timeline, const Result<Point>& done,
                                                pintle_error* error) {
  if (!done) [[unlikely]]
    return fail(error, done.error());
  answer(out, timeline, *done);
  return PINTLE_OK;
}

[[gnu::noinline]] pintle_status submit_with(QueueObject& queue, pintle_list list, const pintle_submit_options* options,
                                            pintle_point* point, pintle_error* error) {
  const auto submit = [&]() -> Result<void> {
    PINTLE_ASSIGN(how, options_of(options));
    const auto commands = take(list);
    if (!commands) return missing(list);
    return answer(point, queue.timeline, queue.queue.submit(std::move(*commands), std::move(how)));
  };
  return end(submit(), error);
}

/// Any bindings, and options.
[[gnu::noinline]] pintle_status replay_with(QueueObject& queue, const Recording& recording,
                                            const pintle_argument* bindings, std::size_t count,
                                            const pintle_submit_options* options, pintle_point* point,
                                            pintle_error* error) {
  const auto replay = [&]() -> Result<void> {
    if (count > Slot::limit)
      return Error(Errc::invalid_argument,
                   fmt::format("The number of bindings ({}) is beyond the number of slots: {}.", count, Slot::limit));
    Bindings values;
    PINTLE_TRY(values.fill(bindings, count, "pintle_argument", make_slot_value));
    if (options == nullptr) return answer(point, queue.timeline, queue.queue.replay(recording, values.values()));
    PINTLE_ASSIGN(how, options_of(options));
    return answer(point, queue.timeline, queue.queue.replay(recording, values.values(), std::move(how)));
  };
  return end(replay(), error);
}

/// Room for what most replays bind: a few scalars.
class FewScalars {
 public:
  static constexpr std::size_t limit = 8;

  FewScalars() noexcept {}  // NOLINT(modernize-use-equals-default): the memory is not touched

  /// Makes the values; false where there are more, others, structs of another version, or mistakes.
  [[nodiscard, gnu::always_inline]] bool fill(const pintle_argument* arguments, std::size_t count) noexcept {
    if (count > limit || (arguments == nullptr && count != 0)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const pintle_argument& argument = arguments[i];
      if (argument.size != sizeof argument || argument.kind != PINTLE_ARGUMENT_SCALAR) return false;
      if (argument.dtype - 1U >= static_cast<unsigned>(DType::complex64)) return false;
      std::construct_at(values() + i, scalar_of(static_cast<DType>(argument.dtype), argument.value.u));
    }
    return true;
  }
  [[nodiscard]] SlotValue* values() noexcept { return reinterpret_cast<SlotValue*>(bytes_); }

 private:
  alignas(SlotValue) std::byte bytes_[limit * sizeof(SlotValue)];
};

}  // namespace

[[gnu::flatten]] pintle_status pintle_queue_submit(pintle_queue queue, pintle_list list,
                                                   const pintle_submit_options* options, pintle_point* point,
                                                   pintle_error* error) {
  return enter(error, [&]() __attribute__((always_inline)) -> pintle_status {
    if (!can_answer(point)) [[unlikely]]
      return no_answer(*point, error);
    auto* const found = Kind<pintle_queue>::table.enter(queue.id);
    if (found == nullptr) [[unlikely]]
      return is_missing(queue, error);
    const Stay<pintle_queue> its(Kind<pintle_queue>::table, *found);
    if (options != nullptr) [[unlikely]]
      return submit_with(*its, list, options, point, error);
    Cell<CommandList>* commands;
    const Taken taken = Kind<pintle_list>::table.take(list.id, &commands);
    if (taken == Taken::none) [[unlikely]]
      return is_missing(list, error);
    return end(point, its->timeline, its->queue.submit(Kind<pintle_list>::table.move_out(*commands, taken)), error);
  });
}

[[gnu::flatten]] pintle_status pintle_queue_replay(pintle_queue queue, pintle_recording recording,
                                                   const pintle_argument* bindings, size_t count,
                                                   const pintle_submit_options* options, pintle_point* point,
                                                   pintle_error* error) {
  return enter(error, [&]() __attribute__((always_inline)) -> pintle_status {
    if (!can_answer(point)) [[unlikely]]
      return no_answer(*point, error);
    auto* const found = Kind<pintle_queue>::table.enter(queue.id);
    if (found == nullptr) [[unlikely]]
      return is_missing(queue, error);
    const Stay<pintle_queue> its(Kind<pintle_queue>::table, *found);
    auto* const recorded = Kind<pintle_recording>::table.enter(recording.id);
    if (recorded == nullptr) [[unlikely]]
      return is_missing(recording, error);
    const Stay<pintle_recording> what(Kind<pintle_recording>::table, *recorded);
    FewScalars values;
    if (options != nullptr || !values.fill(bindings, count)) [[unlikely]]
      return replay_with(*its, *what, bindings, count, options, point, error);
    return end(point, its->timeline, its->queue.replay(*what, std::span<const SlotValue>(values.values(), count)),
               error);
  });
}
