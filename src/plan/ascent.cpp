#include "plan/ascent.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace pintle::plan {
namespace {

/// An offset and a rank.
using Step = std::pair<std::uint64_t, std::uint32_t>;

/// For every solution there is one in which no block can sink. In that one each block lies at the least offset that the
/// blocks below it leave, so placing the blocks in the order of their offsets finds the solution. A block that is
/// passed over must lie on one that comes later. A section is full where the offset of its lowest remaining block plus
/// the bytes that remain in it pass the capacity.
class Ascent {
 public:
  Ascent(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
         Rank rank, Allowance& allowance);

  [[nodiscard]] Verdict run();
  [[nodiscard]] const std::vector<std::uint64_t>& offsets() const { return offsets_; }

 private:
  /// A block. Where two blocks have one offset, the one of lower rank is placed first.
  struct Member {
    std::uint32_t block = 0;
    std::uint32_t rank = 0;
  };

  /// Sections that no unplaced block connects with other sections, and the unplaced blocks in them by rank.
  struct Part {
    std::uint32_t lower = 0;
    std::uint32_t upper = 0;
    std::vector<Member> members{};
  };

  /// A part that is being solved: the next block, and the parts that the branch leaves.
  struct Frame {
    Part part{};
    std::vector<Member> candidates{};
    std::size_t branch = 0;
    std::size_t mark = 0;  ///< The size of the trail before the decision.
    Step last{};           ///< Where the last block was placed.
    bool is_bare = false;  ///< Nothing can lie above that block: no other branch is better.
    std::vector<Part> parts{};
    std::size_t solved = 0;
  };

  struct Undo {
    std::uint32_t block;
    bool is_placed;
    std::uint64_t least;
  };

  [[nodiscard]] Verdict open_next(Frame& frame);
  [[nodiscard]] Verdict open(Part part, Step last);
  [[nodiscard]] bool take_next_branch(Frame& frame);
  [[nodiscard]] bool go_back();

  [[nodiscard]] bool defer(const Part& part, Step last);
  [[nodiscard]] std::vector<Member> candidates_of(const Part& part, Step last) const;
  [[nodiscard]] bool place(Frame& frame, std::uint32_t block);
  [[nodiscard]] bool raise(std::uint32_t block, std::uint64_t offset);
  [[nodiscard]] bool has_room(const Part& part, std::uint64_t offset);
  void undo(std::size_t mark);

  [[nodiscard]] std::vector<Part> parts_of(const Part& part) const;
  void rank(std::vector<Member>& members) const;
  void find_twins();

