// Objects behind handles: found without a lock, never used after they are released.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace pintle::capi {

/// A handle's number: kind (6 bits), epoch (34 bits), place (24 bits). The epoch begins at 1 and rises each time
/// another object gets the place, so a handle that was released is told apart for ever.
struct HandleId {
  static constexpr int place_bits = 24, epoch_bits = 34;
  static constexpr std::uint64_t place_limit = std::uint64_t{1} << place_bits;
  static constexpr std::uint64_t epoch_limit = std::uint64_t{1} << epoch_bits;

  static constexpr std::uint64_t of(unsigned kind, std::uint64_t epoch, std::uint64_t place) noexcept {
    return (std::uint64_t{kind} << (place_bits + epoch_bits)) | (epoch << place_bits) | place;
  }
  static constexpr unsigned kind(std::uint64_t id) noexcept {
    return static_cast<unsigned>(id >> (place_bits + epoch_bits));
  }
  static constexpr std::uint64_t epoch(std::uint64_t id) noexcept { return (id >> place_bits) & (epoch_limit - 1); }
  static constexpr std::uint64_t place(std::uint64_t id) noexcept { return id & (place_limit - 1); }
};

/// The word of a cell: kind and epoch where a handle has them, and where a handle has its place, state (2 bits) and
/// users (22 bits). So one comparison tells whether a handle is that of the cell's live object, whatever its bits.
/// States follow each other by adding `step`, and the last one carries into the epoch.
class CellWord {
 public:
  enum State : unsigned { live = 0, released = 1, ending = 2, empty = 3 };
  static constexpr int state_shift = 22;
  static constexpr std::uint64_t step = std::uint64_t{1} << state_shift;
  static constexpr std::uint64_t users(std::uint64_t word) noexcept { return word & (step - 1); }
  static constexpr State state(std::uint64_t word) noexcept { return static_cast<State>((word >> state_shift) & 3); }
  /// Kind and epoch of a handle.
  static constexpr std::uint64_t name_of(std::uint64_t id) noexcept { return id & ~(HandleId::place_limit - 1); }
  /// Whether the cell's object is live and has this handle, but for the place, which the caller came by.
  static constexpr bool is_of(std::uint64_t word, std::uint64_t id) noexcept { return (word ^ name_of(id)) < step; }
  /// Whether the object was released and one user is inside.
  static constexpr bool is_last_use(std::uint64_t word) noexcept {
    return (word & (HandleId::place_limit - 1)) == released * step + 1;
  }
};

/// One object in place. It ends when it has been released and the last user is gone, on that user's thread.
template <class T>
class Cell {
 public:
  /// Begins a use; false where the handle, which has the cell's place, names no live object. The caller leaves in
  /// either case.
  [[nodiscard]] bool enter(std::uint64_t id) noexcept {
    return CellWord::is_of(word_.fetch_add(1, std::memory_order_acquire), id);
  }

  /// Ends a use. True where that emptied the cell: the caller puts it back.
  bool leave() noexcept {
    std::uint64_t left;
    return leaves_last(left) && end(left);
  }
  /// The same in two steps, where a few instructions count: true where `end(left)` follows.
  [[nodiscard, gnu::always_inline]] bool leaves_last(std::uint64_t& left) noexcept {
    const std::uint64_t before = word_.fetch_sub(1, std::memory_order_acq_rel);
    left = before - 1;
    return CellWord::is_last_use(before);
  }
  // Several threads may see a released cell without users, when handles that were released come and go. One of them
  // wins. A cell that was taken alone is `ending` at once, so none of them ends it.
  [[nodiscard]] bool end(std::uint64_t word) noexcept {
    if (!word_.compare_exchange_strong(word, word + CellWord::step, std::memory_order_acq_rel,
                                       std::memory_order_relaxed))
      return false;
    std::destroy_at(&object_);
    word_.fetch_add(CellWord::step, std::memory_order_release);  // from `ending` to `empty`
    return true;
  }

