#include "collective/group/group_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "base/platform.h"
#include "base/quote.h"
#include "collective/shm/rendezvous.h"

namespace pintle::collective {
namespace {

/// The code in front of a fault's text. A rank that leaves without a failure writes `left`.
constexpr std::uint64_t left = 255;
constexpr std::uint64_t note_word = sizeof(Note);  // where a posted note has the word that says that it is there

[[nodiscard]] std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> groups{0};
  return groups.fetch_add(1, std::memory_order_relaxed) + 1;
}

[[nodiscard]] Note note_of(std::string_view text) noexcept {
  Note note{};
  std::memcpy(note.data(), text.data(), std::min(text.size(), note.size() - 1));
  return note;
}

/// Another rank wrote the note: the text ends at the first zero, and letters that cannot be printed are replaced.
[[nodiscard]] std::string text_of(const Note& note) {
  const auto end = std::ranges::find(note, std::byte{0});
  std::string text(reinterpret_cast<const char*>(note.data()), static_cast<std::size_t>(end - note.begin()));
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

Result<std::shared_ptr<GroupState>> GroupState::create(Founding founding, const Exchange& exchange, Deadline deadline) {
  return base::contain("making a group", [&]() -> Result<std::shared_ptr<GroupState>> {
    const Layout layout(founding.transport->ranks());
    PINTLE_ASSIGN(window, founding.transport->create_window(layout.size(), exchange, deadline));
    return std::make_shared<GroupState>(std::move(founding), std::move(window));
  });
}

GroupState::GroupState(Founding founding, std::unique_ptr<Window> window)
    : founding_(std::move(founding)),
      rank_(founding_.transport->rank()),
      ranks_(founding_.transport->ranks()),
      layout_(ranks_),
      window_(std::move(window)),
      mailbox_(*window_, layout_, rank_, ranks_),
      number_(next_number()),
      schedule_(rank_, ranks_),
      letters_(ranks_) {
  awaited_.reserve(2 * std::size_t{ranks_});  // each rank once to send to and once to receive from
}

GroupState::~GroupState() {
  if (!failure_) announce(left);
}

std::string GroupState::text() const {
  return founding_.label.empty() ? fmt::format("[Group {}]", number_)
                                 : fmt::format("[Group {} {}]", number_, base::quote(founding_.label));
}

Result<void> GroupState::post(std::uint32_t rank, std::uint64_t place, const Note& note, std::uint64_t stamp) {
  PINTLE_TRY(window_->put(rank, place, note));
  PINTLE_TRY(window_->store(rank, place + note_word, stamp));
  ring(rank);
  return {};
}

std::uint64_t GroupState::stamp_at(std::uint64_t place) const noexcept {
  return window_->word(place + note_word).load(std::memory_order_seq_cst);
}

Note GroupState::note_at(std::uint64_t place) const noexcept {
  Note note;
  std::memcpy(note.data(), window_->own() + place, sizeof note);
  return note;
}

Result<void> GroupState::appear(std::uint64_t step) {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    PINTLE_TRY(post(rank, layout_.note_of(rank_, Layout::Lane::rescue, step % 2), {}, step));
  }
  return {};
}

bool GroupState::has_appeared(std::uint32_t rank, std::uint64_t step) const noexcept {
  return stamp_at(layout_.note_of(rank, Layout::Lane::rescue, step % 2)) >= step;
}

Result<void> GroupState::health() {
  PINTLE_TRY(failure());
  window_->progress();
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    if (const auto fault = fault_of(rank)) return fail(*fault);
  }
  return {};
}

Error GroupState::fail(const Error& error) {
  {
    const std::lock_guard lock(failing_);
    if (failure_) return *failure_;
    show(note_of(error.message()));
    const auto first = first_fault(error.code());
    failure_ = first.value_or(error);
    if (first) show(note_of(first->message()));
    has_failed_.store(true, std::memory_order_release);
  }
  announce(static_cast<std::uint64_t>(failure_->code()));
  return *failure_;
}

/// Several ranks may find a fault at one time, each another one. All tell that of the rank which failed first. Its note
/// is at every rank before its word says so. Ranks that share no memory have no such word: there each may tell its own.
std::optional<Error> GroupState::first_fault(Errc code) const {
  if (!window_->is_addressable()) return std::nullopt;
  std::uint64_t first = 0;
  const std::uint64_t own = (std::uint64_t{rank_} + 1) << 8 | static_cast<std::uint64_t>(code);
  const auto word = Window::word_in(window_->at(0), Layout::first_fault);
  if (word.compare_exchange_strong(first, own, std::memory_order_acq_rel, std::memory_order_acquire))
    return std::nullopt;
  const std::uint64_t rank = (first >> 8) - 1;
  if (rank >= ranks_ || rank == rank_) return std::nullopt;
  const Error fault = fault_at(layout_.fault_of(static_cast<std::uint32_t>(rank)), first & 0xff);
  return fault.message().empty() ? std::nullopt : std::optional(fault);
}

