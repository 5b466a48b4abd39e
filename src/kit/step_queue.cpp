#include "kit/step_queue.h"

#include <algorithm>
#include <utility>

#include "base/contain.h"

namespace pintle::kit {

using backend::QueuePoint;

namespace {

// How long a courier waits for the device before it looks whether it must stop.
constexpr auto patience = std::chrono::milliseconds(100);

}  // namespace

StepQueue::StepQueue(StepQueues& all, backend::QueueId id, std::uint64_t first_serial, Native& native,
                     HostCopies copies, Stepping stepping)
    : all_(all),
      line_(all.add(id, first_serial)),
      native_(native),
      stepping_(stepping),
      order_(all.written_, id, copies),
      submitted_(first_serial) {}

StepQueue::~StepQueue() {
  stopping_.store(true);
  {
    const std::lock_guard lock(mutex_);  // the courier reads `stopping_` under this lock before it sleeps
  }
  changed_.notify_all();
  all_.wake();
  if (courier_.joinable()) courier_.join();
  all_.remove(line_);
}

Result<std::uint64_t> StepQueue::submit(std::span<const QueuePoint> waits, const backend::Commands& commands) {
  const std::uint64_t serial = submitted_ + 1;
  const Kinds kinds =
      order_.note(commands, serial, [this](const backend::Replay& replay) { return native_.recorded(replay); });
  if (const auto taken = take(waits, commands, kinds, serial); !taken) {
    order_.forget(commands, serial);
    return taken.error();
  }
  submitted_ = serial;
  return serial;
}

Result<void> StepQueue::take(std::span<const QueuePoint> waits, const backend::Commands& commands, Kinds kinds,
                             std::uint64_t serial) {
  const bool starts_now =
      !is_holding() && all_.are_started(waits) && !has_step(commands, kinds) && native_.has_room(commands, kinds);
  if (!starts_now) return hold({serial, {waits.begin(), waits.end()}, commands});
  PINTLE_TRY(native_.start({waits, commands, serial}));
  all_.raise(line_, serial);
  return {};
}

bool StepQueue::has_step(const backend::Commands& commands, Kinds kinds) const {
  constexpr Kinds never = kinds_of<backend::Exec, backend::Copy, backend::Fill>;
  if (are_only(kinds, never)) return false;
  return std::ranges::any_of(commands.commands, [&](const backend::Command& command) { return is_step(command); });
}

Result<void> StepQueue::hold(Held held) {
  return base::contain("holding a submission", [&]() -> Result<void> {
    if (stepping_ == Stepping::courier && !courier_.joinable()) courier_ = std::thread([this] { serve(); });
    const std::uint64_t serial = held.serial;
    {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(held));
      holding_.fetch_add(1, std::memory_order_relaxed);
    }
    line_.accepted.store(serial, std::memory_order_relaxed);
    changed_.notify_all();
    return {};
  });
}

void StepQueue::serve() noexcept {
  while (const Held* const held = next()) {
    const auto ran = base::contain("running a submission with steps", [&] { return run(*held); });
    if (!ran) return native_.fail(ran.error());
    if (!*ran) return;
    let_go(*held);
  }
}

void StepQueue::drive() noexcept {
  while (const Held* const held = oldest()) {
    const bool has_begun = cursor_.step != nullptr;
    if (!has_begun && !all_.are_started(held->waits)) return;
    const auto ran = base::contain("running a submission with steps", [&] { return go_on(*held, Duration::zero()); });
    if (!ran) {
      stopping_.store(true);
      return native_.fail(ran.error());
    }
    if (!*ran) return;
    let_go(*held);
  }
}

/// The submission is started as a whole.
void StepQueue::let_go(const Held& held) {
  cursor_ = {};
  all_.raise(line_, held.serial);
  const std::lock_guard lock(mutex_);
  held_.pop_front();
  holding_.fetch_sub(1, std::memory_order_release);
}

/// Null where nothing is held, or nothing more is to be called.
const StepQueue::Held* StepQueue::oldest() {
  const std::lock_guard lock(mutex_);
  return stopping_.load() || held_.empty() ? nullptr : &held_.front();
}

/// The oldest held submission; null when the queue ends. A reference into a deque stays valid while elements are added.
const StepQueue::Held* StepQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_.load() || !held_.empty(); });
  return stopping_.load() ? nullptr : &held_.front();
}

