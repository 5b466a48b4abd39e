#include "plan/search.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "plan/failed_states.h"

namespace pintle::plan {
namespace {

/// A maximal run of sections with one floor, between higher floors. A block that begins at its floor lies inside it.
struct Valley {
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
};

/// The next decision: which block lies on the floor of one section, or that no block does.
struct Choice {
  std::vector<std::uint32_t> candidates{};
  std::uint32_t section = 0;
  std::uint64_t raised = 0;  ///< The section's floor if no candidate lies there; 0 where the capacity forbids that.
  [[nodiscard]] std::size_t branches() const { return candidates.size() + (raised != 0 ? 1 : 0); }
};

enum class Side : std::uint8_t { left, right };

/// A depth-first search over the skyline of the placed blocks. For every solution there is one in which no block can
/// sink, and only such solutions are looked for: in them a block lies on the floor or on another block. Any valley may
/// be decided next; the search takes the side of a valley with the fewest possibilities. Parts of time that no unplaced
/// block connects are solved separately. A part that has failed once is recognised by its remaining blocks and its
/// floors.
class Search {
 public:
  Search(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
         Taste taste, Allowance& allowance);

  [[nodiscard]] Verdict run();
  [[nodiscard]] const std::vector<std::uint64_t>& offsets() const { return offsets_; }

 private:
  struct Undo {
    std::uint32_t index;
    bool is_block;
    std::uint64_t floor;
  };

  /// A part that is being solved: its decision, the branch that is taken, and the parts that the branch leaves.
  struct Frame {
    Valley part{};
    StateKey key{0};
    Choice choice{};
    std::size_t mark = 0;  ///< The size of the trail before the decision.
    std::size_t branch = 0;
    std::vector<Valley> parts{};
    std::size_t solved = 0;
  };

  [[nodiscard]] Verdict open(Valley part);
  [[nodiscard]] bool take_next_branch(Frame& frame);
  [[nodiscard]] bool go_back();
  [[nodiscard]] std::vector<Valley> parts_of(Valley part) const;
  [[nodiscard]] std::uint64_t blocks_in(Valley part) const;

  [[nodiscard]] bool is_hopeless(Valley valley) const;
  [[nodiscard]] bool choose(Valley part, Choice& best);
  [[nodiscard]] bool consider(Valley valley, Side side, Choice& best) const;
  [[nodiscard]] bool lies_in(std::uint32_t block, Valley valley, std::uint64_t floor) const;
  [[nodiscard]] std::uint64_t raised_floor(Valley valley, std::uint32_t section) const;
  void measure(Valley part);
  [[nodiscard]] double weight_of(std::uint32_t index) const;

  void place(std::uint32_t block);
  void raise(std::uint32_t section, std::uint64_t floor);
  void undo(std::size_t mark);
  [[nodiscard]] StateKey key_of(Valley part) const;
  [[nodiscard]] std::uint64_t slack(std::uint32_t section) const {
    return capacity_ - floor_[section] - left_[section];
  }

  const std::vector<Block>& blocks_;
  std::uint32_t sections_;
  std::uint64_t capacity_;
  Taste taste_;
  Allowance& allowance_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> is_placed_;
  std::vector<std::uint32_t> twin_;  ///< An earlier block that is equal to this one.
  std::vector<std::vector<std::uint32_t>> starts_, ends_, covers_;
  std::vector<std::uint64_t> floor_;
  std::vector<std::uint64_t> left_;      ///< Bytes not placed yet, of each section.
  std::vector<std::uint32_t> crossing_;  ///< Unplaced blocks that live on both sides of where a section begins.
  std::vector<std::uint64_t> least_;     ///< The least offset of each unplaced block of the part being decided.
  std::vector<Undo> trail_;
  std::vector<Frame> frames_;  ///< A stack of its own: a long search would outgrow the call stack.
  FailedStates failed_;
};

Search::Search(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
               Taste taste, Allowance& allowance)
    : blocks_(blocks),
      sections_(sections),
      capacity_(capacity),
      taste_(taste),
      allowance_(allowance),
      offsets_(blocks.size()),
      is_placed_(blocks.size()),
      twin_(blocks.size(), no_block),
      starts_(sections),
      ends_(sections + 1),
      covers_(sections),
      floor_(sections, base),
      left_(sections),
      crossing_(sections + 1),
      least_(blocks.size()) {
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    for (const std::uint32_t other : starts_[block.lower]) {
      const Block& b = blocks[other];
      if (b.upper == block.upper && b.size == block.size && b.alignment == block.alignment) twin_[i] = other;
    }
    starts_[block.lower].push_back(i);
    ends_[block.upper].push_back(i);
    for (std::uint32_t s = block.lower; s < block.upper; ++s) {
      left_[s] += block.size;
      covers_[s].push_back(i);
      if (s != block.lower) ++crossing_[s];
    }
  }
}

Verdict Search::run() {
  for (std::uint32_t s = 0; s < sections_; ++s) {
    if (floor_[s] > capacity_ || left_[s] > capacity_ - floor_[s]) return Verdict::impossible;
  }
  frames_.emplace_back().parts = parts_of({0, sections_});
  while (true) {
    Frame& frame = frames_.back();
    if (frame.solved == frame.parts.size()) {
      if (frames_.size() == 1) return Verdict::found;
      frames_.pop_back();
      ++frames_.back().solved;
      continue;
    }
    const Verdict verdict = open(frame.parts[frame.solved]);
    if (verdict == Verdict::gave_up) return verdict;
    if (verdict == Verdict::impossible && !go_back()) return verdict;
  }
}

void Search::place(std::uint32_t index) {
  const Block& block = blocks_[index];
  const std::uint64_t floor = floor_[block.lower];
  offsets_[index] = floor;
  is_placed_[index] = 1;
  for (std::uint32_t s = block.lower; s < block.upper; ++s) {
    floor_[s] = floor + block.size;
    left_[s] -= block.size;
    if (s != block.lower) --crossing_[s];
  }
  trail_.push_back({index, true, floor});
}

void Search::raise(std::uint32_t section, std::uint64_t floor) {
  trail_.push_back({section, false, floor_[section]});
  floor_[section] = floor;
}

void Search::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Undo& last = trail_.back();
    if (!last.is_block) {
      floor_[last.index] = last.floor;
      continue;
    }
    const Block& block = blocks_[last.index];
    is_placed_[last.index] = 0;
    for (std::uint32_t s = block.lower; s < block.upper; ++s) {
      floor_[s] = last.floor;
      left_[s] += block.size;
      if (s != block.lower) ++crossing_[s];
    }
  }
}

