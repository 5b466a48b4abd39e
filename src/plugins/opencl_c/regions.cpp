#include "plugins/opencl_c/regions.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

using Begins = DenseMap<const BasicBlock*, unsigned>;  // first blocks of regions behind barriers

/// Each barrier becomes the last instruction but one of its block.
void split_blocks(Function& kernel, Cut& cut) {
  SmallVector<Instruction*> barriers;
  for (Instruction& instruction : instructions(kernel))
    if (is_cut(instruction)) barriers.push_back(&instruction);
  cut.regions.push_back({&kernel.getEntryBlock(), {}, false, true});
  for (Instruction* const barrier : barriers) {
    BasicBlock* const before = barrier->getParent();
    BasicBlock* const rest = SplitBlock(before, barrier->getNextNode());
    // A block behind that barrier may end at a later one: its place among `behind` is found by its own end.
    cut.behind[before] = static_cast<unsigned>(cut.regions.size());
    cut.regions.push_back({rest, {}, false, calls(*barrier, barrier_name)});
  }
}

/// Unreachable blocks are none of any region.
void find_blocks(Cut& cut) {
  for (Region& region : cut.regions) {
    DenseSet<const BasicBlock*> seen;
    SmallVector<BasicBlock*> work{region.begin};
    while (!work.empty()) {
      BasicBlock* const block = work.pop_back_val();
      if (!seen.insert(block).second) continue;
      region.blocks.push_back(block);
      if (!cut.behind.contains(block)) work.append(succ_begin(block), succ_end(block));
    }
  }
}

/// Regions that can follow a region, straight or after others.
void find_repeats(Cut& cut) {
  const auto count = cut.regions.size();
  std::vector<std::vector<unsigned>> next(count);
  for (unsigned i = 0; i < count; ++i)
    for (const BasicBlock* const block : cut.regions[i].blocks)
      if (const auto found = cut.behind.find(block); found != cut.behind.end()) next[i].push_back(found->second);
  for (unsigned i = 0; i < count; ++i) {
    std::vector<bool> seen(count);
    SmallVector<unsigned> work(next[i].begin(), next[i].end());
    while (!work.empty()) {
      const unsigned region = work.pop_back_val();
      if (seen[region]) continue;
      seen[region] = true;
      work.append(next[region].begin(), next[region].end());
    }
    cut.regions[i].repeats = seen[i];
  }
}

/// The block where an operand has to be there: for a phi, the end of the block that it comes from.
BasicBlock* place_of(const Use& use) {
  auto* const user = cast<Instruction>(use.getUser());
  if (auto* const phi = dyn_cast<PHINode>(user)) return phi->getIncomingBlock(use);
  return user->getParent();
}

/// Whether the value is alive where a region behind a barrier begins.
bool crosses(const Instruction& value, const Begins& begins) {
  DenseSet<const BasicBlock*> seen;
  SmallVector<const BasicBlock*> work;
  for (const Use& use : value.uses()) {
    const BasicBlock* const place = place_of(use);
    if (place != value.getParent()) work.push_back(place);
    // A use in its own block that stands before the definition is one of the next round.
    if (place == value.getParent() && isa<PHINode>(use.getUser()) && isa<PHINode>(value)) continue;
  }
  while (!work.empty()) {
    const BasicBlock* const block = work.pop_back_val();
    if (block == value.getParent() || !seen.insert(block).second) continue;
    if (begins.contains(block)) return true;
    work.append(pred_begin(block), pred_end(block));
  }
  return false;
}

constexpr unsigned deepest = 8;

/// Whether a value can be computed again from what every region has: arguments, the item's place, variables' addresses.
bool is_cheap(const Value* value, unsigned depth = 0) {
  const auto* const instruction = dyn_cast<Instruction>(value);
  if (instruction == nullptr || isa<AllocaInst>(instruction)) return true;
  if (depth > deepest) return false;
  for (const char* const prefix : {local_id_name, local_size_name, group_id_name, group_count_name})
    if (dimension_of(*instruction, prefix)) return true;
  for (const char* const name : {scratch_name, subgroup_scratch_name, subgroup_lane_name, subgroup_id_name})
    if (calls(*instruction, name)) return true;
  if (!isa<BinaryOperator, CastInst, GetElementPtrInst, ICmpInst, SelectInst, FreezeInst>(instruction)) return false;
  if (instruction->isIntDivRem() || instruction->getType()->isFPOrFPVectorTy()) return false;
  return all_of(instruction->operands(), [&](const Value* operand) { return is_cheap(operand, depth + 1); });
}

