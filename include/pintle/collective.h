// Collective operations as values: reduce, gather, scatter, exchange. A group or its queue runs them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "pintle/buffer.h"
#include "pintle/elements.h"

namespace pintle {

/// How the elements of all ranks become one. Integers wrap; f16, bf16 and the f8 dtypes are accumulated in f32 and
/// rounded once. An operator and a dtype that have no meaning together (bit_and of f32, max of complex64, mean of bool)
/// are `invalid_argument`.
enum class ReduceOp : std::uint8_t {
  sum = 1,   ///< For bool: logical or.
  prod = 2,  ///< For bool: logical and.
  min = 3,   ///< NaN where any rank has a NaN.
  max = 4,   ///< NaN where any rank has a NaN.
  mean = 5,  ///< The sum divided by the number of ranks; for integers the wrapped sum, rounded toward zero.
  bit_and = 6,
  bit_or = 7,
  bit_xor = 8,
  logical_and = 9,   ///< 1 or 0 in the dtype; everything but zero counts as true.
  logical_or = 10,   ///< 1 or 0, as above.
  logical_xor = 11,  ///< 1 or 0, as above.
};

/// The operator's name: "sum" ... "logical_xor".
[[nodiscard]] std::string_view name(ReduceOp op) noexcept;
/// The operator of a name; empty when there is none.
[[nodiscard]] std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept;

/// How bytes travel. An algorithm that an operation does not have is replaced by the nearest one: docs/collectives.md
/// has the table.
enum class Algorithm : std::uint8_t {
  automatic = 1,         ///< Chosen by operation, size, ranks and transport.
  direct = 2,            ///< Every rank with every other; the owner of a part folds it.
  ring = 3,              ///< Neighbours only; 2(n-1)/n of the bytes for all_reduce.
  halving_doubling = 4,  ///< Partners at distances of powers of two.
  tree = 5,              ///< Binomial: through a root in ceil(log2(n)) rounds.
  native = 6,            ///< The transport's own operation; `unsupported` where it has none.
};

/// The algorithm's name: "automatic", "direct", "ring", "halving_doubling", "tree", "native".
[[nodiscard]] std::string_view name(Algorithm algorithm) noexcept;
/// The algorithm of a name; empty when there is none.
[[nodiscard]] std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept;

/// Device memory that a collective reads or writes.
///
/// A `Buffer` that may be written is used in place where the host can map it (`Buffer::map`: every buffer of the cpu,
/// and on other devices a buffer that is placed on the host); it stays mapped. Elsewhere its bytes go through staging
/// memory. A view, a const Buffer and a sealed buffer are always staged.
struct DeviceElements {
  DeviceElements() noexcept = default;                                 ///< None: for a rank that gives or gets nothing.
  DeviceElements(const BufferView& memory) noexcept : view(memory) {}  // NOLINT(google-explicit-constructor)
  DeviceElements(const Buffer& memory) noexcept
      : DeviceElements(memory.view()) {}   // NOLINT(google-explicit-constructor)
  DeviceElements(Buffer& memory) noexcept  // NOLINT(google-explicit-constructor)
      : DeviceElements(memory, 0, memory.size_bytes() / bytes_of(memory.dtype())) {}
  /// The elements [first, first + count) of the buffer.
  DeviceElements(Buffer& memory, std::uint64_t first_element, std::uint64_t element_count) noexcept
      : view(memory.view()), buffer(&memory), first(first_element), count(element_count) {}

  BufferView view{};         ///< The memory; with `buffer`, the view of all of it.
  Buffer* buffer = nullptr;  ///< Used during the call only; null for a view.
  std::uint64_t first = 0;   ///< The first element, counted in `buffer`.
  std::uint64_t count = 0;
};

/// One operation of a group, as a value: `Collective::all_reduce(to, from, ReduceOp::sum)`. `Group::run` runs it on
/// host memory, `GroupQueue::submit` enqueues it on device memory; each refuses the memory of the other
/// (`invalid_argument`). `root` and other ranks count within the group. The memory is lent until `run` returns, or
/// until the point of `submit`.
struct Collective {
  enum class Kind : std::uint8_t {
    all_reduce = 1,
    reduce = 2,
    reduce_scatter = 3,
    all_gather = 4,
    gather = 5,
    scatter = 6,
    broadcast = 7,
    all_to_all = 8,
    send = 9,
    recv = 10,
    barrier = 11,
  };

  /// Memory that the operation writes. Whatever makes MutableElements or DeviceElements converts to it.
  class Target {
   public:
    Target() noexcept = default;  ///< No memory: no elements of the host.
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<MutableElements, Memory...>)
    Target(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : memory_(std::in_place_type<MutableElements>, std::forward<Memory>(memory)...) {}
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<DeviceElements, Memory...>)
    Target(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : memory_(std::in_place_type<DeviceElements>, std::forward<Memory>(memory)...) {}

    /// Memory of the host; null for memory of a device.
    [[nodiscard]] const MutableElements* host() const noexcept { return std::get_if<MutableElements>(&memory_); }
    /// Memory of a device; null for memory of the host.
    [[nodiscard]] const DeviceElements* device() const noexcept { return std::get_if<DeviceElements>(&memory_); }

   private:
    std::variant<MutableElements, DeviceElements> memory_;
  };

