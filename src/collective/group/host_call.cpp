// What an operation on host memory refuses, and what it hands on.
#include <fmt/format.h>

#include "collective/group/checks.h"

namespace pintle::collective {
namespace {

Error invalid(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

// Made here, so that a call does not measure them.
constexpr std::string_view to_name = "to", from_name = "from", elements_name = "elements";

/// The fields of the call itself, and whether its memory is the host's.
Result<void> check_fields(const Collective& operation, Operation kind) {
  if (kind == Operation::none)
    return invalid(fmt::format("The kind of operation ({}) is none.", static_cast<unsigned>(operation.kind)));
  if (operation.algorithm < Algorithm::automatic || operation.algorithm > Algorithm::native)
    return invalid(fmt::format("The algorithm ({}) is none.", static_cast<unsigned>(operation.algorithm)));
  const bool is_device = operation.to.device() != nullptr;
  if (!is_device && operation.from.device() == nullptr) return {};
  return invalid(
      fmt::format("{} is memory of a device: submit the operation to a GroupQueue.", is_device ? to_name : from_name));
}

Result<void> check_ranks(const Collective& operation, Operation kind, std::uint32_t rank, std::uint32_t ranks) {
  const bool is_message = kind == Operation::send_recv;
  if ((is_message || has_root(kind)) && operation.rank >= ranks)
    return invalid(fmt::format("The {} ({}) is not below the number of ranks ({}).", is_message ? "rank" : "root",
                               operation.rank, ranks));
  if (!is_message || operation.rank != rank) return {};
  return invalid(operation.kind == Collective::Kind::send ? fmt::format("Rank {} sends to itself.", rank)
                                                          : fmt::format("Rank {} receives from itself.", rank));
}

/// `part` is the `index`th part of `whole`, or apart from it.
Result<void> check_in_place(const Memory& whole, const Memory& part, std::uint32_t index) {
  const bool is_part = part.start == whole.start + index * part.bytes;
  return is_part ? Result<void>() : check_overlap(whole, part);
}

Result<void> check_whole_parts(const Memory& from, std::uint32_t ranks) {
  const std::uint64_t part = from.bytes / ranks;
  if (part * ranks == from.bytes && part % bytes_of(from.dtype) == 0) return {};
  return invalid(fmt::format("The size of from ({} bytes) is no multiple of {} parts of whole elements of {}.",
                             from.bytes, ranks, name(from.dtype)));
}

/// Sizes and overlap of memory that is read and memory that is written.
Result<void> check_pair(const Memory& to, const Memory& from, const PartCounts& parts, std::uint32_t rank,
                        std::uint32_t ranks) {
  PINTLE_TRY(check_same_dtype(to, from));
  if (parts.to == parts.from) {
    const bool is_in_place = parts.to == 1 && to.start == from.start && to.bytes == from.bytes;
    PINTLE_TRY(check_parts(to, from, 1));
    PINTLE_TRY(is_in_place ? Result<void>() : check_overlap(to, from));
    return parts.to == 1 ? Result<void>() : check_whole_parts(from, ranks);
  }
  const Memory& whole = parts.to == 1 ? from : to;
  const Memory& part = parts.to == 1 ? to : from;
  PINTLE_TRY(check_parts(whole, part, ranks));
  return check_in_place(whole, part, rank);
}

Result<void> check_memory(const Memory& to, const Memory& from, const PartCounts& parts, std::uint32_t rank,
                          std::uint32_t ranks) {
  if (parts.from != 0) PINTLE_TRY(check_elements(from));
  if (parts.to != 0) PINTLE_TRY(check_elements(to));
  return parts.from != 0 && parts.to != 0 ? check_pair(to, from, parts, rank, ranks) : Result<void>();
}

}  // namespace

Result<HostCall> host_call(const Collective& operation, std::uint32_t rank, std::uint32_t ranks) {
  const Operation kind = operation_of(operation.kind);
  PINTLE_TRY(check_fields(operation, kind));
  PINTLE_TRY(check_ranks(operation, kind, rank, ranks));
  const bool is_message = kind == Operation::send_recv, is_broadcast = kind == Operation::broadcast;
  const Side side = operation.kind == Collective::Kind::recv ? Side::receives : Side::sends;
  const PartCounts parts = parts_of(kind, rank, ranks, operation.rank, side);
  const Memory to(is_broadcast ? elements_name : to_name, *operation.to.host());
  const Memory from(is_broadcast ? elements_name : from_name, *operation.from.host());
  PINTLE_TRY(check_memory(to, from, parts, rank, ranks));
  const Memory& one = parts.from == 1 || parts.to == 0 ? from : to;
  const std::uint64_t count = parts.from == 1 || parts.to == 0 ? parts.from : parts.to;
  HostCall made{.side = side, .other = operation.rank};
  made.call.operation = kind;
  made.call.op = operation.op;
  made.call.root = has_root(kind) ? operation.rank : 0;
  if (count != 0) made.call.dtype = one.dtype;
  if (!is_message) made.call.algorithm = operation.algorithm;
  if (!is_message) made.call.is_reproducible = operation.is_reproducible;
  made.work.to = operation.to.host()->bytes().data();
  made.work.from = is_broadcast || side == Side::receives ? made.work.to : from.start;
  if (count != 0) made.work.part = one.bytes / count / bytes_of(one.dtype);
  return made;
}

}  // namespace pintle::collective