  /// Makes the object of an empty cell and answers its epoch. The caller is the cell's only user.
  template <class... Parts>
  std::uint64_t fill(Parts&&... parts) noexcept {
    std::construct_at(&object_, std::forward<Parts>(parts)...);
    return HandleId::epoch(word_.fetch_add(CellWord::step, std::memory_order_release) + CellWord::step);
  }

  /// What `take` found: whether it may be the object's end, and whether others were using it.
  enum class Taken : unsigned char { none, alone, shared };

  /// Begins the last use: from now on no handle of this epoch finds the object. `none` where it is not live, or another
  /// thread was first; then there is nothing to end. `alone`: the caller ends it by `end_taken`. `shared`: others are
  /// inside, and the last of them ends it; the caller leaves.
  [[nodiscard, gnu::always_inline]] Taken take(std::uint64_t id) noexcept {
    std::uint64_t word = CellWord::name_of(id);  // live, and nobody is inside
    if (word_.compare_exchange_strong(word, word + 2 * CellWord::step + 1, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) [[likely]]
      return Taken::alone;
    return take(id, word);
  }

  /// Ends the object that the caller has taken alone. Handles of it may still come and go.
  void end_taken() noexcept {
    std::destroy_at(&object_);
    word_.fetch_add(CellWord::step - 1, std::memory_order_release);  // from `ending` to `empty`, and the caller leaves
  }

  /// Before its first object: the table's kind, its place there, and where epochs begin.
  void begin(unsigned kind, std::uint64_t place, std::uint64_t epoch) noexcept {
    place_ = static_cast<std::uint32_t>(place);
    word_.fetch_add(HandleId::of(kind, epoch - 1, 0), std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return HandleId::epoch(word_.load(std::memory_order_relaxed)); }
  /// Whether an empty cell has had its last epoch: it is not filled again.
  [[nodiscard]] bool is_worn() const noexcept { return epoch() == HandleId::epoch_limit - 1; }
  [[nodiscard]] std::uint64_t place() const noexcept { return place_; }
  [[nodiscard]] T& object() noexcept { return object_; }

 private:
  // Where it is not so simple: `word` is what was seen.
  [[nodiscard, gnu::noinline]] Taken take(std::uint64_t id, std::uint64_t word) noexcept {
    std::uint64_t next;
    do {
      if (!CellWord::is_of(word, id)) return Taken::none;
      next = word + (CellWord::users(word) == 0 ? 2 : 1) * CellWord::step + 1;
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel, std::memory_order_relaxed));
    return CellWord::state(next) == CellWord::ending ? Taken::alone : Taken::shared;
  }

  std::atomic<std::uint64_t> word_{CellWord::empty * CellWord::step};  // of kind 0: no handle's before `begin`
  std::uint32_t place_ = 0;

 public:
  std::atomic<std::uint32_t> next{0};  // in the list of empty places: the place, plus 1

 private:
  union {
    T object_;
  };

 public:
  Cell() noexcept {}
  ~Cell() {}  // NOLINT(modernize-use-equals-default): the table lives as long as the process
};

/// The objects of one kind. Places come in chunks that double, so an object never moves. Any thread may call anything.
template <class T, unsigned kind>
class HandleTable {
 public:
  /// A use of an object: while it exists, the object does.
  class Use {
   public:
    Use() noexcept = default;
    Use(HandleTable& table, Cell<T>& cell) noexcept : table_(&table), cell_(&cell) {}
    Use(Use&& other) noexcept : table_(other.table_), cell_(std::exchange(other.cell_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (cell_ != nullptr) table_->leave(*cell_);
    }
    explicit operator bool() const noexcept { return cell_ != nullptr; }
    T& operator*() const noexcept { return cell_->object(); }
    T* operator->() const noexcept { return &cell_->object(); }

   private:
    HandleTable* table_ = nullptr;
    Cell<T>* cell_ = nullptr;
  };