StateKey Search::key_of(Valley part) const {
  StateKey key(capacity_);
  for (std::uint32_t s = part.lower; s < part.upper; ++s) {
    key.add_floor(s, floor_[s]);
    for (const std::uint32_t block : starts_[s]) {
      if (is_placed_[block] == 0) key.add_block(block);
    }
  }
  return key;
}

/// `found` means that there is a frame for the part, on its first branch.
Verdict Search::open(Valley part) {
  if (!allowance_.spend()) return Verdict::gave_up;
  Frame frame;
  frame.part = part;
  frame.key = key_of(part);
  frame.mark = trail_.size();
  if (failed_.contains(frame.key)) return Verdict::impossible;
  if (!choose(part, frame.choice)) {
    failed_.insert(frame.key);
    return Verdict::impossible;
  }
  std::ranges::sort(frame.choice.candidates, std::ranges::greater{},
                    [&](std::uint32_t index) { return std::tuple(weight_of(index), blocks_[index].size, ~index); });
  static_cast<void>(take_next_branch(frame));  // there is one
  frames_.push_back(std::move(frame));
  return Verdict::found;
}

/// False when no branch is left.
bool Search::take_next_branch(Frame& frame) {
  const Choice& choice = frame.choice;
  undo(frame.mark);
  if (frame.branch == choice.branches()) return false;
  if (frame.branch < choice.candidates.size()) {
    place(choice.candidates[frame.branch]);
  } else {
    raise(choice.section, choice.raised);
  }
  ++frame.branch;
  frame.parts = parts_of(frame.part);
  frame.solved = 0;
  return true;
}

/// Goes back to the last decision that has a branch left; false when there is none.
bool Search::go_back() {
  for (; frames_.size() > 1; frames_.pop_back()) {
    if (take_next_branch(frames_.back())) return true;
    failed_.insert(frames_.back().key);
  }
  return false;
}

std::uint64_t Search::blocks_in(Valley part) const {
  std::uint64_t count = 0;
  for (std::uint32_t s = part.lower; s < part.upper; ++s) count += starts_[s].size();
  return count;
}

/// The smallest part comes first.
std::vector<Valley> Search::parts_of(Valley part) const {
  std::vector<Valley> parts;
  for (std::uint32_t begin = part.lower; begin < part.upper;) {
    std::uint32_t end = begin + 1;
    while (end < part.upper && crossing_[end] != 0) ++end;
    if (left_[begin] != 0) parts.push_back({begin, end});
    begin = end;
  }
  std::ranges::sort(parts, {}, [&](Valley one) { return std::pair(blocks_in(one), one.lower); });
  return parts;
}

/// A greater weight is tried earlier. Between two blocks the seed outweighs a factor of four at most.
double Search::weight_of(std::uint32_t index) const {
  const Block& block = blocks_[index];
  const auto width = static_cast<double>(block.upper - block.lower), size = static_cast<double>(block.size);
  double weight = width;
  if (taste_.preference == Preference::largest) weight = width * size;
  if (taste_.preference == Preference::tallest) weight = size;
  if (taste_.preference == Preference::shortest) weight = 1 / width;
  if (taste_.seed == 0) return weight;
  const std::uint64_t noise = (index + 1) * (2 * taste_.seed + 1) * 0x9e3779b97f4a7c15ULL;
  return weight * (1 + 3 * static_cast<double>((noise ^ (noise >> 29)) % 4096) / 4096);
}