/// A copy of the value, with all that it is computed from, in front of `place`.
Value* computed_again(Value* value, Instruction* place, DenseMap<Value*, Value*>& copies) {
  auto* const instruction = dyn_cast<Instruction>(value);
  if (instruction == nullptr || isa<AllocaInst>(instruction)) return value;
  if (const auto found = copies.find(value); found != copies.end()) return found->second;
  Instruction* const copy = instruction->clone();
  for (Use& operand : copy->operands()) operand.set(computed_again(operand.get(), place, copies));
  copy->insertBefore(place);
  return copies[value] = copy;
}

void compute_again(Instruction& value) {
  SmallVector<Use*> uses;
  for (Use& use : value.uses())
    if (place_of(use) != value.getParent()) uses.push_back(&use);
  for (Use* const use : uses) {
    auto* const phi = dyn_cast<PHINode>(use->getUser());
    Instruction* const place =
        phi == nullptr ? cast<Instruction>(use->getUser()) : phi->getIncomingBlock(*use)->getTerminator();
    DenseMap<Value*, Value*> copies;
    Value* const copy = computed_again(&value, place, copies);
    if (phi == nullptr) use->set(copy);
    else  // a block may come in more than once, and always brings the same
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (phi->getIncomingBlock(i) == place->getParent() && phi->getIncomingValue(i) == &value)
          phi->setIncomingValue(i, copy);
  }
}

template <class Predicate>
SmallVector<Instruction*> crossing(Function& kernel, const Begins& begins, Predicate predicate) {
  SmallVector<Instruction*> found;
  for (Instruction& instruction : instructions(kernel)) {
    if (isa<AllocaInst>(instruction) || instruction.getType()->isVoidTy() || instruction.use_empty()) continue;
    if (predicate(instruction) && crosses(instruction, begins)) found.push_back(&instruction);
  }
  return found;
}

/// A load of a variable that a phi has become, which was made after the analysis.
bool is_of_phi(const Instruction& value) {
  const auto* const load = dyn_cast<LoadInst>(&value);
  return load != nullptr && isa<AllocaInst>(load->getPointerOperand()) && !load->hasMetadata();
}

/// What crosses becomes a variable; cheap values are computed again where they are used.
void keep_values(Function& kernel, const Begins& begins, DenseSet<const AllocaInst*>& uniform_variables) {
  for (Instruction* const value : crossing(kernel, begins, [](Instruction& one) { return is_cheap(&one); }))
    compute_again(*value);
  const Uniform uniform(kernel);
  DenseSet<const Value*> same;  // loads of uniform values
  const auto place = kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  const auto keep = [&](AllocaInst* variable, bool is_uniform) {
    if (variable == nullptr || !is_uniform) return;
    uniform_variables.insert(variable);
    for (const User* const user : variable->users())
      if (isa<LoadInst>(user)) same.insert(user);
  };
  // A phi becomes a variable that is loaded where the phi was. The load may cross too.
  for (Instruction* const phi : crossing(kernel, begins, [](Instruction& one) { return isa<PHINode>(one); })) {
    const bool is_uniform = uniform.holds(phi);
    keep(DemotePHIToStack(cast<PHINode>(phi), place), is_uniform);
  }
  for (Instruction* const value : crossing(kernel, begins, [](Instruction&) { return true; })) {
    const bool is_uniform = same.contains(value) || (!is_of_phi(*value) && uniform.holds(value));
    keep(DemoteRegToStack(*value, false, place), is_uniform);
  }
}