/// False when the queue ends meanwhile.
Result<bool> StepQueue::run(const Held& held) {
  if (!all_.await_started(held.waits, stopping_)) return false;
  do {
    PINTLE_ASSIGN(is_whole, go_on(held, patience));
    if (is_whole) return true;
  } while (!stopping_.load());
  return false;
}

/// False where the time passes before the work in front of the next step is finished, or the queue ends.
Result<bool> StepQueue::go_on(const Held& held, Duration longest) {
  const std::span<const backend::Command> commands = held.commands.commands;
  while (true) {
    if (cursor_.step != nullptr) {
      if (stopping_.load()) return false;
      const auto finished = native_.finish(Clock::now() + longest);
      if (!finished && finished.error().code() == Errc::timeout) return false;
      PINTLE_TRY(finished);
      const backend::Command& step = *std::exchange(cursor_.step, nullptr);
      order_.start(step);
      PINTLE_TRY(native_.step(step, held.commands));
    }
    const std::size_t begin = cursor_.next;
    const auto [end, begun] = end_of_piece(held.commands, begin);
    const bool is_last = begun == nullptr && end == commands.size();
    const std::span<const QueuePoint> waits =
        begin == 0 ? std::span<const QueuePoint>(held.waits) : std::span<const QueuePoint>();
    const std::optional<std::uint64_t> serial = is_last ? std::optional(held.serial) : std::nullopt;
    PINTLE_TRY(native_.start({waits, {commands.subspan(begin, end - begin), held.commands.arguments}, serial}));
    if (is_last) return true;
    cursor_ = begun != nullptr ? Cursor{end, begun} : Cursor{end + 1, &commands[end]};
  }
}

/// The first command behind the piece that begins there, and the first step that begins in the piece.
StepQueue::Cursor StepQueue::end_of_piece(const backend::Commands& list, std::size_t begin) const {
  const std::span<const backend::Command> commands = list.commands;
  std::vector<const backend::Command*> begun;
  std::size_t end = begin;
  for (; end < commands.size(); ++end) {
    const backend::Command& command = commands[end];
    const bool begins = native_.begins_in_place(command);
    if (!begins && is_step(command)) break;
    if (!begun.empty() && native_.needs_end_of(begun, command, list)) break;
    if (begins) begun.push_back(&command);
  }
  return {end, begun.empty() ? nullptr : begun.front()};
}

bool StepQueues::are_started(std::span<const QueuePoint> waits) {
  if (waits.empty()) return true;
  const std::lock_guard lock(mutex_);
  return are_started_locked(waits);
}

std::vector<QueuePoint> StepQueues::accepted() {
  const std::lock_guard lock(mutex_);
  std::vector<QueuePoint> points;
  for (const Line& line : lines_) points.push_back({line.queue, std::max(line.started.load(), line.accepted.load())});
  return points;
}

bool StepQueues::await_started(std::span<const QueuePoint> waits, const std::atomic<bool>& stopping) {
  std::unique_lock lock(mutex_);
  waiting_.fetch_add(1);
  raised_.wait(lock, [&] { return stopping.load() || are_started_locked(waits); });
  waiting_.fetch_sub(1);
  return !stopping.load();
}

/// A queue that is no longer there had finished everything.
bool StepQueues::are_started_locked(std::span<const QueuePoint> waits) const noexcept {
  return std::ranges::all_of(waits, [&](const QueuePoint& point) {
    const auto found = std::ranges::find(lines_, point.queue, &Line::queue);
    return found == lines_.end() || found->started >= point.serial;
  });
}

StepQueues::Line& StepQueues::add(backend::QueueId queue, std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  return lines_.emplace_back(queue, serial);
}

void StepQueues::remove(const Line& line) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(lines_, [&](const Line& other) { return &other == &line; });
}

/// One pair without a lock: this thread says how far the queue is and then looks who waits; a thread that waits says so
/// and then looks how far the queue is. At least one of the two sees the other.
void StepQueues::raise(Line& line, std::uint64_t serial) noexcept {
  line.started.store(serial);
  if (waiting_.load() != 0) wake();
}

void StepQueues::wake() noexcept {
  {
    const std::lock_guard lock(mutex_);  // a thread that waits looks under this lock before it sleeps
  }
  raised_.notify_all();
}

}  // namespace pintle::kit
