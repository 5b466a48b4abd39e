#include "collective/shm/shared_window.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/bytes.h"
#include "collective/outcome.h"

namespace pintle::collective {
namespace {

constexpr std::uint64_t page = 4096;

/// What a rank says of its piece, behind its outcome. `place` is a descriptor of its process, or a number among the
/// offers.
struct Offer {
  std::uint64_t size = 0;
  std::uint64_t place = 0;
};

/// Pieces that threads of this process offer each other, by number. A rank that gives up takes its piece back while
/// others may still look for it. A number then finds nothing, where an address would dangle.
class Offers {
 public:
  static Offers& common() {
    static Offers& offers = *new Offers;
    return offers;
  }
  std::uint64_t add(Piece piece) {
    const std::lock_guard lock(mutex_);
    pieces_.emplace(++last_, std::move(piece));
    return last_;
  }
  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(number);
  }
  /// Null when it was taken back.
  Piece find(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto place = pieces_.find(number);
    return place == pieces_.end() ? nullptr : place->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Piece> pieces_;
  std::uint64_t last_ = 0;
};

/// A rank's own piece while others look for it: by its descriptor, or by its number among the offers.
class OwnPiece {
 public:
  static Result<OwnPiece> create(std::uint64_t bytes, const WindowMembers& members) {
    const auto whole = base::align_up(std::max<std::uint64_t>(bytes, 1), page);
    if (!whole) return Error(Errc::out_of_memory, fmt::format("A window of {} bytes fits no memory.", bytes));
    auto memory = members.processes.empty() ? base::SharedMemory::create_private(*whole)
                                            : base::SharedMemory::create(*whole, "pintle-window");
    if (!memory) return memory.error();
    return OwnPiece(std::make_shared<base::SharedMemory>(*std::move(memory)));
  }
  OwnPiece(OwnPiece&& other) noexcept : memory_(std::move(other.memory_)), number_(std::exchange(other.number_, 0)) {}
  OwnPiece& operator=(OwnPiece&&) = delete;
  /// Every rank that is still to have the piece has it by now.
  ~OwnPiece() {
    if (number_ != 0) Offers::common().remove(number_);
    if (memory_) memory_->close_descriptor();
  }

  [[nodiscard]] Piece piece() const { return memory_; }
  [[nodiscard]] std::uint64_t place() const noexcept {
    return number_ != 0 ? number_ : static_cast<std::uint64_t>(memory_->descriptor());
  }

 private:
  explicit OwnPiece(std::shared_ptr<base::SharedMemory> memory)
      : memory_(std::move(memory)), number_(memory_->descriptor() < 0 ? Offers::common().add(memory_) : 0) {}

  std::shared_ptr<base::SharedMemory> memory_;
  std::uint64_t number_;
};

Note note_of(const Result<OwnPiece>& own, std::uint64_t bytes) {
  Note note{};
  write_outcome(note, own ? Result<void>() : Result<void>(own.error()));
  const Offer offer{bytes, own ? own->place() : 0};
  std::memcpy(note.data() + outcome_size, &offer, sizeof offer);
  return note;
}

std::vector<Offer> offers_in(std::span<const Note> notes) {
  std::vector<Offer> offers(notes.size());
  for (std::size_t rank = 0; rank < notes.size(); ++rank) {
    std::memcpy(&offers[rank], notes[rank].data() + outcome_size, sizeof(Offer));
  }
  return offers;
}

/// Compares sizes first: a size that is far too large may be why a rank has failed.
Result<void> check(std::span<const Note> notes, std::span<const Offer> offers) {
  for (std::size_t rank = 1; rank < offers.size(); ++rank) {
    if (offers[rank].size == offers[0].size) continue;
    return Error(Errc::invalid_argument,
                 fmt::format("Size ({}) of the window on rank {} is not the size ({}) on rank 0.", offers[rank].size,
                             rank, offers[0].size));
  }
  return read_outcomes(notes);
}

Result<Piece> find(const Offer& offer, std::uint32_t rank, std::uint64_t process, std::uint64_t size) {
  if (process != 0) {
    auto memory = base::SharedMemory::open(process, offer.place, size);
    if (memory) return Piece(std::make_shared<base::SharedMemory>(*std::move(memory)));
    if (memory.error().code() != Errc::not_found) return memory.error();
    return Error(Errc::peer_lost,
                 fmt::format("Rank {} is lost: its process {} has ended or has given up the window.", rank, process));
  }
  const Piece piece = Offers::common().find(offer.place);
  if (piece && piece->bytes().size() == size) return piece;
  return Error(Errc::peer_lost, fmt::format("Rank {} has given up the window.", rank));
}

Result<std::vector<Piece>> find_all(std::span<const Offer> offers, const WindowMembers& members, const Piece& own) {
  std::vector<Piece> pieces;
  for (std::uint32_t rank = 0; rank < members.ranks; ++rank) {
    if (rank == members.rank) {
      pieces.push_back(own);
      continue;
    }
    const std::uint64_t process = members.processes.empty() ? 0 : members.processes[rank];
    PINTLE_ASSIGN(piece, find(offers[rank], rank, process, own->bytes().size()));
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<std::byte*> addresses(std::span<const Piece> pieces) {
  std::vector<std::byte*> result;
  for (const Piece& piece : pieces) result.push_back(piece->bytes().data());
  return result;
}

}  // namespace

SharedWindow::SharedWindow(std::uint32_t rank, std::uint64_t size, std::vector<Piece> pieces)
    : Window(rank, size, addresses(pieces)), pieces_(std::move(pieces)) {}

Result<std::unique_ptr<Window>> create_shared_window(const WindowMembers& members, std::uint64_t bytes,
                                                     const Exchange& exchange, Deadline deadline) {
  const auto own = OwnPiece::create(bytes, members);
  PINTLE_ASSIGN(notes, exchange(note_of(own, bytes), deadline));
  if (notes.size() != members.ranks) return Error(Errc::internal, "An exchange has another number of ranks.");
  const std::vector<Offer> offers = offers_in(notes);
  PINTLE_TRY(check(notes, offers));
  // The notes may say that this rank has a piece when it has none: a neighbour may have changed its note.
  if (!own) return own.error();
  auto pieces = find_all(offers, members, own->piece());
  PINTLE_TRY(agree(pieces ? Result<void>() : Result<void>(pieces.error()), exchange, deadline));
  return std::unique_ptr<Window>(std::make_unique<SharedWindow>(members.rank, bytes, *std::move(pieces)));
}

}  // namespace pintle::collective