/// Best effort, as `announce`: a rank that cannot be told finds out by its deadline.
void GroupState::show(const Note& note) noexcept {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_) static_cast<void>(window_->put(rank, layout_.fault_of(rank_), note));
  }
}

void GroupState::announce(std::uint64_t code) noexcept {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_ && window_->store(rank, layout_.fault_of(rank_) + note_word, code)) ring(rank);
  }
}

Error GroupState::fault_at(std::uint64_t place, std::uint64_t code) const {
  const bool is_known = code != 0 && code <= static_cast<std::uint64_t>(Errc::internal);
  return {is_known ? static_cast<Errc>(code) : Errc::internal, text_of(note_at(place))};
}

std::optional<Error> GroupState::fault_of(std::uint32_t rank) {
  const std::uint64_t place = layout_.fault_of(rank);
  const std::uint64_t code = window_->word(place + note_word).load(std::memory_order_acquire);
  if (code == 0 || code == left) return std::nullopt;
  return fault_at(place, code);
}

bool GroupState::has_left(std::uint32_t rank) const noexcept {
  return window_->word(layout_.fault_of(rank) + note_word).load(std::memory_order_acquire) == left;
}

Result<GroupState::Use> GroupState::use() {
  if (base::in_forked_child()) return base::forked_error();
  const std::thread::id self = std::this_thread::get_id();
  if (user_.load(std::memory_order_relaxed) == self) return Use(nullptr);  // no other thread writes this id
  std::thread::id user;
  if (user_.compare_exchange_strong(user, self, std::memory_order_acquire)) return Use(this);
  return Error(Errc::invalid_argument,
               fmt::format("{} is in use by another thread or a GroupQueue: one operation at a time.", text()));
}

/// The number is 0 while the other words change, and is written last: a rank that reads one number twice, with the
/// other words between, has read one call. See `status_of`.
Result<GroupState::Running> GroupState::begin(Call& call) {
  PINTLE_TRY(failure());
  PINTLE_ASSIGN(use, this->use());
  if (call.operation != Operation::send_recv) call.number = ++calls_;
  call_ = call;
  ++statistics_.operations;
  window_->word(Layout::status).store(0, std::memory_order_relaxed);
  window_->word(Layout::status + 8).store(call.count, std::memory_order_release);
  window_->word(Layout::status + 16).store(pack(call), std::memory_order_release);
  window_->word(Layout::status + 48).store(base::current_processor() + 1, std::memory_order_relaxed);
  window_->word(Layout::status).store(call.number, std::memory_order_release);
  return Running(*this, std::move(use));
}

/// Comes after this rank shows that it waits no more.
void GroupState::show_done() noexcept { window_->word(Layout::status + 40).store(calls_, std::memory_order_release); }

void GroupState::ring(std::uint32_t rank) noexcept {
  std::byte* const piece = window_->at(rank);
  if (piece == nullptr || rank == rank_) return;
  auto* const sleeping = reinterpret_cast<std::uint32_t*>(piece + Layout::sleeping);
  if (std::atomic_ref(*sleeping).load(std::memory_order_seq_cst) == 0) return;
  auto* const doorbell = reinterpret_cast<std::uint32_t*>(piece + Layout::doorbell);
  std::atomic_ref(*doorbell).fetch_add(1, std::memory_order_seq_cst);
  founding_.transport->wake(doorbell);
}

void GroupState::show_waiting(std::uint32_t awaited_plus_1, Deadline now) noexcept {
  const auto heartbeat = static_cast<std::uint64_t>(now.time_since_epoch().count());
  window_->word(Layout::status + 32).store(heartbeat, std::memory_order_relaxed);
  // A release: a rank that sees that this one waits no more also sees what this one has told before.
  window_->word(Layout::status + 24).store(awaited_plus_1, std::memory_order_release);
}

bool GroupState::shares_processor(std::uint32_t rank) const noexcept {
  std::byte* const piece = window_->at(rank);
  return piece != nullptr && rank != rank_ &&
         Window::word_in(piece, Layout::status + 48).load(std::memory_order_relaxed) == base::current_processor() + 1;
}

Result<GroupState::Status> GroupState::status_of(std::uint32_t rank) {
  std::array<std::uint64_t, 6> words{};
  if (std::byte* const piece = window_->at(rank)) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = Window::word_in(piece, Layout::status + 8 * i).load(std::memory_order_acquire);
    }
    const bool has_changed = Window::word_in(piece, Layout::status).load(std::memory_order_acquire) != words[0];
    if (has_changed) words[0] = 0;
  } else {
    PINTLE_TRY(window_->get(rank, Layout::status, std::as_writable_bytes(std::span(words))));
  }
  return Status{words[0], words[1], words[2], words[3], words[4], words[5]};
}

}  // namespace pintle::collective
