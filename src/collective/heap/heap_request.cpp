#include "collective/heap/heap_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/quote.h"

namespace pintle::collective {
namespace {

/// A request as it lies in a note. What another rank wrote may be anything.
struct Words {
  std::uint64_t call = 0, heap = 0, bytes = 0, serial = 0, offset = 0, dtype = 0, dimensions = 0;
  std::array<std::uint64_t, Shape::max_rank + 1> dims{};  // one more, for shapes that are invalid
  std::uint64_t code = 0;                                 // of the error that hinders the rank; 0: none
  HeapOffer offer{};
};
static_assert(sizeof(Words) <= sizeof(Note));

[[nodiscard]] Note note_of(const HeapRequest& request, const HeapOffer& offer, const Result<void>& own) noexcept {
  Words words{static_cast<std::uint64_t>(request.call),
              request.heap,
              request.bytes,
              request.serial,
              request.offset,
              static_cast<std::uint64_t>(request.dtype),
              request.shape.rank(),
              {},
              own ? 0 : static_cast<std::uint64_t>(own.error().code()),
              offer};
  std::ranges::copy(request.shape.dims(), words.dims.begin());
  Note note{};
  std::memcpy(note.data(), &words, sizeof words);
  return note;
}

[[nodiscard]] Words words_of(const Note& note) noexcept {
  Words words;
  std::memcpy(&words, note.data(), sizeof words);
  return words;
}

[[nodiscard]] HeapRequest request_of(const Words& words) noexcept {
  const std::size_t dimensions = std::min<std::uint64_t>(words.dimensions, Shape::max_rank + 1);
  const auto call = static_cast<HeapCall>(words.call);
  return {call,
          words.heap,
          words.bytes,
          words.serial,
          words.offset,
          static_cast<DType>(words.dtype & 0xff),
          Shape(std::span(words.dims).first(dimensions))};
}

/// Invalid shapes have lost their dimensions. Two of them are alike when they have as many dimensions: neither is
/// allocated.
[[nodiscard]] bool are_alike(const Words& a, const Words& b) noexcept {
  return a.dimensions == b.dimensions && a.dtype == b.dtype && request_of(a) == request_of(b);
}

[[nodiscard]] std::string elements_text(const HeapRequest& request) {
  const std::string_view dtype = is_dtype(request.dtype) ? name(request.dtype) : "elements of no dtype ";
  return fmt::format("{}{}", dtype, request.shape.is_valid() ? request.shape.text() : " of no shape");
}

/// The error of the lowest rank that asks for something else than rank 0.
[[nodiscard]] Result<void> check_alike(std::span<const Words> all) {
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (are_alike(all[rank], all[0])) continue;
    return Error(Errc::invalid_argument, fmt::format("Rank {} of the group {} where rank 0 {}.", rank,
                                                     text(request_of(all[rank])), text(request_of(all[0]))));
  }
  return {};
}

}  // namespace

std::string heap_text(std::uint64_t name, std::string_view label) {
  const std::uint64_t number = name & 0xffff'ffff;
  return label.empty() ? fmt::format("[SymmetricHeap {}]", number)
                       : fmt::format("[SymmetricHeap {} {}]", number, base::quote(label));
}

std::string text(const HeapRequest& request) {
  const std::string heap = heap_text(request.heap, {});
  switch (request.call) {
    case HeapCall::create: return fmt::format("makes a symmetric heap of {} bytes", request.bytes);
    case HeapCall::allocate: return fmt::format("allocates {} in {}", elements_text(request), heap);
    case HeapCall::allocate_signals: return fmt::format("allocates signals {} in {}", request.shape.text(), heap);
    case HeapCall::free:
      return fmt::format("frees {} at {} (allocation {}) of {}", elements_text(request), request.offset, request.serial,
                         heap);
    case HeapCall::barrier: return fmt::format("comes to a barrier of {}", heap);
  }
  return fmt::format("makes a call that has no name ({})", static_cast<std::uint64_t>(request.call));
}

Result<std::vector<HeapOffer>> meet(const Exchange& exchange, const HeapRequest& request, const HeapOffer& offer,
                                    const Result<void>& own, Deadline deadline) {
  PINTLE_ASSIGN(notes, exchange(note_of(request, offer, own), deadline));
  std::vector<Words> all(notes.size());
  std::ranges::transform(notes, all.begin(), words_of);
  PINTLE_TRY(check_alike(all));
  const auto is_alike = [&](const Words& words) { return words.code == all.front().code; };
  if (!std::ranges::all_of(all, is_alike)) {  // every rank sees the difference, and a second round tells the words
    PINTLE_TRY(agree(own, exchange, deadline));
    return Error(Errc::internal, "The ranks of a group disagree whether one of them has failed.");
  }
  if (!own) return own.error();
  if (all.front().code != 0) return Error(Errc::internal, "A rank of the group fails in words only.");
  std::vector<HeapOffer> offers(all.size());
  std::ranges::transform(all, offers.begin(), &Words::offer);
  return offers;
}

}  // namespace pintle::collective
