// Collective operations as values: reduce, gather, scatter, exchange. A group or its queue runs them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "pintle/buffer.h"
#include "pintle/elements.h"

namespace pintle {

/// How elements of all ranks become one. Integers wrap; f16, bf16 and the f8 dtypes are accumulated in f32 and rounded
/// once. A pair that has no meaning (bit_and of f32, max of complex64, mean of bool) is `invalid_argument`.
enum class ReduceOp : std::uint8_t {
  sum = 1,   ///< For bool: logical or.
  prod = 2,  ///< For bool: logical and.
  min = 3,   ///< A NaN anywhere makes NaN.
  max = 4,   ///< A NaN anywhere makes NaN.
  mean = 5,  ///< The sum divided by the number of ranks; for integers the wrapped sum, toward zero.
  bit_and = 6,
  bit_or = 7,
  bit_xor = 8,
  logical_and = 9,   ///< 1 or 0 in the dtype; everything but zero counts as true.
  logical_or = 10,   ///< The same.
  logical_xor = 11,  ///< The same.
};

/// "sum" ... "logical_xor".
[[nodiscard]] std::string_view name(ReduceOp op) noexcept;
[[nodiscard]] std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept;

/// How bytes travel. What an operation has not is replaced by its nearest: docs/collectives.md has the table.
enum class Algorithm : std::uint8_t {
  automatic = 1,         ///< By operation, size, ranks and transport.
  direct = 2,            ///< Every rank with every other; the owner of a part folds it.
  ring = 3,              ///< Neighbours only; 2(n-1)/n of the bytes for all_reduce.
  halving_doubling = 4,  ///< Partners at distances of powers of two.
  tree = 5,              ///< Binomial: through a root in ceil(log2(n)) rounds.
  native = 6,            ///< The transport's own operation; `unsupported` where it has none.
};

/// "automatic", "direct", "ring", "halving_doubling", "tree", "native".
[[nodiscard]] std::string_view name(Algorithm algorithm) noexcept;
[[nodiscard]] std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept;

/// Device memory that a collective reads or writes.
///
/// A `Buffer` that may be written is used in place where the host can map it (`Buffer::map`: all of the cpu's, what
/// others place on the host), and through staging memory elsewhere; it is left mapped. A view, a const Buffer and what
/// is sealed or shared with a fork are always staged.
struct DeviceElements {
  DeviceElements() noexcept = default;                                 ///< None: where a rank gives or gets nothing.
  DeviceElements(const BufferView& memory) noexcept : view(memory) {}  // NOLINT(google-explicit-constructor)
  DeviceElements(const Buffer& memory) noexcept
      : DeviceElements(memory.view()) {}   // NOLINT(google-explicit-constructor)
  DeviceElements(Buffer& memory) noexcept  // NOLINT(google-explicit-constructor)
      : DeviceElements(memory, 0, memory.size_bytes() / bytes_of(memory.dtype())) {}
  /// Elements [first, first + count) of it.
  DeviceElements(Buffer& memory, std::uint64_t first_element, std::uint64_t element_count) noexcept
      : view(memory.view()), buffer(&memory), first(first_element), count(element_count) {}

  BufferView view{};         ///< The whole buffer's where there is one.
  Buffer* buffer = nullptr;  ///< Looked at during the call only.
  std::uint64_t first = 0;   ///< Of the buffer.
  std::uint64_t count = 0;
};

/// One operation of a group, as a value: `Collective::all_reduce(to, from, ReduceOp::sum)`. `Group::run` runs it on
/// host memory, `GroupQueue::submit` enqueues it on device memory; each refuses the other's memory. `root` and ranks
/// count within the group. Memory is lent: until `run` returns, or until the point.
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

  /// Memory that the operation writes: from what makes MutableElements or DeviceElements.
  class Target {
   public:
    Target() noexcept = default;  ///< None.
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<MutableElements, Memory...>)
    Target(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : host_(std::forward<Memory>(memory)...) {}
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<DeviceElements, Memory...>)
    Target(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : device_(std::forward<Memory>(memory)...), is_device_(true) {}

    [[nodiscard]] bool is_device() const noexcept { return is_device_; }
    [[nodiscard]] const MutableElements& host() const noexcept { return host_; }
    [[nodiscard]] const DeviceElements& device() const noexcept { return device_; }

   private:
    MutableElements host_;
    DeviceElements device_;
    bool is_device_ = false;
  };

