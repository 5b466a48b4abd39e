#include "plugins/opencl_c/group.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/interchange.h"
#include "plugins/opencl_c/loops.h"
#include "plugins/opencl_c/narrow.h"
#include "plugins/opencl_c/regions.h"
#include "plugins/opencl_c/split.h"
#include "plugins/opencl_c/storage.h"
#include "plugins/opencl_c/subgroups.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

/// Puts one group function together.
class Maker {
 public:
  /// `subgroups`: with several, the items of one run until they wait for the group before the next one's do.
  /// `by_lines`: the items of one line in x run the whole kernel before the next line does.
  Maker(Function& kernel, Function& function, const Entry& entry, Cut& cut, Groups groups, const Subgroups& subgroups,
        bool by_lines)
      : function_(function),
        entry_(entry),
        cut_(cut),
        layout_(function.getParent()->getDataLayout()),
        storage_(function),
        groups_(groups),
        subgroups_(subgroups),
        by_lines_(by_lines),
        waits_(any_of(drop_begin(cut.regions), [](const Region& region) { return region.of_group; })),
        loops_(subgroups.several() ? std::array<std::uint64_t, 3>{subgroups.size, 1, 1}
               : by_lines          ? std::array<std::uint64_t, 3>{entry.group[0], 1, 1}
                                   : entry.group),
        places_(entry, groups.near),
        builder_(BasicBlock::Create(function.getContext(), "entry", &function)) {
    arguments_ = bind_arguments(builder_, kernel, function, entry);
    ids_ = load_ids(builder_, function, entry, groups);
  }

  void make() {
    take_locals();
    take_slots();
    dispatch();
    storage_.finish();
  }

 private:
  /// Variables in local memory: of the group, and of the thread that runs it.
  void take_locals() {
    for (GlobalVariable* const variable : local_variables(*cut_.regions[0].begin->getParent())) {
      const std::uint64_t bytes = layout_.getTypeAllocSize(variable->getValueType());
      arguments_[variable] = storage_.take(bytes, variable->getName());
    }
    std::uint64_t most = 0;
    for (const Region& region : cut_.regions)
      for (const BasicBlock* const block : region.blocks)
        for (const Instruction& instruction : *block) {
          if (calls(instruction, scratch_name)) most = std::max(most, bytes_asked(instruction));
          if (calls(instruction, subgroup_scratch_name)) take_shared(bytes_asked(instruction));
        }
    if (most != 0)
      scratch_ = storage_.take(most * (entry_.group[0] * entry_.group[1] * entry_.group[2] + 1), "scratch");
  }

  static std::uint64_t bytes_asked(const Instruction& call) {
    return cast<ConstantInt>(call.getOperand(0))->getZExtValue();
  }

  /// What items of a subgroup share: values of one size, and one behind them. Values of another size lie elsewhere,
  /// since an item may leave its next one before its neighbour has read this one's result.
  void take_shared(std::uint64_t bytes) {
    Value*& shared = shared_[bytes];
    if (shared == nullptr) shared = storage_.take(bytes * (subgroups_.size + 1), "shared");
  }

  /// Items whose values are kept at one time: of a subgroup, unless it waits while others run.
  [[nodiscard]] std::uint64_t items_at_once() const {
    const std::uint64_t items = loops_[0] * loops_[1] * loops_[2];
    return keeps_all() ? items * subgroups_.count : items;
  }
  [[nodiscard]] bool keeps_all() const { return subgroups_.several() && waits_; }

  void take_slots() {
    for (const Slot& slot : cut_.slots) {
      const std::uint64_t bytes = layout_.getTypeAllocSize(slot.variable->getAllocatedType());
      const std::uint64_t items = !slot.is_uniform ? items_at_once() : keeps_all() ? subgroups_.count : 1;
      kept_.push_back(slot.is_kept() ? storage_.take(bytes * items, slot.variable->getName() + ".kept") : nullptr);
    }
  }

