#include "collective/shm/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contain.h"
#include "base/futex.h"
#include "base/platform.h"
#include "base/sync.h"

namespace pintle::collective {

namespace {

constexpr std::uint64_t magic = 0x31'4b'4e'41'52'4e'49'50;  // "PINRANK1"
constexpr std::uint32_t version = 1;
constexpr std::uint64_t most_generations = std::numeric_limits<std::uint32_t>::max();
constexpr int spins = 200;                                     // some microseconds
constexpr auto between_looks = std::chrono::milliseconds(10);  // at ranks that may have ended
constexpr std::uint32_t most_named = 8;
constexpr std::uint32_t is_gone = 1u << 31;
constexpr std::string_view replaced = "its process has ended and another takes its place";

using Words = std::array<std::uint64_t, sizeof(Note) / sizeof(std::uint64_t)>;
static_assert(sizeof(Words) == sizeof(Note));

template <class T>
std::atomic_ref<T> in_common(T& word) noexcept {
  return std::atomic_ref<T>(word);
}

/// Writes word by word, since a rank may go on to a later generation and write while another reads. A rank that reads a
/// new word then sees a new sequence.
void write_words(Words& to, const Note& from) noexcept {
  Words words;
  std::memcpy(words.data(), from.data(), sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) in_common(to[i]).store(words[i], std::memory_order_release);
}

void read_words(Note& to, Words& from) noexcept {
  Words words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = in_common(from[i]).load(std::memory_order_acquire);
  std::memcpy(to.data(), words.data(), sizeof words);
}

Error lost(std::uint32_t rank, std::string_view how) {
  return {Errc::peer_lost, fmt::format("Rank {} is lost: {}.", rank, how)};
}

Error further(std::uint32_t rank, std::uint64_t there, std::uint64_t here) {
  return {Errc::stale, fmt::format("Rank {} is in generation {} already, beyond this one ({}).", rank, there, here)};
}

}  // namespace

struct Rendezvous::Header {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t ranks = 0;
};

struct alignas(64) Rendezvous::Board {
  std::uint64_t process;
  std::uint64_t generation;  // the last that the rank has arrived for
  std::uint64_t sequence;    // generation in the upper half, notes written in it in the lower
  std::uint32_t doorbell;    // changes whenever another word here has changed
  std::uint32_t gone;        // what the launcher says: 0, or how the process ended
  std::array<Words, 2> notes;
};

/// A wait until every board says a generation.
class Rendezvous::Arrival {
 public:
  Arrival(const Rendezvous& ranks, std::uint32_t own, std::uint64_t target) noexcept
      : ranks_(ranks), own_(own), target_(target) {}

  [[nodiscard]] Result<bool> is_there(std::uint32_t rank) const {
    const Board& board = ranks_.board(rank);
    const bool has_come = in_common(board.generation).load(std::memory_order_acquire) == target_;
    const bool has_process = in_common(board.process).load(std::memory_order_acquire) != 0;
    // Read again: a process that takes a place writes its generation before its number.
    const auto there = in_common(board.generation).load(std::memory_order_acquire);
    if (there > target_) return further(rank, there, target_);
    return has_come && has_process && there == target_;
  }
  /// Only the launcher knows whether another process takes the place of one that has ended, whether or not that one had
  /// come.
  [[nodiscard]] std::optional<std::string> loss(std::uint32_t rank) const {
    return rank == own_ ? std::nullopt : ranks_.gone(rank);
  }
  [[nodiscard]] bool is_missing(std::uint32_t rank) const {
    const auto there = is_there(rank);
    return !there || !*there || (rank != own_ && ranks_.ended(rank));
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} ranks meet in generation {}", ranks_.ranks_, target_);
  }

 private:
  const Rendezvous& ranks_;
  const std::uint32_t own_;
  const std::uint64_t target_;
};

/// A wait for a note of each rank. Two places suffice: a rank writes note k+2 only after it has read every note k+1,
/// and each rank writes note k+1 only after it has read every note k. So a rank that still reads note k sees k+1 or k+2
/// notes written, and its place untouched.
class Rendezvous::Step {
 public:
  Step(const Rendezvous& ranks, std::uint64_t generation, std::uint32_t step) noexcept
      : ranks_(ranks), generation_(generation), step_(step) {}

