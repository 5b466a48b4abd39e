// The operations of a Group: what they refuse, and what they hand on.
#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "base/door.h"
#include "collective/group/checks.h"
#include "collective/group/group_state.h"
#include "collective/group/operate.h"
#include "pintle/collective.h"

namespace pintle {
namespace {

using collective::Call;
using collective::check_elements;
using collective::check_overlap;
using collective::check_parts;
using collective::Memory;
using collective::Operation;
using collective::Work;

/// The door of the operations. Where memory runs out before other ranks hear of the call, only this rank fails.
template <class Body>
Result<void> enter(const std::shared_ptr<collective::GroupState>& state, Body body) noexcept {
  return base::enter("calling a group", [&]() -> Result<void> {
    if (state) return body();
    return Error(Errc::invalid_argument, "The group is empty: it was moved from or never made.");
  });
}

[[nodiscard]] Call call_of(Operation operation, DType dtype, std::uint32_t root = 0, ReduceOp op = ReduceOp::sum) {
  Call call;
  call.operation = operation;
  call.dtype = dtype;
  call.root = root;
  call.op = op;
  return call;
}

[[nodiscard]] Work work_of(MutableElements to, const Elements& from, std::uint64_t part_bytes) {
  Work work;
  work.to = to.bytes.data();
  work.from = from.bytes.data();
  work.part = part_bytes / bytes_of(from.dtype);
  return work;
}

[[nodiscard]] bool is_same(const Elements& a, const Elements& b) {
  return a.bytes.data() == b.bytes.data() && a.bytes.size() == b.bytes.size();
}

/// `part` has to be the `index`th part of `whole`, or lie apart from it.
[[nodiscard]] Result<void> check_in_place(const Memory& whole, const Memory& part, std::uint32_t index) {
  const bool is_part = part.start == whole.start + index * part.bytes;
  return is_part ? Result<void>() : check_overlap(whole, part);
}

[[nodiscard]] Result<void> check_pair(const Memory& to, const Memory& from) {
  PINTLE_TRY(check_elements(from));
  PINTLE_TRY(check_elements(to));
  return check_same_dtype(to, from);
}

[[nodiscard]] Result<void> check_options(const CollectiveOptions& options) {
  if (options.algorithm >= Algorithm::automatic && options.algorithm <= Algorithm::native) return {};
  return Error(Errc::invalid_argument,
               fmt::format("The algorithm ({}) is none.", static_cast<unsigned>(options.algorithm)));
}

}  // namespace

Group::Group() noexcept = default;
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
Group::~Group() = default;
Group::Group(std::shared_ptr<collective::GroupState> state) noexcept : state_(std::move(state)) {}

std::uint32_t Group::rank() const noexcept { return state_ ? state_->rank() : 0; }
std::uint32_t Group::ranks() const noexcept { return state_ ? state_->ranks() : 0; }
std::uint64_t Group::generation() const noexcept { return state_ ? state_->generation() : 0; }
std::string_view Group::transport() const noexcept { return state_ ? state_->transport().name() : ""; }
std::string Group::text() const noexcept {
  return base::contain_or(std::string("[Group]"), [&] { return state_ ? state_->text() : "[Group]"; });
}
GroupStatistics Group::statistics() const noexcept { return state_ ? state_->statistics() : GroupStatistics{}; }

Result<void> Group::health() const {
  return enter(state_, [&]() -> Result<void> { return state_->health(); });
}

Result<void> Group::all_reduce(MutableElements to, Elements from, ReduceOp op, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_pair({"to", to}, {"from", from}));
    PINTLE_TRY(check_parts({"to", to}, {"from", from}, 1));
    if (!is_same(to, from)) PINTLE_TRY(check_overlap({"to", to}, {"from", from}));
    return operate(*state_, call_of(Operation::all_reduce, to.dtype, 0, op), work_of(to, from, from.bytes.size()),
                   options);
  });
}

Result<void> Group::reduce(MutableElements to, Elements from, ReduceOp op, std::uint32_t root,
                           const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_elements({"from", from}));
    PINTLE_TRY(collective::check_rank("root", root, ranks()));
    if (rank() == root) {
      PINTLE_TRY(check_pair({"to", to}, {"from", from}));
      PINTLE_TRY(check_parts({"to", to}, {"from", from}, 1));
      if (!is_same(to, from)) PINTLE_TRY(check_overlap({"to", to}, {"from", from}));
    }
    return operate(*state_, call_of(Operation::reduce, from.dtype, root, op), work_of(to, from, from.bytes.size()),
                   options);
  });
}