  /// Runs one region after another; where there are several ways on, the barrier at which items arrive says which.
  void dispatch() {
    LLVMContext& context = function_.getContext();
    BasicBlock* end = BasicBlock::Create(context, "end", &function_);
    ReturnInst::Create(context, end);
    if (cut_.regions.size() == 1 && !subgroups_.several()) {
      auto* const first = BasicBlock::Create(context, "region", &function_);
      builder_.CreateBr(first);
      add_region(0, first, end);
      return;
    }
    next_ = builder_.CreateAlloca(builder_.getInt32Ty(), nullptr, "next");
    if (by_lines_) {
      const ItemLoops lines(builder_, function_, {1, entry_.group[1], entry_.group[2]}, end, {});
      line_ = lines.items();
      end = lines.latch();
    }
    SmallVector<BasicBlock*> begins;
    for (unsigned i = 0; i < cut_.regions.size(); ++i)
      begins.push_back(BasicBlock::Create(context, "region", &function_));
    if (keeps_all()) end = take_turns(begins, end);
    else if (subgroups_.several()) end = for_each_subgroup(end);
    if (!keeps_all()) builder_.CreateBr(begins[0]);
    for (unsigned i = 0; i < cut_.regions.size(); ++i) add_region(i, begins[i], way_on(i, begins, end));
  }

  /// A loop over the subgroups, in whose body the builder stands then. Where a subgroup is through.
  BasicBlock* for_each_subgroup(BasicBlock* end) {
    const ItemLoops loop(builder_, function_, {subgroups_.count, 1, 1}, end, {});
    subgroup_ = loop.items()[0];
    return loop.latch();
  }

  /// Subgroups take turns, until all are through: each runs from the barrier of the group where it waits to the next
  /// one. Where a subgroup goes that waits, or is through.
  BasicBlock* take_turns(SmallVectorImpl<BasicBlock*>& begins, BasicBlock* end) {
    LLVMContext& context = function_.getContext();
    auto* const word = builder_.getInt32Ty();
    Value* const places = storage_.take(4 * subgroups_.count, "places");  // the region where each goes on
    Value* const some = builder_.CreateAlloca(builder_.getInt1Ty(), nullptr, "some");
    builder_.CreateMemSet(places, builder_.getInt8(0), 4 * subgroups_.count, Align(4));
    auto* const turn = BasicBlock::Create(context, "turn", &function_);
    auto* const turned = BasicBlock::Create(context, "turned", &function_);
    builder_.CreateBr(turn);
    builder_.SetInsertPoint(turn);
    builder_.CreateStore(builder_.getFalse(), some);
    BasicBlock* const next = for_each_subgroup(turned);
    Value* const place = builder_.CreateInBoundsGEP(word, places, subgroup_);
    auto* const ways = builder_.CreateSwitch(builder_.CreateLoad(word, place), next);
    for (unsigned i = 0; i < begins.size(); ++i)
      if (cut_.regions[i].of_group) ways->addCase(builder_.getInt32(i), begins[i]);
    auto* const waits = BasicBlock::Create(context, "waits", &function_);
    IRBuilder<> at(waits);
    Value* const said = at.CreateLoad(word, next_);
    at.CreateStore(said, place);
    Value* const is_through = at.CreateICmpEQ(said, at.getInt32(static_cast<std::uint32_t>(begins.size())));
    at.CreateStore(at.CreateOr(at.CreateLoad(at.getInt1Ty(), some), at.CreateNot(is_through)), some);
    at.CreateBr(next);
    at.SetInsertPoint(turned);
    at.CreateCondBr(at.CreateLoad(at.getInt1Ty(), some), turn, end);
    return waits;
  }

