#include "plugins/opencl_c/builtins.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "plugins/opencl_c/divisions.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

bool is_entry(const Job& job, const Function& function) {
  return llvm::any_of(job.entries, [&](const Entry& entry) { return function.getName() == entry.name; });
}

std::string link(Module& module, const std::string& path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) return "the built-in functions (" + path + ") cannot be read: " + buffer.getError().message();
  auto library = getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library) return "the built-in functions (" + path + ") are not read: " + toString(library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return "the built-in functions (" + path + ") cannot be linked";
  return {};
}

/// A call with another convention than its function's is undefined: the optimizer deletes what stands behind it.
void use_one_convention(Module& module) {
  for (Function& function : module) {
    function.setCallingConv(CallingConv::C);
    for (Instruction& instruction : instructions(function))
      if (auto* const call = dyn_cast<CallBase>(&instruction)) call->setCallingConv(CallingConv::C);
  }
}

/// Ids and sizes fit an `int`, as the cpu's limits say.
void limit_ids(Module& module) {
  const ConstantRange range(APInt(64, 0), APInt(64, std::uint64_t{1} << 31));
  for (Function& function : module) {
    const auto is_id = [&](const char* prefix) { return function.getName().starts_with(prefix); };
    if (any_of(std::array{group_id_name, group_count_name}, is_id))
      function.addRetAttr(Attribute::get(module.getContext(), Attribute::Range, range));
  }
}

/// Functions of the bitcode were compiled for a level; now they are code of the module, whatever it is compiled for.
void make_inlinable(Module& module, const Job& job) {
  AttributeSet wanted;
  for (Function& function : module) {
    if (!is_entry(job, function) || function.isDeclaration()) continue;
    AttrBuilder builder(module.getContext());
    for (const char* const key : {"target-cpu", "target-features", "tune-cpu"})
      if (function.hasFnAttribute(key)) builder.addAttribute(function.getFnAttribute(key));
    wanted = AttributeSet::get(module.getContext(), builder);
    break;
  }
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    for (const char* const key : {"target-cpu", "target-features", "tune-cpu"}) function.removeFnAttr(key);
    function.addFnAttrs(AttrBuilder(module.getContext(), wanted));
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::OptimizeNone);
    if (is_entry(job, function)) continue;
    function.setLinkage(GlobalValue::InternalLinkage);
    function.addFnAttr(Attribute::AlwaysInline);
  }
}

/// Passes with their analyses.
struct Passes {
  Passes() {
    builder.registerModuleAnalyses(of_modules);
    builder.registerCGSCCAnalyses(of_groups);
    builder.registerFunctionAnalyses(of_functions);
    builder.registerLoopAnalyses(of_loops);
    builder.crossRegisterProxies(of_loops, of_functions, of_groups, of_modules);
  }
  FunctionPassManager simplification() {
    return builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  }

  LoopAnalysisManager of_loops;
  FunctionAnalysisManager of_functions;
  CGSCCAnalysisManager of_groups;
  ModuleAnalysisManager of_modules;
  PassBuilder builder;
  ModulePassManager modules;
};

/// An inlined call leaves blocks and branches that go one way. JumpThreading would join each with the one before it and
/// make the dominator tree anew: minutes for a long function of calls.
FunctionPassManager straightening() {
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

}  // namespace

bool calls(const Instruction& instruction, StringRef name) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == name;
}

bool is_cut(const Instruction& instruction) {
  return calls(instruction, barrier_name) || calls(instruction, subgroup_cut_name);
}

std::optional<unsigned> dimension_of(const Instruction& instruction, StringRef prefix) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr || !callee->getName().starts_with(prefix)) return std::nullopt;
  const StringRef rest = callee->getName().substr(prefix.size());
  if (rest.size() != 1 || rest[0] < 'x' || rest[0] > 'z') return std::nullopt;
  return static_cast<unsigned>(rest[0] - 'x');
}

std::string link_and_inline(Module& module, const Job& job) {
  if (std::string error = link(module, job.builtins); !error.empty()) return error;
  use_one_convention(module);
  make_inlinable(module, job);
  limit_ids(module);
  make_divisions_safe(module);
  Passes passes;
  passes.modules.addPass(AlwaysInlinerPass(true));
  passes.modules.addPass(GlobalDCEPass());
  passes.modules.addPass(createModuleToFunctionPassAdaptor(straightening()));
  passes.modules.addPass(createModuleToFunctionPassAdaptor(passes.simplification()));
  passes.modules.run(module, passes.of_modules);
  return {};
}

void simplify(Function& function) {
  Passes passes;
  passes.simplification().run(function, passes.of_functions);
}

std::string unknown_call(const Function& kernel) {
  static const StringSet<> known{
      "acosf",     "acos",     "asinf",   "asin",   "atanf",      "atan",      "acoshf", "acosh",      "asinhf",
      "asinh",     "atanhf",   "atanh",   "cbrtf",  "cbrt",       "coshf",     "cosh",   "sinhf",      "sinh",
      "tanhf",     "tanh",     "tanf",    "tan",    "erff",       "erf",       "erfcf",  "erfc",       "expm1f",
      "expm1",     "log1pf",   "log1p",   "atan2f", "atan2",      "fmodf",     "fmod",   "remainderf", "remainder",
      "lgammaf_r", "lgamma_r", "tgammaf", "tgamma", "nextafterf", "nextafter", "hypotf", "hypot",      "sincosf",
      "sincos",    "exp10f",   "exp10",   "logbf",  "logb",       "remquof",   "remquo", "ilogbf",     "ilogb",
      "sinf",      "sin",      "cosf",    "cos",    "expf",       "exp",       "exp2f",  "exp2",       "logf",
      "log",       "log2f",    "log2",    "log10f", "log10",      "powf",      "pow",    "fmaf",       "fma",
      "floorf",    "floor",    "ceilf",   "ceil",   "truncf",     "trunc",     "rintf",  "rint",       "roundf",
      "round",     "fminf",    "fmin",    "fmaxf",  "fmax",       "fdimf",     "fdim",   "sqrtf",      "sqrt",
      "ldexpf",    "ldexp",    "memcpy",  "memset", "memmove"};
  for (const Instruction& instruction : instructions(kernel)) {
    const auto* const call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) continue;
    const Function* const callee = call->getCalledFunction();
    if (callee == nullptr) return "a function by its address";
    if (callee->isIntrinsic() || known.contains(callee->getName())) continue;
    if (callee->getName().starts_with("pintle_")) continue;
    return demangle(callee->getName().str());
  }
  return {};
}

}  // namespace pintle::plugins::opencl_c