/// All that reaches a variable through addresses computed from its own; empty where the address gets away.
bool find_users(AllocaInst& variable, SmallVectorImpl<Instruction*>& users) {
  SmallVector<Instruction*> work{&variable};
  DenseSet<const Instruction*> seen;
  while (!work.empty()) {
    Instruction* const address = work.pop_back_val();
    for (User* const user : address->users()) {
      auto* const instruction = cast<Instruction>(user);
      if (!seen.insert(instruction).second) continue;
      users.push_back(instruction);
      if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst>(instruction)) work.push_back(instruction);
      else if (const auto* const store = dyn_cast<StoreInst>(instruction)) {
        if (store->getValueOperand() == address) return false;
      } else if (!isa<LoadInst, IntrinsicInst, ICmpInst>(instruction)) return false;
    }
  }
  return true;
}

bool is_whole(const AllocaInst& variable) {
  return all_of(variable.users(), [&](const User* user) {
    if (const auto* const load = dyn_cast<LoadInst>(user))
      return load->isSimple() && load->getType() == variable.getAllocatedType();
    const auto* const store = dyn_cast<StoreInst>(user);
    return store != nullptr && store->isSimple() && store->getPointerOperand() == &variable &&
           store->getValueOperand()->getType() == variable.getAllocatedType();
  });
}

/// Whether a scalar variable's value is used before it is written, from the beginning of `block` on.
bool alive_at(const AllocaInst& variable, BasicBlock& begin) {
  DenseSet<const BasicBlock*> seen;
  SmallVector<BasicBlock*> work{&begin};
  while (!work.empty()) {
    BasicBlock* const block = work.pop_back_val();
    if (!seen.insert(block).second) continue;
    bool is_written = false;
    for (const Instruction& instruction : *block) {
      if (const auto* const load = dyn_cast<LoadInst>(&instruction); load && load->getPointerOperand() == &variable)
        return true;
      const auto* const store = dyn_cast<StoreInst>(&instruction);
      is_written = store != nullptr && store->getPointerOperand() == &variable;
      if (is_written) break;
    }
    if (!is_written) work.append(succ_begin(block), succ_end(block));
  }
  return false;
}

Slot slot_of(AllocaInst& variable, const Cut& cut) {
  Slot slot{&variable, false, is_whole(variable), {}, {}, {}};
  SmallVector<Instruction*> users;
  const bool is_known = find_users(variable, users);
  for (const Region& region : cut.regions) {
    const DenseSet<const BasicBlock*> blocks(region.blocks.begin(), region.blocks.end());
    const auto is_here = [&](const Instruction* user) { return blocks.contains(user->getParent()); };
    slot.used.push_back(!is_known || any_of(users, is_here));
    slot.written.push_back(
        any_of(users, [&](const Instruction* user) { return isa<StoreInst>(user) && is_here(user); }));
    slot.alive.push_back(slot.is_scalar && region.begin != cut.regions[0].begin && alive_at(variable, *region.begin));
  }
  if (slot.is_scalar) return slot;
  bool is_local = count(slot.used, true) <= 1;
  for (unsigned i = 0; i < cut.regions.size(); ++i) is_local = is_local && !(slot.used[i] && cut.regions[i].repeats);
  if (!is_local) slot.alive.assign(cut.regions.size(), true);
  return slot;
}

}  // namespace

Cut cut_at_barriers(Function& kernel) {
  Cut cut;
  split_blocks(kernel, cut);
  Begins begins;
  for (unsigned i = 1; i < cut.regions.size(); ++i) begins[cut.regions[i].begin] = i;
  DenseSet<const AllocaInst*> uniform_variables;
  if (!begins.empty()) keep_values(kernel, begins, uniform_variables);
  find_blocks(cut);
  find_repeats(cut);
  for (Instruction& instruction : kernel.getEntryBlock()) {
    auto* const variable = dyn_cast<AllocaInst>(&instruction);
    if (variable == nullptr) continue;
    cut.slots.push_back(slot_of(*variable, cut));
    cut.slots.back().is_uniform = uniform_variables.contains(variable);
  }
  return cut;
}

}  // namespace pintle::plugins::opencl_c