  /// Where control goes on behind a region: straight where there is one way only, so that loops stay loops.
  BasicBlock* way_on(unsigned number, ArrayRef<BasicBlock*> begins, BasicBlock* end) {
    SmallSetVector<unsigned, 4> next;
    bool may_end = false;
    for (const BasicBlock* const block : cut_.regions[number].blocks) {
      if (const auto found = cut_.behind.find(block); found != cut_.behind.end()) next.insert(found->second);
      else may_end = may_end || succ_empty(block);
    }
    const auto begin = [&](unsigned way) { return keeps_all() && cut_.regions[way].of_group ? end : begins[way]; };
    if (next.empty()) return end;
    if (!may_end && next.size() == 1) return begin(next[0]);
    auto* const choice = BasicBlock::Create(function_.getContext(), "next", &function_, end);
    IRBuilder<> builder(choice);
    Value* const said = builder.CreateLoad(builder.getInt32Ty(), next_);
    auto* const ways = builder.CreateSwitch(said, may_end ? end : begin(next[0]));
    for (const unsigned way : drop_begin(next, may_end ? 0 : 1)) ways->addCase(builder.getInt32(way), begin(way));
    return choice;
  }

  /// The loops over the items around a copy of the region, from the block `begin` on.
  void add_region(unsigned number, BasicBlock* begin, BasicBlock* after) {
    IRBuilder<> builder(begin);
    std::vector<Value*> common(cut_.slots.size());  // what uniform variables are before the first item
    for (std::size_t i = 0; i < cut_.slots.size(); ++i) {
      const Slot& slot = cut_.slots[i];
      if (slot.is_uniform && slot.alive[number])
        common[i] = builder.CreateLoad(slot.variable->getAllocatedType(), place(builder, i, nullptr));
    }
    static constexpr std::array<std::uint64_t, 3> once{1, 1, 1};
    const bool is_once = is_question(number);
    const Narrow narrow = is_once || subgroups_.several() ? Narrow{} : find_narrow(cut_.regions[number], cut_, places_);
    ItemLoops loops(builder, function_, is_once ? once : loops_, after, ranges_of(narrow, builder, common),
                    groups_.rows && !is_once);
    Copy copy{number, loops.items(), linear_of(loops, builder), loops.latch()};
    if (by_lines_) copy.items = {copy.items[0], line_[1], line_[2]};
    for (const auto& [from, to] : arguments_) copy.values[from] = to;
    begin_item(builder, copy, common);
    copy_blocks(copy);
    for (const Narrow::Leaf& leaf : narrow.leaves)
      copy.values[leaf.compare]->replaceAllUsesWith(builder.getInt1(leaf.answer));
    builder.CreateBr(cast<BasicBlock>(copy.values[cut_.regions[number].begin]));
    mark_parallel(loops, copy);
  }

  /// The item's place among those whose values are kept.
  Value* linear_of(const ItemLoops& loops, IRBuilder<>& builder) {
    if (!keeps_all()) return loops.linear();
    return builder.CreateAdd(builder.CreateMul(subgroup_, builder.getInt64(subgroups_.size)), loops.linear());
  }

  /// The items of a subgroup, of which the last may have fewer.
  Value* last_of_subgroup(IRBuilder<>& builder) {
    if (!subgroups_.several() || subgroups_.last == subgroups_.size) return nullptr;
    Value* const is_last = builder.CreateICmpEQ(subgroup_, builder.getInt64(subgroups_.count - 1));
    return builder.CreateSelect(is_last, builder.getInt64(subgroups_.last), builder.getInt64(subgroups_.size));
  }

