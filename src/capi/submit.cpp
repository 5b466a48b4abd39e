// Submissions and replays, where instructions count (tests/budgets). So what is rare stands in functions of its own,
// the source is compiled with -O2 where others have -O1, and no Point is made, which C has no use for.
#include <fmt/format.h>
#include <memory>
#include <span>
#include <utility>

#include "base/inside.h"
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

/// A use of the object of a cell that the table has entered. Neither it nor its end has the table, which would take a
/// register.
template <class Handle>
class Stay {
 public:
  using Object = typename Kind<Handle>::Object;
  explicit Stay(Cell<Object>& cell) noexcept : cell_(cell) {}
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
  [[gnu::always_inline]] ~Stay() {
    std::uint64_t left;
    if (cell_.leaves_last(left)) [[unlikely]]
      end_last(cell_, left);
  }
  Object* operator->() const noexcept { return &cell_.object(); }
  Object& operator*() const noexcept { return cell_.object(); }

 private:
  [[gnu::noinline]] static void end_last(Cell<Object>& cell, std::uint64_t left) noexcept {
    Kind<Handle>::table.end_last(cell, left);
  }

  Cell<Object>& cell_;
};

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

/// The point of a submission, by its value, or why it failed.
[[gnu::always_inline]] inline pintle_status end(pintle_point* out, pintle_signal timeline,
                                                const Result<std::uint64_t>& value, pintle_error* error) {
  if (!value) [[unlikely]]
    return fail(error, value.error());
  if (out == nullptr) return PINTLE_OK;
  out->signal = timeline;
  out->value = *value;
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

/// What a replay is given. One reference, since arguments of a call on the stack cost every replay some registers.
struct Given {
  const pintle_argument* bindings;
  std::size_t count;
  const pintle_submit_options* options;
};

/// Any bindings, and options.
[[gnu::noinline]] pintle_status replay_with(QueueObject& queue, const Recording& recording, const Given& given,
                                            pintle_point* point, pintle_error* error) {
  const auto& [bindings, count, options] = given;
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
    if (count == 1 && arguments != nullptr) return put(*arguments, values());  // the usual number, without a loop
    if (count > limit || (arguments == nullptr && count != 0)) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!put(arguments[i], values() + i)) return false;
    return true;
  }
  [[nodiscard]] SlotValue* values() noexcept { return reinterpret_cast<SlotValue*>(bytes_); }

 private:
  [[nodiscard, gnu::always_inline]] static bool put(const pintle_argument& argument, SlotValue* value) noexcept {
    if (argument.size != sizeof argument || argument.kind != PINTLE_ARGUMENT_SCALAR) return false;
    if (argument.dtype - 1U >= static_cast<unsigned>(DType::complex64)) return false;
    std::construct_at(value, scalar_of(static_cast<DType>(argument.dtype), argument.value.u));
    return true;
  }

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
    const Stay<pintle_queue> its(*found);
    if (options != nullptr) [[unlikely]]
      return submit_with(*its, list, options, point, error);
    Cell<CommandList>* commands;
    const Taken taken = Kind<pintle_list>::table.take(list.id, &commands);
    if (taken == Taken::none) [[unlikely]]
      return is_missing(list, error);
    const auto value = Inside::start(its->queue, std::move(commands->object()), nullptr);
    Kind<pintle_list>::table.end(*commands, taken);
    return end(point, its->timeline, value, error);
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
    const Stay<pintle_queue> its(*found);
    auto* const recorded = Kind<pintle_recording>::table.enter(recording.id);
    if (recorded == nullptr) [[unlikely]]
      return is_missing(recording, error);
    const Stay<pintle_recording> what(*recorded);
    FewScalars values;
    if (options != nullptr || !values.fill(bindings, count)) [[unlikely]]
      return replay_with(*its, *what, {bindings, count, options}, point, error);
    return end(point, its->timeline,
               Inside::start(its->queue, *what, std::span<const SlotValue>(values.values(), count), nullptr), error);
  });
}
