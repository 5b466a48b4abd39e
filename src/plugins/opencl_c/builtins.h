// The functions of the language: bitcode of our own, linked into the module and inlined.
#pragma once

#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

// What the bitcode leaves to the work-group function, by name.
inline constexpr const char* barrier_name = "pintle_barrier";
inline constexpr const char* scratch_name = "pintle_scratch";
inline constexpr const char* local_id_name = "pintle_local_id_";       // + x, y, z
inline constexpr const char* local_size_name = "pintle_local_size_";   // + x, y, z
inline constexpr const char* group_id_name = "pintle_group_id_";       // + x, y, z
inline constexpr const char* group_count_name = "pintle_num_groups_";  // + x, y, z

inline constexpr const char* subgroup_lane_name = "pintle_subgroup_lane";
inline constexpr const char* subgroup_id_name = "pintle_subgroup_id";
inline constexpr const char* subgroup_scratch_name = "pintle_subgroup_scratch";
/// What `lower_subgroups` leaves: the items of one subgroup wait for each other, those of others do not.
inline constexpr const char* subgroup_cut_name = "pintle_subgroup_cut";

/// Whether a call is of the function `name`.
[[nodiscard]] bool calls(const llvm::Instruction& instruction, llvm::StringRef name);
/// Whether the instruction is a cut between two regions: a barrier of the group, or of one of several subgroups.
[[nodiscard]] bool is_cut(const llvm::Instruction& instruction);
/// The dimension of a call of one of the functions `prefix`x, y, z; empty for any other instruction.
[[nodiscard]] std::optional<unsigned> dimension_of(const llvm::Instruction& instruction, llvm::StringRef prefix);

/// Links what the module uses of the bitcode, gives every function one calling convention and inlines all into the
/// kernels. An error in words; empty: none.
[[nodiscard]] std::string link_and_inline(llvm::Module& module, const Job& job);

/// The usual simplification of one function.
void simplify(llvm::Function& function);

/// A function that `kernel` still calls and nobody has; empty: none.
[[nodiscard]] std::string unknown_call(const llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
