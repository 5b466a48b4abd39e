#include "backends/opencl/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"

namespace pintle::opencl {
namespace {

using backend::ProgramImage;

/// A number that the driver tells of a kernel; empty where it does not.
template <class T>
std::optional<T> told_number(cl_int status, const T& value) {
  return status == CL_SUCCESS ? std::optional(value) : std::nullopt;
}

template <class T>
std::optional<T> group_value(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what) {
  T value{};
  return told_number(api().clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, nullptr), value);
}

std::string_view name_of(cl_kernel_arg_address_qualifier where) {
  switch (where) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return "global";
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return "local";
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return "constant";
    default: return "private";
  }
}

Error mismatch(const Entry& entry, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("Entry {} {}.", base::quote(entry.name), what)};
}

/// What OpenCL C calls its numbers.
struct Number {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array numbers{Number{"short", 2}, Number{"ushort", 2}, Number{"half", 2},
                             Number{"int", 4},   Number{"uint", 4},   Number{"float", 4},
                             Number{"long", 8},  Number{"ulong", 8},  Number{"double", 8}};

/// The kernel's own parameters beside those of the declaration.
class Comparison {
 public:
  Comparison(const Entry& entry, cl_kernel kernel) : entry_(entry), kernel_(kernel) {}

  /// The number of arguments of the kernel, which may be one more for local memory.
  Result<std::size_t> count() const {
    cl_uint count = 0;
    PINTLE_TRY(
        check(api().clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo"));
    const std::size_t declared = entry_.parameters.size();
    const bool is_local_last = entry_.local_bytes > 0 && count == declared + 1;
    if (count == declared || is_local_last) return std::size_t{count};
    return mismatch(
        entry_, fmt::format("has ({}) arguments in the program, but ({}) parameters are declared", count, declared));
  }

  Result<void> check_spaces(std::size_t count) const {
    for (std::size_t index = 0; index < count; ++index) {
      const auto where = space_of(index);
      if (where && !fits(index, *where)) return wrong_space(index, *where);
    }
    return {};
  }

  /// Refuses numbers of another size, where the driver tells types. Numbers of equal size pass: a kernel may move
  /// numbers that it does not understand, and bytes may be anything.
  Result<void> check_types() const {
    for (std::size_t index = 0; index < entry_.parameters.size(); ++index) {
      const Parameter& parameter = entry_.parameters[index];
      const std::string told = told_text([&](std::size_t size, void* to, std::size_t* needed) {
        return api().clGetKernelArgInfo(kernel_, static_cast<cl_uint>(index), CL_KERNEL_ARG_TYPE_NAME, size, to,
                                        needed);
      });
      const std::string_view item = std::string_view(told).substr(0, told.find_first_of(" *"));
      const auto* const known = std::ranges::find(numbers, item, &Number::name);
      const std::size_t declared = bytes_of(parameter.dtype);
      if (known == numbers.end() || declared == 1 || declared == known->bytes) continue;
      return mismatch(entry_, fmt::format("has an argument of type ({}) for the parameter {}, declared {}", told,
                                          base::quote(parameter.name), name(parameter.dtype)));
    }
    return {};
  }

  /// Sets each scalar once, so that the driver checks its size.
  Result<void> check_sizes() const {
    const std::array<std::byte, 8> nothing{};
    for (std::size_t index = 0; index < entry_.parameters.size(); ++index) {
      const Parameter& parameter = entry_.parameters[index];
      if (parameter.kind != Parameter::Kind::scalar) continue;
      const cl_int status =
          api().clSetKernelArg(kernel_, static_cast<cl_uint>(index), bytes_of(parameter.dtype), nothing.data());
      if (status == CL_SUCCESS) continue;
      return failure(status, fmt::format("Entry {} takes no value of ({} bytes) as the parameter {}, declared {}.",
                                         base::quote(entry_.name), bytes_of(parameter.dtype),
                                         base::quote(parameter.name), name(parameter.dtype)));
    }
    return {};
  }

 private:
  [[nodiscard]] std::optional<cl_kernel_arg_address_qualifier> space_of(std::size_t index) const {
    cl_kernel_arg_address_qualifier where = 0;
    return told_number(api().clGetKernelArgInfo(kernel_, static_cast<cl_uint>(index), CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                                sizeof where, &where, nullptr),
                       where);
  }

  [[nodiscard]] bool fits(std::size_t index, cl_kernel_arg_address_qualifier where) const {
    if (index == entry_.parameters.size()) return where == CL_KERNEL_ARG_ADDRESS_LOCAL;
    if (entry_.parameters[index].kind == Parameter::Kind::scalar) return where == CL_KERNEL_ARG_ADDRESS_PRIVATE;
    return where == CL_KERNEL_ARG_ADDRESS_GLOBAL || where == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  }

  [[nodiscard]] Error wrong_space(std::size_t index, cl_kernel_arg_address_qualifier where) const {
    if (index == entry_.parameters.size()) {
      return mismatch(entry_,
                      fmt::format("has a last argument that is {}, where local memory of ({} bytes) is declared",
                                  name_of(where), entry_.local_bytes));
    }
    const Parameter& parameter = entry_.parameters[index];
    const bool is_scalar = parameter.kind == Parameter::Kind::scalar;
    return mismatch(entry_, fmt::format("has an argument that is {} for the parameter {}, declared as a {}",
                                        name_of(where), base::quote(parameter.name), is_scalar ? "scalar" : "buffer"));
  }

  const Entry& entry_;
  const cl_kernel kernel_;
};

/// What the kernel itself allows, which may be less than the device.
Result<void> check_group(const Entry& entry, cl_kernel kernel, const FoundDevice& found) {
  const Grid& group = entry.group_size;
  const std::uint64_t items = std::uint64_t{group.x} * group.y * group.z;
  const auto most = group_value<std::size_t>(kernel, found.device, CL_KERNEL_WORK_GROUP_SIZE);
  const auto multiple = group_value<std::size_t>(kernel, found.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  const bool is_told = most && !(found.hides_group_limit && most == multiple);
  if (is_told && items > *most) {
    return mismatch(entry,
                    fmt::format("has groups of ({}) items, more than its limit ({}) on this device", items, *most));
  }
  using Sizes = std::array<std::size_t, 3>;
  const Sizes declared{group.x, group.y, group.z};
  const auto fixed = group_value<Sizes>(kernel, found.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  if (!fixed || *fixed == Sizes{} || *fixed == declared) return {};
  return mismatch(entry, fmt::format("is compiled for groups of ({}), but groups of ({}) are declared",
                                     fmt::join(*fixed, ","), fmt::join(declared, ",")));
}

/// The error names the kernels that the program has instead.
Error no_entry(const Entry& entry, cl_program program, cl_int status) {
  const std::string names = told_text([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, to, needed);
  });
  return failure(status, fmt::format("Entry {} is not in the program, which has ({}).", base::quote(entry.name),
                                     names.empty() ? "no kernels" : names));
}

}  // namespace

std::string name_of(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

Result<void> BoundKernel::set(std::uint32_t index, const backend::Range& range) {
  Memory& memory = Memories::at(range.memory);
  Value& value = values_[index];
  if (value.part != nullptr && memory.is(*value.part, range.offset, range.size)) return {};
  PINTLE_ASSIGN(part, memory.part(range.offset, range.size));
  const cl_mem object = part->object.get();
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, sizeof object, &object), "clSetKernelArg"));
  value.part = std::move(part);
  return {};
}

Result<void> BoundKernel::set(std::uint32_t index, DType dtype, const backend::Scalar& scalar) {
  Value& value = values_[index];
  const std::size_t size = bytes_of(dtype);
  if (value.is_set && std::memcmp(value.bytes.data(), scalar.bytes.data(), size) == 0) return {};
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, size, scalar.bytes.data()), "clSetKernelArg"));
  value.is_set = true;
  value.bytes = scalar.bytes;
  return {};
}