  /// The items that do anything. Where there are none, the others have come to the region's end.
  std::array<Range, 3> ranges_of(const Narrow& narrowed, IRBuilder<>& builder, const std::vector<Value*>& common) {
    std::array<Range, 3> ranges;
    const auto known = [&](Value* value) -> Value* {
      if (const auto found = arguments_.find(value); found != arguments_.end()) return found->second;
      if (const auto* const load = dyn_cast<LoadInst>(value)) return common_value(*load, common);
      const auto& instruction = *cast<Instruction>(value);
      if (const auto d = dimension_of(instruction, local_id_name))
        return by_lines_ && *d != 0 ? line_[*d] : builder.getInt64(0);
      return group_value(instruction, builder, ids_, entry_);
    };
    for (const auto& [compare, answer, bound] : narrowed.leaves) {
      Value* const place = computed_at(bound.place, builder, known);
      Value* const limit = computed_at(bound.limit, builder, known);
      Value* const items = by_lines_ && bound.dimension != 0 ? builder.getInt64(1) : ids_.size[bound.dimension];
      narrow(ranges[bound.dimension], bound, place, limit, items, builder);
    }
    if (groups_.rows && ranges[0].last == nullptr) ranges[0].last = ids_.size[0];
    if (Value* const last = last_of_subgroup(builder)) ranges[0].last = last;
    if (!narrowed.leaves.empty() && next_ != nullptr)
      builder.CreateStore(builder.getInt32(narrowed.next.value_or(static_cast<unsigned>(cut_.regions.size()))), next_);
    return ranges;
  }

  Value* common_value(const LoadInst& load, const std::vector<Value*>& common) const {
    for (std::size_t i = 0; i < cut_.slots.size(); ++i)
      if (cut_.slots[i].variable == load.getPointerOperand()) return common[i];
    return nullptr;
  }

  /// A region that only asks what all items have in common which way they go is run once.
  [[nodiscard]] bool is_question(unsigned number) const {
    for (const Slot& slot : cut_.slots)
      if (slot.used[number] && !slot.is_uniform) return false;
    if (number == 0) return false;
    return all_of(cut_.regions[number].blocks, [&](const BasicBlock* block) {
      return all_of(*block, [&](const Instruction& one) { return is_same_for_all(one); });
    });
  }

  /// Whether an instruction on what all items have in common gives all of them one value, however often it runs.
  [[nodiscard]] static bool is_same_for_all(const Instruction& one) {
    if (dimension_of(one, local_id_name) || calls(one, subgroup_lane_name)) return false;
    if (is_cut(one)) return true;
    if (const auto* const store = dyn_cast<StoreInst>(&one)) return isa<AllocaInst>(store->getPointerOperand());
    if (const auto* const load = dyn_cast<LoadInst>(&one)) return load->isSimple();
    return !isa<AllocaInst>(one) && !one.mayHaveSideEffects();
  }

  struct Copy {
    unsigned number;
    std::array<Value*, 3> items;
    Value* linear;
    BasicBlock* latch;
    ValueToValueMapTy values{};
    SmallVector<BasicBlock*> blocks{};
    DenseMap<const Value*, Value*> own{};  // the item's variables
  };

  Value* place(IRBuilder<>& builder, std::size_t i, Value* linear) {
    const Slot& slot = cut_.slots[i];
    if (slot.is_uniform && !keeps_all()) return kept_[i];
    return builder.CreateInBoundsGEP(slot.variable->getAllocatedType(), kept_[i], slot.is_uniform ? subgroup_ : linear);
  }

  /// Variables of one item: in registers within the region, or where they are kept.
  void begin_item(IRBuilder<>& builder, Copy& copy, const std::vector<Value*>& common) {
    for (std::size_t i = 0; i < cut_.slots.size(); ++i) {
      const Slot& slot = cut_.slots[i];
      if (!slot.used[copy.number] && !(slot.is_scalar && slot.alive[copy.number])) continue;
      Type* const type = slot.variable->getAllocatedType();
      if (!slot.is_scalar && slot.is_kept()) {
        copy.own[slot.variable] = place(builder, i, copy.linear);
        copy.values[slot.variable] = copy.own[slot.variable];
        continue;
      }
      IRBuilder<> first(&function_.getEntryBlock(), function_.getEntryBlock().begin());
      AllocaInst* const own = first.CreateAlloca(type, nullptr, slot.variable->getName());
      own->setAlignment(slot.variable->getAlign());
      copy.values[slot.variable] = own;
      copy.own[slot.variable] = own;
      if (!slot.is_scalar) continue;
      Value* value = UndefValue::get(type);
      if (slot.alive[copy.number])
        value = slot.is_uniform ? common[i] : builder.CreateLoad(type, place(builder, i, copy.linear));
      builder.CreateStore(value, own);
    }
  }