  [[nodiscard]] Result<bool> is_there(std::uint32_t rank) const {
    const auto word = in_common(ranks_.board(rank).sequence).load(std::memory_order_acquire);
    const std::uint64_t generation = word >> 32, count = word & most_generations;
    if (generation > generation_) return further(rank, generation, generation_);
    if (generation < generation_ || count <= step_) return false;
    if (count <= std::uint64_t{step_} + 2) return true;
    return lost(rank, fmt::format("it says that it is at step {}, where only {} can be", count, step_ + 1));
  }
  /// A rank that has written its note may end.
  [[nodiscard]] std::optional<std::string> loss(std::uint32_t rank) const {
    const auto there = is_there(rank);
    if (!there || *there) return std::nullopt;
    if (auto how = ranks_.gone(rank)) return how;
    return ranks_.ended(rank);
  }
  [[nodiscard]] bool is_missing(std::uint32_t rank) const {
    const auto there = is_there(rank);
    return !there || !*there;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} ranks exchange note {} of generation {}", ranks_.ranks_, step_ + 1, generation_);
  }
  /// The note of a rank that is there.
  [[nodiscard]] Result<void> read(std::uint32_t rank, Note& to) const {
    read_words(to, ranks_.board(rank).notes[step_ % 2]);
    PINTLE_TRY(is_there(rank));  // still there: otherwise a later generation has written
    return {};
  }

 private:
  const Rendezvous& ranks_;
  const std::uint64_t generation_;
  const std::uint32_t step_;
};

/// One rank's exchanges of a generation, counted.
class Rendezvous::Steps {
 public:
  Steps(std::shared_ptr<const Rendezvous> ranks, std::uint32_t rank, std::uint64_t generation) noexcept
      : ranks_(std::move(ranks)), rank_(rank), generation_(generation) {}

  Result<std::vector<Note>> exchange(const Note& own, Deadline deadline) {
    if (failure_) return *failure_;
    auto notes = take_step(own, deadline);
    if (!notes) failure_ = notes.error();
    return notes;
  }

 private:
  Result<std::vector<Note>> take_step(const Note& own, Deadline deadline) {
    const Step step(*ranks_, generation_, count_);
    Board& board = ranks_->board(rank_);
    write_words(board.notes[count_ % 2], own);
    in_common(board.sequence).store(generation_ << 32 | ++count_, std::memory_order_release);
    ranks_->ring(rank_);
    PINTLE_TRY(ranks_->wait_for_all(step, deadline));
    std::vector<Note> notes(ranks_->ranks_);
    for (std::uint32_t rank = 0; rank < ranks_->ranks_; ++rank) PINTLE_TRY(step.read(rank, notes[rank]));
    return notes;
  }

  const std::shared_ptr<const Rendezvous> ranks_;
  const std::uint32_t rank_;
  const std::uint64_t generation_;
  std::uint32_t count_ = 0;
  std::optional<Error> failure_;
};

Rendezvous::Rendezvous(base::SharedMemory memory, std::uint32_t ranks, Between between) noexcept
    : memory_(std::move(memory)), ranks_(ranks), is_shared_(between == Between::processes) {}

std::uint64_t Rendezvous::size_for(std::uint32_t ranks) noexcept {
  return (std::uint64_t{ranks} + 1) * sizeof(Board);  // the header has the place of a board
}

Rendezvous::Board& Rendezvous::board(std::uint32_t rank) const noexcept {
  return reinterpret_cast<Board*>(memory_.bytes().data())[rank + 1];
}

