#include "backends/opencl/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/contain.h"
#include "base/opencl_arguments.h"
#include "base/quote.h"
#include "kit/accesses.h"
#include "kit/left_out.h"
#include "kit/local_memory.h"
#include "kit/program_name.h"

namespace pintle::opencl {
namespace {

using backend::ProgramImage;
using kit::name_of;

bool lacks_kernel(const Error& error) { return error.vendor() && error.vendor()->number == CL_INVALID_KERNEL_NAME; }

/// The error names the kernels that the program has instead.
Error no_entry(const Entry& entry, cl_program program) {
  const std::string names = told_text([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, to, needed);
  });
  return failure(CL_INVALID_KERNEL_NAME, fmt::format("Entry {} is not in the program, which has ({}).",
                                                     base::quote(entry.name), names.empty() ? "no kernels" : names));
}

}  // namespace

BoundKernel::BoundKernel(Owned<cl_kernel> kernel, std::span<const std::uint32_t> sizes)
    : values_(sizes.size() + 1),  // local memory of the signature may be one more
      kernel_(std::move(kernel)) {
  for (std::size_t index = 0; index < sizes.size(); ++index) values_[index].bytes.resize(sizes[index]);
}

Result<void> BoundKernel::set(std::uint32_t index, std::shared_ptr<const Part> part) {
  const cl_mem object = part->object.get();
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, sizeof object, &object), "clSetKernelArg"));
  values_[index].part = std::move(part);
  values_[index].is_set = false;
  return {};
}

Result<void> BoundKernel::set_null(std::uint32_t index) {
  Value& value = values_[index];
  if (value.is_set) return {};
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, sizeof(cl_mem), nullptr), "clSetKernelArg"));
  value.part = nullptr;
  value.is_set = true;
  return {};
}

Result<void> BoundKernel::set(std::uint32_t index, const backend::Range& range) {
  Memory& memory = Memories::at(range.memory);
  const auto& held = values_[index].part;
  if (held != nullptr && memory.is(*held, range.offset, range.size)) return {};
  PINTLE_ASSIGN(part, memory.part(range.offset, range.size));
  return set(index, std::move(part));
}

Result<void> BoundKernel::set(std::uint32_t index, const backend::Range& range, Texels texels, Images& images) {
  Memory& memory = Memories::at(range.memory);
  const auto& held = values_[index].part;
  if (held != nullptr && memory.is(*held, range.offset, range.size, texels)) return {};
  PINTLE_ASSIGN(part, memory.part(range.offset, range.size, texels, images));
  return set(index, std::move(part));
}

Result<void> BoundKernel::set(std::uint32_t index, std::span<const std::byte> bytes) {
  Value& value = values_[index];
  if (value.is_set && std::memcmp(value.bytes.data(), bytes.data(), bytes.size()) == 0) return {};
  value.is_set = false;
  std::ranges::copy(bytes, value.bytes.begin());
  PINTLE_TRY(
      check(api().clSetKernelArg(kernel_.get(), index, value.bytes.size(), value.bytes.data()), "clSetKernelArg"));
  value.is_set = true;
  return {};
}

Result<void> BoundKernel::set_local(std::uint32_t index, std::uint64_t bytes) {
  Value& value = values_[index];
  if (value.local_bytes == bytes) return {};
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, bytes, nullptr), "clSetKernelArg"));
  value.local_bytes = bytes;
  return {};
}

void BoundKernel::reach(std::size_t place, void* address) {
  if (place == reached_.size()) reached_.push_back(nullptr);
  is_reached_set_ &= std::exchange(reached_[place], address) == address;
}

/// A kernel that has been given addresses keeps the last ones: OpenCL has no way to give it none.
Result<void> BoundKernel::set_reached(std::size_t count) {
  if (count == 0 || (is_reached_set_ && count == reached_.size())) return {};
  reached_.resize(count);
  PINTLE_TRY(check(
      api().clSetKernelExecInfo(kernel_.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, count * sizeof(void*), reached_.data()),
      "clSetKernelExecInfo"));
  is_reached_set_ = true;
  return {};
}

/// Some drivers hold an argument that was set, so it is set to nothing; for an image, rusticl 22.3 crashes then.
void BoundKernel::let_go(std::uint64_t memory) noexcept {
  for (std::size_t index = 0; index < values_.size(); ++index) {
    Value& value = values_[index];
    if (value.part == nullptr || value.part->memory != memory) continue;
    const cl_mem other = value.part->stand_in;
    api().clSetKernelArg(kernel_.get(), static_cast<cl_uint>(index), sizeof other, other == nullptr ? nullptr : &other);
    value.part = nullptr;
  }
}