  void copy_blocks(Copy& copy) {
    const Region& region = cut_.regions[copy.number];
    for (BasicBlock* const block : region.blocks) {
      BasicBlock* const made = CloneBasicBlock(block, copy.values, "", &function_);
      keep_variables(*block, copy);
      copy.values[block] = made;
      copy.blocks.push_back(made);
    }
    for (std::size_t i = 0; i < region.blocks.size(); ++i) {
      finish_phis(*region.blocks[i], *copy.blocks[i], copy);
      for (Instruction& instruction : *copy.blocks[i])
        RemapInstruction(&instruction, copy.values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
    for (std::size_t i = 0; i < region.blocks.size(); ++i) end_block(*region.blocks[i], *copy.blocks[i], copy);
    for (BasicBlock* const block : copy.blocks) lower_calls(*block, copy);
  }

  /// Variables have their places already.
  static void keep_variables(BasicBlock& block, Copy& copy) {
    for (Instruction& instruction : block) {
      const auto own = copy.own.find(&instruction);
      if (!isa<AllocaInst>(instruction)) continue;
      cast<Instruction>(copy.values[&instruction])->eraseFromParent();
      if (own != copy.own.end()) copy.values[&instruction] = own->second;
    }
  }

  /// Blocks of other regions bring nothing.
  void finish_phis(BasicBlock& block, BasicBlock& made, const Copy& copy) {
    SmallVector<PHINode*> phis;
    for (PHINode& phi : made.phis()) phis.push_back(&phi);
    for (PHINode* const phi : phis) {
      for (unsigned i = phi->getNumIncomingValues(); i-- > 0;)
        if (!copy.values.count(phi->getIncomingBlock(i)) || cut_.behind.contains(phi->getIncomingBlock(i)))
          phi->removeIncomingValue(i, false);
    }
    static_cast<void>(block);
  }

  /// At a barrier the item keeps what is alive behind it.
  void end_block(BasicBlock& block, BasicBlock& made, const Copy& copy) {
    Instruction* const terminator = made.getTerminator();
    const auto barrier = cut_.behind.find(&block);
    if (barrier == cut_.behind.end() && !isa<ReturnInst>(terminator)) return;
    IRBuilder<> builder(terminator);
    const bool ends = barrier == cut_.behind.end();
    if (!ends) {
      for (std::size_t i = 0; i < cut_.slots.size(); ++i) {
        const Slot& slot = cut_.slots[i];
        if (!slot.is_scalar || !slot.alive[barrier->second] || !slot.written[copy.number]) continue;
        Value* const own = copy.values.lookup(slot.variable);
        builder.CreateStore(builder.CreateLoad(slot.variable->getAllocatedType(), own), place(builder, i, copy.linear));
      }
      terminator->getPrevNode() == nullptr ? void() : erase_barrier(made);
    }
    if (next_ != nullptr) {
      const std::uint32_t end_number = static_cast<std::uint32_t>(cut_.regions.size());
      builder.CreateStore(builder.getInt32(ends ? end_number : barrier->second), next_);
    }
    builder.CreateBr(copy.latch);
    made.getTerminator()->eraseFromParent();
  }

  static void erase_barrier(BasicBlock& block) {
    for (Instruction& instruction : block) {
      if (!is_cut(instruction)) continue;
      instruction.eraseFromParent();
      return;
    }
  }

  void lower_calls(BasicBlock& block, const Copy& copy) {
    for (Instruction& instruction : make_early_inc_range(block)) {
      Value* value = nullptr;
      if (const auto d = dimension_of(instruction, local_id_name)) value = copy.items[*d];
      else if (Value* const known = group_value(instruction, builder_, ids_, entry_)) value = known;
      else if (calls(instruction, scratch_name)) value = scratch_;
      else if (Value* const of_subgroup = subgroup_value(instruction, copy)) value = of_subgroup;
      // Memory of no stack variable of this function has no life in it.
      else if (auto* const life = dyn_cast<LifetimeIntrinsic>(&instruction)) {
        if (!isa<AllocaInst>(life->getArgOperand(1))) life->eraseFromParent();
        continue;
      }
      if (value == nullptr) continue;
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
  }

  /// What a call of a subgroup's place or memory gives; null for any other instruction.
  Value* subgroup_value(Instruction& call, const Copy& copy) {
    if (calls(call, subgroup_scratch_name)) return shared_.lookup(bytes_asked(call));
    const bool is_id = calls(call, subgroup_id_name);
    if (!is_id && !calls(call, subgroup_lane_name)) return nullptr;
    return IRBuilder<>(&call).CreateTrunc(is_id ? subgroup_ : copy.items[0], call.getType());
  }

  /// Items of one region do not depend on each other. Where variables on the stack are shared by all items, one after
  /// another, that is not so for accesses to them.
  void mark_parallel(const ItemLoops& loops, const Copy& copy) {
    SmallVector<Instruction*> accesses;
    for (BasicBlock* const block : copy.blocks)
      for (Instruction& instruction : *block)
        if (instruction.mayReadOrWriteMemory()) accesses.push_back(&instruction);
    loops.mark_parallel(accesses, has_lost_address(copy));
  }

  bool has_lost_address(const Copy& copy) const {
    for (const Slot& slot : cut_.slots) {
      if (slot.is_scalar || !slot.used[copy.number] || slot.is_kept()) continue;
      if (address_is_lost(*slot.variable)) return true;
    }
    return false;
  }

  Function& function_;
  const Entry& entry_;
  Cut& cut_;
  const DataLayout& layout_;
  Storage storage_;
  const Groups groups_;
  const Subgroups subgroups_;
  const bool by_lines_;
  const bool waits_;                    // for all items of the group, anywhere
  std::array<std::uint64_t, 3> loops_;  // the items of the loops around a region
  std::array<Value*, 3> line_{};        // by lines: the items of y and z
  Places places_;
  IRBuilder<> builder_;
  DenseMap<Value*, Value*> arguments_;
  GroupIds ids_;
  std::vector<Value*> kept_;  // by slot
  Value* scratch_ = nullptr;
  DenseMap<std::uint64_t, Value*> shared_;  // by the bytes of a value
  Value* subgroup_ = nullptr;               // the one that runs, where there are several
  Value* next_ = nullptr;
};

bool has_barriers(Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& one) { return calls(one, barrier_name); });
}

}  // namespace