  const std::vector<Block>& blocks_;
  std::uint32_t sections_;
  std::uint64_t capacity_;
  Rank rank_;
  Allowance& allowance_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> is_placed_;
  std::vector<std::uint32_t> twin_;      ///< An earlier block that is equal to this one.
  std::vector<std::uint64_t> least_;     ///< The least offset of each unplaced block.
  std::vector<std::uint64_t> left_;      ///< Bytes not placed yet, of each section.
  std::vector<std::uint64_t> lowest_;    ///< The least offset over each section, during a check.
  std::vector<std::uint32_t> crossing_;  ///< Unplaced blocks that live on both sides of where a section begins.
  std::vector<Undo> trail_;
  std::vector<Frame> frames_;  ///< A stack of its own: a long search would outgrow the call stack.
};

std::uint64_t aligned(std::uint64_t offset, const Block& block) {
  return (offset + block.alignment - 1) & ~(block.alignment - 1);
}

bool meet(const Block& a, const Block& b) { return a.lower < b.upper && b.lower < a.upper; }

Ascent::Ascent(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
               Rank rank, Allowance& allowance)
    : blocks_(blocks),
      sections_(sections),
      capacity_(capacity),
      rank_(rank),
      allowance_(allowance),
      offsets_(blocks.size()),
      is_placed_(blocks.size()),
      twin_(blocks.size(), no_block),
      left_(sections),
      lowest_(sections),
      crossing_(sections + 1) {
  for (const Block& block : blocks) {
    least_.push_back(aligned(base, block));
    for (std::uint32_t s = block.lower; s < block.upper; ++s) {
      left_[s] += block.size;
      if (s != block.lower) ++crossing_[s];
    }
  }
  find_twins();
}

void Ascent::find_twins() {
  const auto kind = [&](std::uint32_t i) {
    const Block& block = blocks_[i];
    return std::tuple(block.lower, block.upper, block.size, block.alignment);
  };
  std::vector<std::uint32_t> order(blocks_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::tuple(kind(i), i); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (kind(order[i - 1]) == kind(order[i])) twin_[order[i]] = order[i - 1];
  }
}

/// Ranks by the bytes that remain now, so that a part that came apart gets new ranks.
void Ascent::rank(std::vector<Member>& members) const {
  using Measures = std::tuple<double, double, double>;
  std::vector<std::pair<Measures, std::uint32_t>> measured;
  for (const Member& member : members) {
    const Block& block = blocks_[member.block];
    const auto begin = left_.begin();
    const auto load = static_cast<double>(*std::max_element(begin + block.lower, begin + block.upper));
    const auto length = static_cast<double>(block.steps), area = length * static_cast<double>(block.size);
    Measures one{load, length, area};
    if (rank_ == Rank::area) one = {load, area, length};
    if (rank_ == Rank::length) one = {length, area, load};
    measured.emplace_back(one, ~member.block);
  }
  std::ranges::sort(measured, std::ranges::greater{});
  for (std::uint32_t i = 0; i < members.size(); ++i) members[i] = {~measured[i].second, i};
}

Verdict Ascent::run() {
  Part all{0, sections_, {}};
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) all.members.push_back({i, i});
  rank(all.members);
  const auto fits = [&](std::uint32_t i) {
    return blocks_[i].size <= capacity_ && least_[i] <= capacity_ - blocks_[i].size;
  };
  if (!std::ranges::all_of(all.members, fits, &Member::block) || !has_room(all, 0)) return Verdict::impossible;
  frames_.emplace_back().parts = parts_of(all);
  while (true) {
    Frame& frame = frames_.back();
    if (frame.solved == frame.parts.size()) {
      if (frames_.size() == 1) return Verdict::found;
      frames_.pop_back();
      ++frames_.back().solved;
      continue;
    }
    if (open_next(frame) == Verdict::found || go_back()) continue;
    return allowance_.is_spent() ? Verdict::gave_up : Verdict::impossible;
  }
}

/// Parts that came apart are ranked anew, so only the offset of the last step holds for them.
Verdict Ascent::open_next(Frame& frame) {
  const Step last = frame.parts.size() > 1 ? Step(frame.last.first, 0) : frame.last;
  return open(std::move(frame.parts[frame.solved]), last);
}

/// `found` means that there is a frame for the part, on its first branch.
Verdict Ascent::open(Part part, Step last) {
  if (!defer(part, last)) return Verdict::impossible;
  Frame frame;
  frame.mark = trail_.size();
  frame.candidates = candidates_of(part, last);
  frame.part = std::move(part);
  if (!take_next_branch(frame)) return Verdict::impossible;
  frames_.push_back(std::move(frame));
  return Verdict::found;
}

/// False when no branch is left, or no allowance.
bool Ascent::take_next_branch(Frame& frame) {
  undo(frame.mark);
  while (!frame.is_bare && frame.branch < frame.candidates.size() && allowance_.spend()) {
    const auto [block, rank] = frame.candidates[frame.branch++];
    frame.last = {least_[block], rank};
    if (place(frame, block)) {
      frame.parts = parts_of(frame.part);
      frame.solved = 0;
      return true;
    }
    undo(frame.mark);
  }
  return false;
}

/// Goes back to the last decision that has a branch left; false when there is none.
bool Ascent::go_back() {
  for (; frames_.size() > 1; frames_.pop_back()) {
    if (take_next_branch(frames_.back())) return true;
  }
  return false;
}

/// Each block that should have come before the last step must lie on a block that is still to come. False where it
/// cannot.
bool Ascent::defer(const Part& part, Step last) {
  for (const auto& [index, rank] : part.members) {
    if (Step(least_[index], rank) >= last) continue;
    std::uint64_t least = capacity_;
    for (const auto& [other, other_rank] : part.members) {
      if (other == index || !meet(blocks_[index], blocks_[other])) continue;
      least = std::min(least, std::max(least_[other], last.first) + blocks_[other].size);
    }
    if (!raise(index, least)) return false;
  }
  return has_room(part, last.first);
}