Result<void> BoundKernel::set_local(std::uint32_t index, std::uint32_t bytes) {
  if (values_[index].is_set) return {};
  PINTLE_TRY(check(api().clSetKernelArg(kernel_.get(), index, bytes, nullptr), "clSetKernelArg"));
  values_[index].is_set = true;
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

/// Some drivers hold an argument that was set, so it is set to nothing.
void BoundKernel::let_go(std::uint64_t memory) noexcept {
  for (std::size_t index = 0; index < values_.size(); ++index) {
    Value& value = values_[index];
    if (value.part == nullptr || value.part->memory != memory) continue;
    api().clSetKernelArg(kernel_.get(), static_cast<cl_uint>(index), sizeof(cl_mem), nullptr);
    value.part = nullptr;
  }
}

Kernel::Kernel(const Entry& entry, cl_program program)
    : program_(program), name_(entry.name), group_(entry.group_size), parameter_count_(entry.parameters.size()) {}

Result<std::unique_ptr<BoundKernel>> Kernel::create() const {
  cl_int status = CL_SUCCESS;
  Owned<cl_kernel> kernel(api().clCreateKernel(program_, name_.c_str(), &status));
  PINTLE_TRY(check(status, "clCreateKernel"));
  return std::make_unique<BoundKernel>(std::move(kernel), parameter_count_ + 1);
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

Result<void> Kernel::examine(const Entry& entry, const FoundDevice& found) {
  auto first = use();
  if (!first) {
    const auto& vendor = first.error().vendor();
    if (!vendor || vendor->number != CL_INVALID_KERNEL_NAME) return first.error();
    return no_entry(entry, program_, CL_INVALID_KERNEL_NAME);
  }
  const cl_kernel kernel = (**first).get();
  const Comparison comparison(entry, kernel);
  PINTLE_ASSIGN(count, comparison.count());
  PINTLE_TRY(comparison.check_spaces(count));
  PINTLE_TRY(comparison.check_sizes());
  PINTLE_TRY(comparison.check_types());
  PINTLE_TRY(check_group(entry, kernel, found));
  if (count > entry.parameters.size()) local_argument_bytes_ = entry.local_bytes;
  return {};
}

Result<backend::ProgramId> ProgramTable::load(const ProgramImage& image) {
  auto program = std::make_unique<Program>();
  PINTLE_ASSIGN(built, compile(image, found_, context_));
  program->program = std::move(built);
  for (const Entry& entry : image.entries) {
    auto kernel = std::make_unique<Kernel>(entry, program->program.get());
    if (auto examined = kernel->examine(entry, found_); !examined) {
      return examined.error().during(fmt::format("loading {}", name_of(image)));
    }
    program->kernels.push_back(std::move(kernel));
  }
  return all_.add(std::move(program));
}

void ProgramTable::let_go(std::uint64_t memory) noexcept {
  all_.for_each([&](const Program& program) {
    for (const auto& kernel : program.kernels) kernel->let_go(memory);
  });
}

}  // namespace pintle::opencl