  /// The use of an object that no handle names any more.
  class LastUse {
   public:
    LastUse() noexcept = default;
    LastUse(HandleTable& table, Cell<T>& cell, bool is_alone) noexcept
        : table_(&table), cell_(&cell), is_alone_(is_alone) {}
    LastUse(const LastUse&) = delete;
    LastUse& operator=(const LastUse&) = delete;
    ~LastUse() {
      if (cell_ == nullptr) return;
      if (is_alone_) table_->end_taken(*cell_);
      else table_->leave(*cell_);
    }
    explicit operator bool() const noexcept { return cell_ != nullptr; }
    T& operator*() const noexcept { return cell_->object(); }
    T* operator->() const noexcept { return &cell_->object(); }

   private:
    HandleTable* table_ = nullptr;
    Cell<T>* cell_ = nullptr;
    bool is_alone_ = false;
  };

  /// Begins a use of a live object and answers its cell; null where the handle names none. For where a few instructions
  /// count.
  [[nodiscard, gnu::always_inline]] Cell<T>* enter(std::uint64_t id) noexcept {
    Cell<T>* const cell = cell_at(HandleId::place(id));
    if (cell == nullptr || cell->enter(id)) [[likely]]
      return cell;
    leave(*cell);
    return nullptr;
  }
  /// Ends the use after which `Cell::leaves_last` was true.
  void end_last(Cell<T>& cell, std::uint64_t left) noexcept {
    if (cell.end(left)) put_empty(cell);
  }

  /// Empty where the handle names no live object.
  [[nodiscard]] Use find(std::uint64_t id) noexcept {
    Cell<T>* const cell = enter(id);
    return cell == nullptr ? Use() : Use(*this, *cell);
  }

  /// As `find`, and no handle names the object from now on. The object ends with its last use. Only one of several
  /// threads gets it.
  [[nodiscard]] LastUse take(std::uint64_t id) noexcept {
    Cell<T>* cell;
    const Taken taken = take(id, &cell);
    return taken == Taken::none ? LastUse() : LastUse(*this, *cell, taken == Taken::alone);
  }

  using Taken = typename Cell<T>::Taken;
  /// The same in two steps, where a few instructions count: `end` ends what is not `none`.
  [[nodiscard, gnu::always_inline]] Taken take(std::uint64_t id, Cell<T>** out) noexcept {
    Cell<T>* const cell = *out = cell_at(HandleId::place(id));
    return cell == nullptr ? Taken::none : cell->take(id);
  }
  [[gnu::always_inline]] void end(Cell<T>& cell, Taken taken) noexcept {
    if (taken == Taken::alone) [[likely]]
      end_taken(cell);
    else leave(cell);
  }

  /// A new object's handle; 0 where memory or places run out.
  template <class... Parts>
  [[nodiscard]] std::uint64_t make(Parts&&... parts) noexcept {
    std::uint64_t place = take_empty();
    if (place == none) place = take_fresh();
    if (place == none) return 0;
    const std::uint64_t epoch = cell_at(place)->fill(std::forward<Parts>(parts)...);
    return HandleId::of(kind, epoch, place);
  }

  /// Ends the object, now or with its last use. False where the handle names no live object.
  bool release(std::uint64_t id) noexcept { return static_cast<bool>(take(id)); }