Result<void> Group::reduce_scatter(MutableElements to, Elements from, ReduceOp op, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_pair({"to", to}, {"from", from}));
    PINTLE_TRY(check_parts({"from", from}, {"to", to}, ranks()));
    PINTLE_TRY(check_in_place({"from", from}, {"to", to}, rank()));
    return operate(*state_, call_of(Operation::reduce_scatter, to.dtype, 0, op), work_of(to, from, to.bytes.size()),
                   options);
  });
}

Result<void> Group::all_gather(MutableElements to, Elements from, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_pair({"to", to}, {"from", from}));
    PINTLE_TRY(check_parts({"to", to}, {"from", from}, ranks()));
    PINTLE_TRY(check_in_place({"to", to}, {"from", from}, rank()));
    return operate(*state_, call_of(Operation::all_gather, to.dtype), work_of(to, from, from.bytes.size()), options);
  });
}

Result<void> Group::gather(MutableElements to, Elements from, std::uint32_t root, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_elements({"from", from}));
    PINTLE_TRY(collective::check_rank("root", root, ranks()));
    if (rank() == root) {
      PINTLE_TRY(check_pair({"to", to}, {"from", from}));
      PINTLE_TRY(check_parts({"to", to}, {"from", from}, ranks()));
      PINTLE_TRY(check_in_place({"to", to}, {"from", from}, rank()));
    }
    return operate(*state_, call_of(Operation::gather, from.dtype, root), work_of(to, from, from.bytes.size()),
                   options);
  });
}

Result<void> Group::scatter(MutableElements to, Elements from, std::uint32_t root, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_elements({"to", to}));
    PINTLE_TRY(collective::check_rank("root", root, ranks()));
    if (rank() == root) {
      PINTLE_TRY(check_pair({"to", to}, {"from", from}));
      PINTLE_TRY(check_parts({"from", from}, {"to", to}, ranks()));
      PINTLE_TRY(check_in_place({"from", from}, {"to", to}, rank()));
    }
    Work work = work_of(to, from, 0);
    work.part = to.bytes.size() / bytes_of(to.dtype);
    return operate(*state_, call_of(Operation::scatter, to.dtype, root), work, options);
  });
}

Result<void> Group::broadcast(MutableElements elements, std::uint32_t root, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_elements({"elements", elements}));
    PINTLE_TRY(collective::check_rank("root", root, ranks()));
    return operate(*state_, call_of(Operation::broadcast, elements.dtype, root),
                   work_of(elements, elements, elements.bytes.size()), options);
  });
}

Result<void> Group::all_to_all(MutableElements to, Elements from, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    PINTLE_TRY(check_pair({"to", to}, {"from", from}));
    PINTLE_TRY(check_parts({"to", to}, {"from", from}, 1));
    PINTLE_TRY(check_overlap({"to", to}, {"from", from}));
    const std::uint64_t part = from.bytes.size() / ranks();
    if (part * ranks() != from.bytes.size() || part % bytes_of(from.dtype) != 0) {
      return Error(Errc::invalid_argument,
                   fmt::format("The size of from ({} bytes) is no multiple of {} parts of whole elements of {}.",
                               from.bytes.size(), ranks(), name(from.dtype)));
    }
    return operate(*state_, call_of(Operation::all_to_all, to.dtype), work_of(to, from, part), options);
  });
}

Result<void> Group::send(Elements from, std::uint32_t rank, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_elements({"from", from}));
    PINTLE_TRY(collective::check_rank("rank", rank, ranks()));
    if (rank == this->rank()) {
      return Error(Errc::invalid_argument, fmt::format("Rank {} sends to itself.", rank));
    }
    return operate_send(*state_, call_of(Operation::send_recv, from.dtype), work_of({}, from, from.bytes.size()), rank,
                        options);
  });
}

Result<void> Group::recv(MutableElements to, std::uint32_t rank, const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_elements({"to", to}));
    PINTLE_TRY(collective::check_rank("rank", rank, ranks()));
    if (rank == this->rank()) {
      return Error(Errc::invalid_argument, fmt::format("Rank {} receives from itself.", rank));
    }
    return operate_recv(*state_, call_of(Operation::send_recv, to.dtype), work_of(to, to, to.bytes.size()), rank,
                        options);
  });
}

Result<void> Group::barrier(const CollectiveOptions& options) {
  return enter(state_, [&]() -> Result<void> {
    PINTLE_TRY(check_options(options));
    return operate(*state_, call_of(Operation::barrier, DType::u8), {}, options);
  });
}

}  // namespace pintle