Function& make_group_function(Function& kernel, const Entry& entry, const Twine& name, Groups groups) {
  Module& module = *kernel.getParent();
  const Subgroups subgroups = has_subgroups(kernel) ? subgroups_of(entry) : Subgroups{};
  if (has_subgroups(kernel)) lower_subgroups(kernel, entry);
  const bool waits = has_barriers(kernel);
  if (!groups.rows && !subgroups.several()) turn_loops(kernel, entry);
  const bool by_lines =
      !subgroups.several() && !waits && has_barriers(kernel);  // those of turned loops are for each line's items
  split_questions(kernel);
  Cut cut = cut_at_barriers(kernel);
  auto* const pointer = PointerType::getUnqual(module.getContext());
  auto* const type = FunctionType::get(Type::getVoidTy(module.getContext()), {pointer, pointer}, false);
  auto* const function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  for (const char* const key :
       {"target-cpu", "target-features", "tune-cpu", "no-trapping-math", "min-legal-vector-width"})
    if (kernel.hasFnAttribute(key)) function->addFnAttr(kernel.getFnAttribute(key));
  function->addFnAttr(Attribute::NoUnwind);
  Maker(kernel, *function, entry, cut, groups, subgroups, by_lines).make();
  return *function;
}

}  // namespace pintle::plugins::opencl_c