  /// Memory that the operation reads. Whatever makes Elements or DeviceElements converts to it, and so does a Target,
  /// for an operation in place.
  class Source {
   public:
    Source() noexcept = default;               ///< No memory: no elements of the host.
    Source(const Target& in_place) noexcept {  // NOLINT(google-explicit-constructor)
      if (const MutableElements* host = in_place.host()) memory_ = Elements(*host);
      else memory_ = *in_place.device();
    }
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<Elements, Memory...>)
    Source(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : memory_(std::in_place_type<Elements>, std::forward<Memory>(memory)...) {}
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<DeviceElements, Memory...>)
    Source(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : memory_(std::in_place_type<DeviceElements>, std::forward<Memory>(memory)...) {}

    /// Memory of the host; null for memory of a device.
    [[nodiscard]] const Elements* host() const noexcept { return std::get_if<Elements>(&memory_); }
    /// Memory of a device; null for memory of the host.
    [[nodiscard]] const DeviceElements* device() const noexcept { return std::get_if<DeviceElements>(&memory_); }

   private:
    std::variant<Elements, DeviceElements> memory_;
  };

  Kind kind = Kind::barrier;
  Target to{};
  Source from{};
  ReduceOp op = ReduceOp::sum;
  std::uint32_t rank = 0;  ///< The root, or the other rank of `send` and `recv`.
  Algorithm algorithm = Algorithm::automatic;
  /// True: the result is bitwise the same for any algorithm, transport, chunking, order of arrival and placement, since
  /// one rank folds each element in the order of ranks. It costs what `direct` costs.
  bool is_reproducible = false;

  /// `to` becomes `from` of all ranks, folded. The two may be the same memory (in place); any other overlap is
  /// `invalid_argument`.
  [[nodiscard]] static Collective all_reduce(const Target& to, const Source& from, ReduceOp op) noexcept {
    return {.kind = Kind::all_reduce, .to = to, .from = from, .op = op};
  }
  [[nodiscard]] static Collective all_reduce(const Target& in_place, ReduceOp op) noexcept {
    return all_reduce(in_place, in_place, op);
  }
  /// `to` of `root` becomes `from` of all ranks, folded. `to` of another rank may be empty and is left alone.
  [[nodiscard]] static Collective reduce(const Target& to, const Source& from, ReduceOp op,
                                         std::uint32_t root) noexcept {
    return {.kind = Kind::reduce, .to = to, .from = from, .op = op, .rank = root};
  }
  /// `from` has a part for each rank, of the size of `to`. `to` becomes the part of this rank, folded. In place, `to`
  /// is that part of `from`.
  [[nodiscard]] static Collective reduce_scatter(const Target& to, const Source& from, ReduceOp op) noexcept {
    return {.kind = Kind::reduce_scatter, .to = to, .from = from, .op = op};
  }
  /// `to` has a part for each rank, of the size of `from`. Part i becomes `from` of rank i. In place, `from` is the
  /// part of this rank.
  [[nodiscard]] static Collective all_gather(const Target& to, const Source& from) noexcept {
    return {.kind = Kind::all_gather, .to = to, .from = from};
  }
  /// `to` of `root` becomes `from` of all ranks, as in `all_gather`. `to` of another rank may be empty and is left
  /// alone.
  [[nodiscard]] static Collective gather(const Target& to, const Source& from, std::uint32_t root) noexcept {
    return {.kind = Kind::gather, .to = to, .from = from, .rank = root};
  }
  /// `to` of rank i becomes part i of `from` of `root`. `from` of another rank may be empty.
  [[nodiscard]] static Collective scatter(const Target& to, const Source& from, std::uint32_t root) noexcept {
    return {.kind = Kind::scatter, .to = to, .from = from, .rank = root};
  }
  /// The elements of every rank become those of `root`.
  [[nodiscard]] static Collective broadcast(const Target& elements, std::uint32_t root) noexcept {
    return {.kind = Kind::broadcast, .to = elements, .from = elements, .rank = root};
  }
  /// Part i of `from` becomes the part of this rank in `to` of rank i. The two must not overlap.
  [[nodiscard]] static Collective all_to_all(const Target& to, const Source& from) noexcept {
    return {.kind = Kind::all_to_all, .to = to, .from = from};
  }
  /// Sends to one rank, which runs `recv` with the same count and dtype. `Group::run` may return before that. Messages
  /// between two ranks stay in order. Other ranks take no part.
  [[nodiscard]] static Collective send(const Source& from, std::uint32_t rank) noexcept {
    return {.kind = Kind::send, .from = from, .rank = rank};
  }
  /// Receives from one rank, which runs `send`.
  [[nodiscard]] static Collective recv(const Target& to, std::uint32_t rank) noexcept {
    return {.kind = Kind::recv, .to = to, .rank = rank};
  }
  /// Done when every rank has come to it.
  [[nodiscard]] static Collective barrier() noexcept { return {}; }

  /// This operation with another algorithm.
  [[nodiscard]] Collective with(Algorithm chosen) const noexcept {
    Collective other = *this;
    other.algorithm = chosen;
    return other;
  }
  /// This operation with `is_reproducible`.
  [[nodiscard]] Collective reproducible() const noexcept {
    Collective other = *this;
    other.is_reproducible = true;
    return other;
  }
};

/// The operation's name: "all_reduce" ... "barrier".
[[nodiscard]] std::string_view name(Collective::Kind kind) noexcept;

}  // namespace pintle