Result<std::shared_ptr<Rendezvous>> Rendezvous::begin(std::uint32_t ranks, Between between) {
  if (ranks == 0 || ranks > most_ranks) {
    return Error(Errc::invalid_argument, fmt::format("Number of ranks ({}) is not within 1 to {}.", ranks, most_ranks));
  }
  auto memory = between == Between::threads ? base::SharedMemory::create_private(size_for(ranks))
                                            : base::SharedMemory::create(size_for(ranks), "pintle-ranks");
  if (!memory) return memory.error();
  const Header header{magic, version, ranks};
  std::memcpy(memory->bytes().data(), &header, sizeof header);
  return std::shared_ptr<Rendezvous>(new Rendezvous(*std::move(memory), ranks, between));
}

Result<std::shared_ptr<Rendezvous>> Rendezvous::in_process(std::uint32_t ranks) {
  return base::contain("creating a rendezvous", [&] { return begin(ranks, Between::threads); });
}

Result<std::shared_ptr<Rendezvous>> Rendezvous::shared(std::uint32_t ranks) {
  return base::contain("creating a rendezvous", [&] { return begin(ranks, Between::processes); });
}

Result<std::shared_ptr<Rendezvous>> Rendezvous::inherited(int descriptor) {
  return base::contain("joining a rendezvous", [&]() -> Result<std::shared_ptr<Rendezvous>> {
    PINTLE_ASSIGN(memory, base::SharedMemory::inherit(descriptor));
    Header header;
    if (memory.bytes().size() >= sizeof header) std::memcpy(&header, memory.bytes().data(), sizeof header);
    const bool fits = header.magic == magic && header.version == version && header.ranks >= 1 &&
                      header.ranks <= most_ranks && memory.bytes().size() == size_for(header.ranks);
    if (fits) {
      return std::shared_ptr<Rendezvous>(new Rendezvous(std::move(memory), header.ranks, Between::processes));
    }
    return Error(Errc::unavailable,
                 fmt::format("Descriptor {} is no rendezvous of this version ({}) of Pintle.", descriptor, version));
  });
}

Result<std::uint64_t> Rendezvous::arrive(std::uint32_t rank, std::uint64_t generation, Deadline deadline) {
  return base::contain("meeting other ranks", [&]() -> Result<std::uint64_t> {
    if (rank >= ranks_) {
      return Error(Errc::invalid_argument,
                   fmt::format("Rank ({}) is not below the number of ranks ({}).", rank, ranks_));
    }
    const std::uint64_t before = in_common(board(rank).generation).load(std::memory_order_relaxed);
    auto met = meet(rank, std::max(generation, before + 1), deadline);
    if (!met) in_common(board(rank).generation).store(before, std::memory_order_release);
    return met;
  });
}

Result<std::uint64_t> Rendezvous::meet(std::uint32_t rank, std::uint64_t target, Deadline deadline) {
  while (true) {
    if (target == 0 || target > most_generations) {
      return Error(Errc::stale, fmt::format("Generation ({}) is not within 1 to {}.", target, most_generations));
    }
    publish(rank, target);
    const auto met = wait_for_all(Arrival(*this, rank, target), deadline);
    if (met) return target;
    // Others tried once more while this rank was away. They do not come back to this rank's generation.
    if (met.error().code() != Errc::stale || Clock::now() >= deadline) return met.error();
    target = highest_generation();
  }
}

/// Writes the process last: a rank that reads its number then reads this generation or a later one.
void Rendezvous::publish(std::uint32_t rank, std::uint64_t generation) noexcept {
  Board& own = board(rank);
  in_common(own.sequence).store(generation << 32, std::memory_order_release);
  in_common(own.generation).store(generation, std::memory_order_release);
  in_common(own.process).store(base::process_id(), std::memory_order_release);
  ring(rank);
}

std::uint64_t Rendezvous::highest_generation() const noexcept {
  std::uint64_t highest = 1;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    highest = std::max(highest, in_common(board(rank).generation).load(std::memory_order_acquire));
  }
  return highest;
}

Exchange Rendezvous::exchange(std::uint32_t rank, std::uint64_t generation) {
  auto steps = std::make_shared<Steps>(shared_from_this(), rank, generation);
  return [steps](const Note& own, Deadline deadline) {
    return base::contain("exchanging notes", [&] { return steps->exchange(own, deadline); });
  };
}