  /// Memory that the operation reads: from what makes Elements or DeviceElements, or what is written.
  class Source {
   public:
    Source() noexcept = default;             ///< None.
    Source(const Target& in_place) noexcept  // NOLINT(google-explicit-constructor)
        : host_(in_place.host()), device_(in_place.device()), is_device_(in_place.is_device()) {}
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<Elements, Memory...>)
    Source(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : host_(std::forward<Memory>(memory)...) {}
    template <class... Memory>
      requires(sizeof...(Memory) > 0 && std::constructible_from<DeviceElements, Memory...>)
    Source(Memory&&... memory) noexcept  // NOLINT(google-explicit-constructor)
        : device_(std::forward<Memory>(memory)...), is_device_(true) {}

    [[nodiscard]] bool is_device() const noexcept { return is_device_; }
    [[nodiscard]] const Elements& host() const noexcept { return host_; }
    [[nodiscard]] const DeviceElements& device() const noexcept { return device_; }

   private:
    Elements host_;
    DeviceElements device_;
    bool is_device_ = false;
  };

  Kind kind = Kind::barrier;
  Target to{};
  Source from{};
  ReduceOp op = ReduceOp::sum;
  std::uint32_t rank = 0;  ///< The root, or the other rank of `send` and `recv`.
  Algorithm algorithm = Algorithm::automatic;
  /// Bitwise the same result for any algorithm, transport, chunking, order of arrival and placement: each element is
  /// folded in the order of ranks by one of them. It costs what `direct` costs.
  bool is_reproducible = false;

  /// to = from of all ranks, folded. The same memory for both is in place; any other overlap is refused.
  [[nodiscard]] static Collective all_reduce(const Target& to, const Source& from, ReduceOp op) noexcept {
    return {.kind = Kind::all_reduce, .to = to, .from = from, .op = op};
  }
  [[nodiscard]] static Collective all_reduce(const Target& in_place, ReduceOp op) noexcept {
    return all_reduce(in_place, in_place, op);
  }
  /// The same at `root`; `to` of others may be empty and is left alone.
  [[nodiscard]] static Collective reduce(const Target& to, const Source& from, ReduceOp op,
                                         std::uint32_t root) noexcept {
    return {.kind = Kind::reduce, .to = to, .from = from, .op = op, .rank = root};
  }
  /// `from` has `ranks` parts of the size of `to`, which becomes the own part, folded. In place: `to` is that part.
  [[nodiscard]] static Collective reduce_scatter(const Target& to, const Source& from, ReduceOp op) noexcept {
    return {.kind = Kind::reduce_scatter, .to = to, .from = from, .op = op};
  }
  /// `to` has `ranks` parts of the size of `from`, by rank. In place: `from` is the own part.
  [[nodiscard]] static Collective all_gather(const Target& to, const Source& from) noexcept {
    return {.kind = Kind::all_gather, .to = to, .from = from};
  }
  /// The same at `root`; `to` of others may be empty and is left alone.
  [[nodiscard]] static Collective gather(const Target& to, const Source& from, std::uint32_t root) noexcept {
    return {.kind = Kind::gather, .to = to, .from = from, .rank = root};
  }
  /// Part i of `root`'s `from` becomes `to` of rank i; `from` of others may be empty.
  [[nodiscard]] static Collective scatter(const Target& to, const Source& from, std::uint32_t root) noexcept {
    return {.kind = Kind::scatter, .to = to, .from = from, .rank = root};
  }
  /// Everybody's elements become `root`'s.
  [[nodiscard]] static Collective broadcast(const Target& elements, std::uint32_t root) noexcept {
    return {.kind = Kind::broadcast, .to = elements, .from = elements, .rank = root};
  }
  /// Part i of `from` becomes part `rank()` of `to` of rank i. No overlap.
  [[nodiscard]] static Collective all_to_all(const Target& to, const Source& from) noexcept {
    return {.kind = Kind::all_to_all, .to = to, .from = from};
  }
  /// To one rank, which runs `recv` with the same count and dtype. `Group::run` may return before that. Messages
  /// between two ranks stay in order; other ranks take no part.
  [[nodiscard]] static Collective send(const Source& from, std::uint32_t rank) noexcept {
    return {.kind = Kind::send, .from = from, .rank = rank};
  }
  [[nodiscard]] static Collective recv(const Target& to, std::uint32_t rank) noexcept {
    return {.kind = Kind::recv, .to = to, .rank = rank};
  }
  /// Done when every rank has come to it.
  [[nodiscard]] static Collective barrier() noexcept { return {}; }

  [[nodiscard]] Collective with(Algorithm chosen) const noexcept {
    Collective other = *this;
    other.algorithm = chosen;
    return other;
  }
  [[nodiscard]] Collective reproducible() const noexcept {
    Collective other = *this;
    other.is_reproducible = true;
    return other;
  }
};

/// "all_reduce" ... "barrier".
[[nodiscard]] std::string_view name(Collective::Kind kind) noexcept;

}  // namespace pintle