/// False when no block can fill some valley.
bool Search::choose(Valley part, Choice& best) {
  bool has_choice = false;
  measure(part);
  for (std::uint32_t begin = part.lower; begin < part.upper;) {
    std::uint32_t end = begin + 1;
    while (end < part.upper && floor_[end] == floor_[begin]) ++end;
    const bool left = begin == part.lower || floor_[begin - 1] > floor_[begin];
    const bool right = end == part.upper || floor_[end] > floor_[begin];
    const Valley valley{begin, end};
    begin = end;
    if (!left || !right) continue;
    if (is_hopeless(valley)) return false;
    for (const Side side : {Side::left, Side::right}) {
      Choice choice;
      if (has_choice && best.branches() == 1 && side == Side::right) break;
      if (!consider(valley, side, choice)) return false;
      if (!has_choice || choice.branches() < best.branches()) best = std::move(choice);
      has_choice = true;
    }
  }
  return has_choice;
}

bool Search::lies_in(std::uint32_t index, Valley valley, std::uint64_t floor) const {
  const Block& block = blocks_[index];
  return is_placed_[index] == 0 && block.lower >= valley.lower && block.upper <= valley.upper &&
         (floor & (block.alignment - 1)) == 0 && (twin_[index] == no_block || is_placed_[twin_[index]] != 0);
}

/// False when neither a candidate nor a higher floor is possible.
bool Search::consider(Valley valley, Side side, Choice& choice) const {
  choice.section = side == Side::left ? valley.lower : valley.upper - 1;
  const std::uint64_t floor = floor_[choice.section];
  for (const std::uint32_t block : side == Side::left ? starts_[valley.lower] : ends_[valley.upper]) {
    if (lies_in(block, valley, floor)) choice.candidates.push_back(block);
  }
  if (slack(choice.section) != 0) {
    const std::uint64_t raised = raised_floor(valley, choice.section);
    if (raised - floor <= slack(choice.section)) choice.raised = raised;
  }
  return choice.branches() != 0;
}

/// Finds the least offset of each block of the part.
void Search::measure(Valley part) {
  for (std::uint32_t s = part.lower; s < part.upper; ++s) {
    for (const std::uint32_t index : starts_[s]) {
      if (is_placed_[index] != 0) continue;
      const Block& block = blocks_[index];
      const auto begin = floor_.begin();
      const std::uint64_t floor = *std::max_element(begin + block.lower, begin + block.upper);
      least_[index] = (floor + block.alignment - 1) & ~(block.alignment - 1);
    }
  }
}

/// The earliest begin of the next block over `section` if no block begins at the floor. A block that could begin there
/// then lies on another block that reaches into the valley.
std::uint64_t Search::raised_floor(Valley valley, std::uint32_t section) const {
  const std::uint64_t floor = floor_[section];
  std::uint64_t thinnest = capacity_;
  for (std::uint32_t s = valley.lower; s < valley.upper; ++s) {
    for (const std::uint32_t block : covers_[s]) {
      if (is_placed_[block] == 0) thinnest = std::min(thinnest, blocks_[block].size);
    }
  }
  std::uint64_t raised = capacity_;
  for (const std::uint32_t index : covers_[section]) {
    if (is_placed_[index] != 0) continue;
    const Block& block = blocks_[index];
    std::uint64_t least = least_[index];
    if (least == floor) least = (floor + thinnest + block.alignment - 1) & ~(block.alignment - 1);
    raised = std::min(raised, least);
  }
  return raised;
}

/// Over each section of a valley, the blocks that lie in the valley must reach up to the first block that does not,
/// apart from the bytes that may be wasted there.
bool Search::is_hopeless(Valley valley) const {
  for (std::uint32_t s = valley.lower; s < valley.upper; ++s) {
    std::uint64_t inside = 0, next = capacity_;
    bool has_outside = false;
    for (const std::uint32_t index : covers_[s]) {
      if (is_placed_[index] != 0) continue;
      const Block& block = blocks_[index];
      if (block.lower >= valley.lower && block.upper <= valley.upper) {
        inside += block.size;
        continue;
      }
      has_outside = true;
      next = std::min(next, least_[index]);
    }
    if (has_outside && next - floor_[s] > inside && next - floor_[s] - inside > slack(s)) return true;
  }
  return false;
}

}  // namespace

bool Allowance::spend() noexcept {
  if (nodes_ == 0 || late_) return false;
  --nodes_;
  if (end_ && nodes_ % between_looks == 0) late_ = std::chrono::steady_clock::now() >= *end_;
  return true;
}

Allowance Allowance::share(std::uint64_t nodes) const noexcept {
  Allowance part = *this;
  part.nodes_ = std::min(nodes, nodes_);
  return part;
}

void Allowance::take(const Allowance& given, const Allowance& left) noexcept {
  nodes_ -= given.nodes_ - left.nodes_;
  late_ = left.late_;
}

Verdict search(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base, std::uint64_t capacity,
               Taste taste, Allowance& allowance, std::vector<std::uint64_t>& offsets) {
  Search one(blocks, sections, base, capacity, taste, allowance);
  const Verdict verdict = one.run();
  if (verdict == Verdict::found) offsets = one.offsets();
  return verdict;
}

}  // namespace pintle::plan