  /// Whether an object ever had this handle: it may be stale, never foreign.
  [[nodiscard]] bool was_made(std::uint64_t id) noexcept {
    const Cell<T>* const cell = cell_at(HandleId::place(id));
    return HandleId::kind(id) == kind && HandleId::epoch(id) != 0 && cell != nullptr &&
           HandleId::epoch(id) <= cell->epoch();
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr int first_bits = 6;  // places of the first chunk: 64
  static constexpr std::size_t chunk_count = HandleId::place_bits - first_bits + 1;

  // Chunk 0 has the places below 64, chunk n those from 2^(n+5) on.
  static constexpr std::size_t chunk_of(std::uint64_t place) noexcept {
    return static_cast<std::size_t>(std::bit_width(place >> first_bits));
  }
  static constexpr std::uint64_t first_of(std::size_t chunk) noexcept {
    return chunk == 0 ? 0 : std::uint64_t{1} << (static_cast<int>(chunk) + first_bits - 1);
  }
  static constexpr std::uint64_t size_of(std::size_t chunk) noexcept {
    return std::uint64_t{1} << (first_bits + (chunk == 0 ? 0 : static_cast<int>(chunk) - 1));
  }

  [[nodiscard]] Cell<T>* cell_at(std::uint64_t place) noexcept {
    const std::size_t chunk = chunk_of(place);
    Cell<T>* const cells = chunks_[chunk].load(std::memory_order_acquire);
    return cells == nullptr ? nullptr : cells + (place - first_of(chunk));
  }

  void leave(Cell<T>& cell) noexcept {
    if (cell.leave()) [[unlikely]]
      put_empty(cell);
  }
  [[gnu::always_inline]] void end_taken(Cell<T>& cell) noexcept {
    cell.end_taken();
    put_empty(cell);
  }

  // The last empty place lies apart, which is cheap where a thread makes and releases by turns.
  void put_empty(Cell<T>& cell) noexcept {
    const std::uint32_t before =
        spare_.exchange(static_cast<std::uint32_t>(cell.place() + 1), std::memory_order_acq_rel);
    if (before != 0) list_empty(*cell_at(before - 1));
  }
  // A place whose epochs have run out is not used again.
  [[nodiscard]] std::uint64_t take_empty() noexcept {
    std::uint64_t place = spare_.exchange(0, std::memory_order_acq_rel);
    place = place != 0 ? place - 1 : take_listed();
    while (place != none && cell_at(place)->is_worn()) place = take_listed();
    return place;
  }

  // The list of the others. Its head has a number that rises, so that a place that was taken and put back between two
  // looks is noticed.
  [[gnu::noinline]] void list_empty(Cell<T>& cell) noexcept {
    std::uint64_t head = empty_.load(std::memory_order_relaxed);
    std::uint64_t next;
    do {
      cell.next.store(static_cast<std::uint32_t>(head & place_mask), std::memory_order_relaxed);
      next = ((head & ~place_mask) + place_mask + 1) | (cell.place() + 1);
    } while (!empty_.compare_exchange_weak(head, next, std::memory_order_acq_rel, std::memory_order_relaxed));
  }
  [[nodiscard]] std::uint64_t take_listed() noexcept {
    std::uint64_t head = empty_.load(std::memory_order_acquire);
    while ((head & place_mask) != 0) {
      const std::uint64_t place = (head & place_mask) - 1;
      const std::uint64_t next =
          ((head & ~place_mask) + place_mask + 1) | cell_at(place)->next.load(std::memory_order_relaxed);
      if (empty_.compare_exchange_weak(head, next, std::memory_order_acq_rel, std::memory_order_acquire)) return place;
    }
    return none;
  }

  // A place that was never used.
  [[nodiscard]] std::uint64_t take_fresh() noexcept {
    std::uint64_t place = fresh_.load(std::memory_order_relaxed);
    Cell<T>* cells;
    do {
      cells = place == HandleId::place_limit ? nullptr : make_chunk(chunk_of(place));
      if (cells == nullptr) return none;
    } while (!fresh_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
    cells[place - first_of(chunk_of(place))].begin(kind, place, 1);
    return place;
  }
  // Null where memory runs out.
  [[nodiscard]] Cell<T>* make_chunk(std::size_t chunk) noexcept {
    Cell<T>* there = chunks_[chunk].load(std::memory_order_acquire);
    if (there != nullptr) return there;
    auto* const made = new (std::nothrow) Cell<T>[size_of(chunk)];
    if (made == nullptr || chunks_[chunk].compare_exchange_strong(there, made, std::memory_order_acq_rel)) return made;
    delete[] made;
    return there;
  }

  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << 25) - 1;  // a place plus 1

  std::array<std::atomic<Cell<T>*>, chunk_count> chunks_{};
  std::atomic<std::uint32_t> spare_{0};  // a place plus 1
  std::atomic<std::uint64_t> empty_{0};
  std::atomic<std::uint64_t> fresh_{0};
};

}  // namespace pintle::capi