/// Sorted by their steps. Where one block ends below the place of another, the other comes later: it would sink there.
std::vector<Ascent::Member> Ascent::candidates_of(const Part& part, Step last) const {
  std::uint64_t lowest_end = capacity_;
  for (const auto& [block, rank] : part.members) lowest_end = std::min(lowest_end, least_[block] + blocks_[block].size);
  std::vector<Member> candidates;
  for (const Member& one : part.members) {
    if (least_[one.block] >= lowest_end || Step(least_[one.block], one.rank) < last) continue;
    if (twin_[one.block] == no_block || is_placed_[twin_[one.block]] != 0) candidates.push_back(one);
  }
  std::ranges::sort(candidates, {}, [&](Member one) { return Step(least_[one.block], one.rank); });
  return candidates;
}

/// False where the rest cannot fit any more.
bool Ascent::place(Frame& frame, std::uint32_t index) {
  const Block& block = blocks_[index];
  const std::uint64_t offset = least_[index];
  offsets_[index] = offset;
  is_placed_[index] = 1;
  trail_.push_back({index, true, offset});
  for (std::uint32_t s = block.lower; s < block.upper; ++s) {
    left_[s] -= block.size;
    if (s != block.lower) --crossing_[s];
  }
  frame.is_bare = true;
  for (const auto& [other, rank] : frame.part.members) {
    if (is_placed_[other] != 0 || !meet(block, blocks_[other])) continue;
    frame.is_bare = false;
    if (!raise(other, offset + block.size)) return false;
  }
  return has_room(frame.part, offset);
}

/// False where the block does not fit above the offset.
bool Ascent::raise(std::uint32_t index, std::uint64_t offset) {
  const Block& block = blocks_[index];
  const std::uint64_t least = aligned(offset, block);
  if (least <= least_[index]) return true;
  trail_.push_back({index, false, least_[index]});
  least_[index] = least;
  return block.size <= capacity_ && least <= capacity_ - block.size;
}

/// Whether the unplaced blocks fit when all begin at `offset` or above.
bool Ascent::has_room(const Part& part, std::uint64_t offset) {
  std::fill(lowest_.begin() + part.lower, lowest_.begin() + part.upper, capacity_);
  for (const auto& [index, rank] : part.members) {
    if (is_placed_[index] != 0) continue;
    const Block& block = blocks_[index];
    const std::uint64_t least = std::max(least_[index], offset);
    for (std::uint32_t s = block.lower; s < block.upper; ++s) lowest_[s] = std::min(lowest_[s], least);
  }
  for (std::uint32_t s = part.lower; s < part.upper; ++s) {
    if (left_[s] != 0 && lowest_[s] + left_[s] > capacity_) return false;
  }
  return true;
}

void Ascent::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Undo& last = trail_.back();
    least_[last.block] = last.least;
    if (!last.is_placed) continue;
    const Block& block = blocks_[last.block];
    is_placed_[last.block] = 0;
    for (std::uint32_t s = block.lower; s < block.upper; ++s) {
      left_[s] += block.size;
      if (s != block.lower) ++crossing_[s];
    }
  }
}

/// The smallest part comes first.
std::vector<Ascent::Part> Ascent::parts_of(const Part& part) const {
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of(part.upper - part.lower);
  for (std::uint32_t begin = part.lower; begin < part.upper;) {
    std::uint32_t end = begin + 1;
    while (end < part.upper && crossing_[end] != 0) ++end;
    if (left_[begin] != 0) {
      for (std::uint32_t s = begin; s < end; ++s) part_of[s - part.lower] = static_cast<std::uint32_t>(parts.size());
      parts.push_back({begin, end, {}});
    }
    begin = end;
  }
  for (const Member& one : part.members) {
    if (is_placed_[one.block] == 0) parts[part_of[blocks_[one.block].lower - part.lower]].members.push_back(one);
  }
  if (parts.size() == 1) return parts;
  for (Part& one : parts) rank(one.members);
  std::ranges::sort(parts, {}, [](const Part& one) { return std::tuple(one.members.size(), one.lower); });
  return parts;
}

}  // namespace

Verdict ascend(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
               Rank rank, Allowance& allowance, std::vector<std::uint64_t>& offsets) {
  Ascent one(blocks, sections, base, capacity, rank, allowance);
  const Verdict verdict = one.run();
  if (verdict == Verdict::found) offsets = one.offsets();
  return verdict;
}

}  // namespace pintle::plan