std::uint64_t Rendezvous::process(std::uint32_t rank) const noexcept {
  return in_common(board(rank).process).load(std::memory_order_acquire);
}

Result<std::uint64_t> Rendezvous::process(std::uint32_t rank, std::uint64_t generation) const {
  const std::uint64_t number = process(rank);
  const auto there = in_common(board(rank).generation).load(std::memory_order_acquire);
  if (there > generation) return further(rank, there, generation);
  if (number == 0) return lost(rank, replaced);
  return number;
}

void Rendezvous::mark_gone(std::uint32_t rank, const base::ProcessEnd& end) noexcept {
  const auto signal = static_cast<std::uint32_t>(end.signal) & 0xff, code = static_cast<std::uint32_t>(end.code) & 0xff;
  in_common(board(rank).gone).store(is_gone | signal << 8 | code, std::memory_order_release);
  ring(rank);
}

void Rendezvous::vacate(std::uint32_t rank) noexcept {
  in_common(board(rank).process).store(0, std::memory_order_release);
  in_common(board(rank).gone).store(0, std::memory_order_release);
  ring(rank);
}

std::optional<std::string> Rendezvous::gone(std::uint32_t rank) const {
  const auto word = in_common(board(rank).gone).load(std::memory_order_acquire);
  if (word == 0) return std::nullopt;
  return "it " +
         text(base::ProcessEnd{.code = static_cast<int>(word & 0xff), .signal = static_cast<int>(word >> 8 & 0xff)});
}

/// How the process of a rank has ended. The rank's board names the process, by the rank's own word; or the launcher has
/// taken the name away.
std::optional<std::string> Rendezvous::ended(std::uint32_t rank) const {
  const std::uint64_t number = process(rank);
  if (is_shared_ && number == 0) return std::string(replaced);
  if (!is_shared_ || !base::ProcessWatch(number).has_ended()) return std::nullopt;
  return fmt::format("its process {} has ended", number);
}

void Rendezvous::ring(std::uint32_t rank) const noexcept {
  std::uint32_t& doorbell = board(rank).doorbell;
  in_common(doorbell).fetch_add(1, std::memory_order_release);
  base::futex_wake(&doorbell);
}

template <class Wait>
Result<void> Rendezvous::wait_for_all(const Wait& wait, Deadline deadline) const {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) PINTLE_TRY(wait_for(rank, wait, deadline));
  return {};
}

template <class Wait>
Result<void> Rendezvous::wait_for(std::uint32_t rank, const Wait& wait, Deadline deadline) const {
  for (int spin = 0; spin < spins; ++spin) {
    PINTLE_ASSIGN(is_there, wait.is_there(rank));
    if (is_there) return {};
    base::spin_pause();
  }
  std::uint32_t& doorbell = board(rank).doorbell;
  while (true) {
    const std::uint32_t seen = in_common(doorbell).load(std::memory_order_acquire);
    PINTLE_ASSIGN(is_there, wait.is_there(rank));
    if (is_there) return {};
    PINTLE_TRY(look_for_losses(wait));
    const Deadline now = Clock::now();
    if (now >= deadline) {
      return Error(Errc::timeout,
                   fmt::format("The deadline passes while {}; missing: {}.", wait.text(), missing(wait)));
    }
    base::futex_wait(&doorbell, seen, std::min(deadline, deadline_after(now, between_looks)));
  }
}

template <class Wait>
Result<void> Rendezvous::look_for_losses(const Wait& wait) const {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    const auto how = wait.loss(rank);
    if (!how) continue;
    // Once everybody has come, the first may have ended already.
    return missing(wait).empty() ? Result<void>() : Result<void>(lost(rank, *how));
  }
  return {};
}

/// "rank 2", "ranks 0, 1 and 12 more"; empty when all are there.
template <class Wait>
std::string Rendezvous::missing(const Wait& wait) const {
  std::string names;
  std::uint32_t count = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (!wait.is_missing(rank) || count++ >= most_named) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", rank);
  }
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  return names.empty() ? names : (count == 1 ? "rank " : "ranks ") + names;
}

}  // namespace pintle::collective