Kernel::Kernel(const Entry& entry, cl_program program, Images& images)
    : program_(program), images_(images), name_(entry.name), group_(entry.group_size) {
  for (const Parameter& parameter : entry.parameters)
    sizes_.push_back(parameter.kind == Parameter::Kind::sampler ? sizeof(cl_sampler) : base::opencl_bytes(parameter));
}

Result<std::unique_ptr<BoundKernel>> Kernel::create() const {
  cl_int status = CL_SUCCESS;
  Owned<cl_kernel> kernel(api().clCreateKernel(program_, name_.c_str(), &status));
  PINTLE_TRY(check(status, "clCreateKernel"));
  return std::make_unique<BoundKernel>(std::move(kernel), sizes_);
}

Result<Kernel::Use> Kernel::use() {
  std::unique_lock lock(mutex_);
  if (!idle_.empty()) {
    Use use(*this, std::move(idle_.back()));
    idle_.pop_back();
    return use;
  }
  idle_.reserve(made_ + 1);  // so that giving back needs no memory
  PINTLE_ASSIGN(bound, create());
  ++made_;
  return Use(*this, std::move(bound));
}

void Kernel::give_back(std::unique_ptr<BoundKernel> bound) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(bound));
}

void Kernel::let_go(std::uint64_t memory) noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& bound : idle_) bound->let_go(memory);
}

Result<Comparison> Kernel::examine(const Entry& entry, const FoundDevice& found) {
  auto first = use();
  if (!first) return lacks_kernel(first.error()) ? no_entry(entry, program_) : first.error();
  PINTLE_ASSIGN(compared, compare(entry, (**first).get(), found, images_));
  if (compared.arguments > entry.parameters.size()) local_argument_bytes_ = entry.local_bytes;
  const auto is_local = [](const Parameter& parameter) { return parameter.kind == Parameter::Kind::local; };
  if (std::ranges::any_of(entry.parameters, is_local)) own_local_bytes_ = compared.own_local_bytes;
  max_local_bytes_ = found.info.limits.max_local_bytes;
  return std::move(compared);
}

Result<void> Kernel::check_local(std::span<const backend::Argument> arguments) const {
  if (own_local_bytes_ == 0) return {};
  std::uint64_t bytes = own_local_bytes_ + local_argument_bytes_;
  for (const backend::Argument& argument : arguments)
    bytes += argument.kind == backend::Argument::Kind::local ? argument.range.size : 0;
  return kit::check_local_memory(bytes, name_, own_local_bytes_, max_local_bytes_);
}

Result<void> check_local(const backend::Commands& list) {
  return kit::check_launches(list, [&](const backend::Exec& exec) {
    return Programs::at(exec.program).kernels[exec.entry]->check_local(list.of(exec));
  });
}

Result<backend::ProgramId> ProgramTable::load(const ProgramImage& image) {
  auto program = std::make_unique<Program>();
  PINTLE_ASSIGN(built, compile(image, found_, context_));
  program->program = std::move(built);
  const std::string what = fmt::format("loading {}", name_of(image));
  std::vector<UntoldSize> untold;
  bool are_told = true;
  for (const Entry& entry : image.entries) {
    Kernel& kernel = *program->kernels.emplace_back(std::make_unique<Kernel>(entry, program->program.get(), images_));
    auto examined = kernel.examine(entry, found_);
    if (examined) {
      std::ranges::move(examined->untold, std::back_inserter(untold));
      are_told &= examined->are_told;
    } else if (!lacks_kernel(examined.error()) || !kit::leave_out(image, entry.name, kit::not_in_code)) {
      return examined.error().during(what);
    }
  }
  const auto read = are_told ? Result<void>() : check_by_clang(image, found_);
  if (!read) return read.error().during(what);
  if (const auto sized = check_struct_sizes(image, found_, context_, untold); !sized) return sized.error().during(what);
  remember_comparison(image, found_);
  return all_.add(std::move(program));
}

void ProgramTable::let_go(std::uint64_t memory) noexcept {
  all_.for_each([&](const Program& program) {
    for (const auto& kernel : program.kernels) kernel->let_go(memory);
  });
}

}  // namespace pintle::opencl
