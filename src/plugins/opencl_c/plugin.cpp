// libpintle_opencl_c.so: a plug-in of clang 19. It turns kernels of OpenCL C into functions that run work-groups.
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/group.h"
#include "plugins/opencl_c/guard.h"
#include "plugins/opencl_c/images.h"
#include "plugins/opencl_c/interchange.h"
#include "plugins/opencl_c/job.h"
#include "plugins/opencl_c/parameters.h"
#include "plugins/opencl_c/printing.h"
#include "plugins/opencl_c/rows.h"
#include "plugins/opencl_c/spaces.h"
#include "plugins/opencl_c/subgroups.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

void keep_text(Module& module, const Twine& name, const std::string& text) {
  auto* const value = ConstantDataArray::getString(module.getContext(), text);
  new GlobalVariable(module, value->getType(), true, GlobalValue::ExternalLinkage, value, name);
}

Function* copy_of(Function& kernel) {
  ValueToValueMapTy values;
  return CloneFunction(&kernel, values);
}

/// Makes a version out of a copy of the kernel, which it takes.
Function* make_version(Function& copy, const Entry& entry, const char* suffix, Groups groups) {
  Function& made = make_group_function(copy, entry, entry.name + suffix, groups);
  end_lines(made);
  copy.eraseFromParent();
  return &made;
}

bool has_group_ids(const Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& one) {
    return dimension_of(one, group_id_name) || dimension_of(one, group_count_name);
  });
}

/// Groups of near launches have functions of their own, since their ids are known to fit an `int`. Where a guard stops
/// items, so have groups that it lets through whole. Far launches are rare, and their code is small.
void make_versions(Function& kernel, const Entry& entry) {
  const Guard guard = find_guard(kernel, entry);
  Function* const open = copy_of(kernel);
  if (!guard.empty()) {
    open_guard(find_guard(*open, entry));
    simplify(*open);
  }
  const bool has_rows = can_make_rows(kernel, entry) && !has_loops_to_turn(*open, entry);
  Versions versions{has_rows};
  versions.other = make_version(*copy_of(kernel), entry, ".other", {false, has_rows});
  versions.other->addFnAttr(Attribute::OptimizeForSize);
  versions.other->addFnAttr(Attribute::MinSize);
  if (!guard.empty()) versions.part = make_version(*copy_of(kernel), entry, ".part", {true, has_rows});
  versions.whole = make_version(*open, entry, ".whole", {true, has_rows});
  choose_version(kernel, guard, entry, versions);
  if (has_rows) keep_text(*kernel.getParent(), "pintle_rows_" + entry.name, "");
}

void make_functions(Function& kernel, const Entry& entry) {
  if (has_group_ids(kernel)) make_versions(kernel, entry);
  else make_version(*copy_of(kernel), entry, "", {true, false});
  kernel.eraseFromParent();
}

/// Why a call cannot be made. What is left of the source's own functions calls itself.
std::string words_of_call(const Module& module, const std::string& callee) {
  const Function* const own = module.getFunction(callee);
  if (own != nullptr && !own->isDeclaration())
    return "calls " + callee + ", which calls itself: recursion, which OpenCL C does not have";
  if (callee == "printf") return "calls printf with a format that is no text of its own";
  return "calls " + callee + ", which the cpu does not have";
}

/// What makes one group function, or the reason why there is none.
std::string make(Module& module, Job& job, Entry& entry) {
  Function* const kernel = module.getFunction(entry.name);
  if (kernel == nullptr || kernel->isDeclaration() || !kernel->hasMetadata("kernel_arg_addr_space"))
    return "is no kernel of the source";
  resolve_spaces(*kernel, entry);
  if (std::string callee = unknown_call(*kernel); !callee.empty()) return words_of_call(module, callee);
  if (std::string refusal = check_parameters(*kernel, entry); !refusal.empty()) return refusal;
  if (std::string refusal = check_subgroups(*kernel, entry); !refusal.empty()) return refusal;
  job.needs += alignments_of(*kernel, entry);
  access_anywhere(*kernel);
  answer_images(*kernel, entry);
  kernel->setName(entry.name + ".item");
  own_structs(*kernel);
  make_functions(*kernel, entry);
  keep_text(module, "pintle_items_of_subgroup_" + entry.name, std::to_string(subgroups_of(entry).size));
  return {};
}

/// Only what the entries need is left.
void keep_entries(Module& module, const Job& job) {
  for (Function& function : make_early_inc_range(module)) {
    if (function.isDeclaration() || function.getName() == print_name) continue;
    const bool is_made =
        none_of(job.refusals, [&](const auto& refusal) { return function.getName() == refusal.first; });
    const bool is_entry = any_of(job.entries, [&](const Entry& entry) {
      StringRef name = function.getName();
      return name.consume_front(entry.name) && is_contained({"", ".whole", ".part", ".other"}, name);
    });
    if (is_entry && is_made) continue;
    function.replaceAllUsesWith(PoisonValue::get(function.getType()));
    function.eraseFromParent();
  }
}

/// The code says itself what it lacks and what it needs, since code from a cache comes without files.
void keep_notes(Module& module, const Job& job) {
  std::string refusals = "pintle refusals:\n";
  for (const auto& [entry, reason] : job.refusals) refusals += entry + " " + reason + "\n";
  keep_text(module, "pintle_refusals", refusals);
  keep_text(module, "pintle_alignments", job.needs);
}

struct GroupPass : PassInfoMixin<GroupPass> {
  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    Job job = read_job(module.getSourceFileName());
    if (job.entries.empty()) return PreservedAnalyses::all();
    lower_printf(module);
    if (const std::string error = link_and_inline(module, job); !error.empty()) {
      module.getContext().emitError(error);
      return PreservedAnalyses::none();
    }
    for (Entry& entry : job.entries)
      if (std::string reason = make(module, job, entry); !reason.empty()) job.refuse(entry, std::move(reason));
    keep_entries(module, job);
    keep_notes(module, job);
    write_refusals(job, module.getSourceFileName());
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace
}  // namespace pintle::plugins::opencl_c

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pintle_opencl_c", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(pintle::plugins::opencl_c::GroupPass());
            });
          }};
}
