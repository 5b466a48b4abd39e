#include "backends/opencl/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <vector>

#include "base/opencl_arguments.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle::opencl {
namespace {

using base::OpenClArgument;

/// The greatest argument by value, and one byte more.
constexpr std::array<std::byte, Entry::max_value_bytes + 1> nothing{};

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

template <class T>
std::optional<T> argument_value(cl_kernel kernel, std::size_t index, cl_kernel_arg_info what) {
  T value{};
  const auto place = static_cast<cl_uint>(index);
  return told_number(api().clGetKernelArgInfo(kernel, place, what, sizeof value, &value, nullptr), value);
}

std::string argument_text(cl_kernel kernel, std::size_t index, cl_kernel_arg_info what) {
  return told_text([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetKernelArgInfo(kernel, static_cast<cl_uint>(index), what, size, to, needed);
  });
}

/// What clSetKernelArg gets: a handle for a buffer, for local memory the least that it may have.
std::size_t argument_bytes(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::buffer:
    case Parameter::Kind::image:
    case Parameter::Kind::texel_buffer: return sizeof(cl_mem);
    case Parameter::Kind::sampler: return sizeof(cl_sampler);
    case Parameter::Kind::local: return bytes_of(parameter.dtype);
    default: return base::opencl_bytes(parameter);
  }
}

OpenClArgument::Space space_of(cl_kernel_arg_address_qualifier where) {
  using enum OpenClArgument::Space;
  switch (where) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return global;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return local;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return constant;
    default: return by_value;
  }
}

std::optional<Access> access_of(cl_kernel_arg_access_qualifier told) {
  switch (told) {
    case CL_KERNEL_ARG_ACCESS_READ_ONLY: return Access::read;
    case CL_KERNEL_ARG_ACCESS_WRITE_ONLY: return Access::write;
    case CL_KERNEL_ARG_ACCESS_READ_WRITE: return Access::read_write;
    default: return std::nullopt;
  }
}

/// What the driver tells of an argument; empty where it tells nothing, as of SPIR-V.
std::optional<OpenClArgument> argument_of(cl_kernel kernel, std::size_t index) {
  const auto where = argument_value<cl_kernel_arg_address_qualifier>(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
  if (!where) return std::nullopt;
  OpenClArgument argument;
  argument.name = argument_text(kernel, index, CL_KERNEL_ARG_NAME);
  argument.type = argument_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  argument.parsed = base::parse_opencl_type(argument.type);
  argument.space = space_of(*where);
  const auto qualifiers = argument_value<cl_kernel_arg_type_qualifier>(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER);
  const auto access = argument_value<cl_kernel_arg_access_qualifier>(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER);
  if (access) argument.access = access_of(*access);
  argument.is_const = qualifiers && (*qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0;
  return argument;
}

Result<std::size_t> count_of(cl_kernel kernel) {
  cl_uint count = 0;
  PINTLE_TRY(
      check(api().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo"));
  return std::size_t{count};
}

/// False where the driver tells their number alone.
Result<bool> check_arguments(const Entry& entry, cl_kernel kernel, std::size_t count) {
  std::vector<OpenClArgument> arguments;
  for (std::size_t index = 0; index < count; ++index) {
    auto argument = argument_of(kernel, index);
    if (!argument) break;
    arguments.push_back(*std::move(argument));
  }
  if (arguments.size() != count) {
    const std::size_t declared = entry.parameters.size();
    if (count == declared || (entry.local_bytes > 0 && count == declared + 1)) return false;
    return mismatch(
        entry, fmt::format("has ({}) arguments in the program, but ({}) parameters are declared", count, declared));
  }
  if (const auto wrong = base::difference(entry, arguments)) return mismatch(entry, *wrong);
  return true;
}

/// PoCL takes a struct of any size.
std::vector<UntoldSize> untold_sizes(const Entry& entry, cl_kernel kernel) {
  std::vector<UntoldSize> untold;
  for (std::size_t index = 0; index < entry.parameters.size(); ++index) {
    const Parameter& parameter = entry.parameters[index];
    if (parameter.kind != Parameter::Kind::value) continue;
    const auto argument = argument_of(kernel, index);
    if (!argument || argument->type.empty() || argument->parsed.kind == base::OpenClType::Kind::number) continue;
    const std::size_t wrong = argument_bytes(parameter) + 1;
    if (api().clSetKernelArg(kernel, static_cast<cl_uint>(index), wrong, nothing.data()) != CL_SUCCESS) continue;
    untold.push_back(
        {argument->type, base::opencl_bytes(parameter),
         fmt::format(
             "Entry {} has an argument that is by value ({}) for the parameter {}, declared as a value ({}): its "
             "size is not ({} bytes).",
             base::quote(entry.name), argument->type, base::quote(parameter.name), base::type_text(parameter),
             base::opencl_bytes(parameter))});
  }
  return untold;
}

/// What clSetKernelArg gets for a trial: a buffer may be null, and an image may not.
class Trial {
 public:
  static Result<Trial> of(const Parameter& parameter, Images& images) {
    Trial trial;
    const bool is_row = parameter.kind == Parameter::Kind::texel_buffer;
    if (is_row || parameter.kind == Parameter::Kind::image) {
      PINTLE_ASSIGN(image, images.stand_in(is_row ? 1 : parameter.dimensions));
      trial.handle_ = image;
    } else if (parameter.kind == Parameter::Kind::sampler) {
      PINTLE_ASSIGN(sampler, images.sampler({}));
      trial.handle_ = sampler;
    }
    trial.is_local_ = parameter.kind == Parameter::Kind::local;
    return trial;
  }
  [[nodiscard]] const void* value() const noexcept {
    if (is_local_) return nullptr;
    return handle_ != nullptr ? static_cast<const void*>(&handle_) : nothing.data();
  }

 private:
  void* handle_ = nullptr;
  bool is_local_ = false;
};

std::string_view word_of(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::image: return "image";
    case Parameter::Kind::texel_buffer: return "texel buffer";
    case Parameter::Kind::sampler: return "sampler";
    case Parameter::Kind::buffer: return "pointer";
    default: return "local memory";
  }
}

/// Sets each parameter once, so that the driver checks its size: also where it tells nothing else, as of SPIR-V.
Result<void> check_sizes(const Entry& entry, cl_kernel kernel, Images& images) {
  for (std::size_t index = 0; index < entry.parameters.size(); ++index) {
    const Parameter& parameter = entry.parameters[index];
    const auto kind = parameter.kind;
    const bool is_by_value = kind == Parameter::Kind::scalar || kind == Parameter::Kind::value;
    const std::size_t size = argument_bytes(parameter);
    PINTLE_ASSIGN(trial, Trial::of(parameter, images));
    const cl_int status = api().clSetKernelArg(kernel, static_cast<cl_uint>(index), size, trial.value());
    if (status == CL_SUCCESS) continue;
    if (is_by_value)
      return failure(
          status, fmt::format("Entry {} takes no value of ({} bytes) as the parameter {}, declared {}.",
                              base::quote(entry.name), size, base::quote(parameter.name), base::type_text(parameter)));
    return mismatch(entry, fmt::format("has no {} for the parameter {}, declared {}", word_of(kind),
                                       base::quote(parameter.name), base::type_text(parameter)));
  }
  return {};
}

/// OpenCL limits the bytes of all arguments together.
Result<void> check_bytes(const Entry& entry, const FoundDevice& found) {
  std::uint64_t bytes = 0;
  for (const Parameter& parameter : entry.parameters) bytes += argument_bytes(parameter);
  const std::uint64_t most = found.info.limits.max_scalar_bytes;
  if (bytes <= most) return {};
  return Error(Errc::unsupported, fmt::format("Entry {} has ({}) bytes of arguments, more than the limit ({}) of [{}].",
                                              base::quote(entry.name), bytes, most, found.info.id));
}

/// The local memory that the kernel declares itself: told before its arguments are set, which some drivers add.
Result<std::uint64_t> own_local_bytes(const Entry& entry, cl_kernel kernel, std::size_t count,
                                      const FoundDevice& found) {
  const auto told = group_value<cl_ulong>(kernel, found.device, CL_KERNEL_LOCAL_MEM_SIZE);
  if (!told || found.hides_limits) return 0;
  const std::uint64_t most = found.info.limits.max_local_bytes;
  const std::uint64_t given = count > entry.parameters.size() ? entry.local_bytes : 0;
  if (*told + given <= most) return std::uint64_t{*told};
  return mismatch(entry, fmt::format("has ({}) bytes of local memory, more than the limit ({}) of [{}]", *told + given,
                                     most, found.info.id));
}

/// What the kernel itself allows, which may be less than the device.
Result<void> check_group(const Entry& entry, cl_kernel kernel, const FoundDevice& found) {
  const Grid& group = entry.group_size;
  const std::uint64_t items = std::uint64_t{group.x} * group.y * group.z;
  const auto most = group_value<std::size_t>(kernel, found.device, CL_KERNEL_WORK_GROUP_SIZE);
  const auto multiple = group_value<std::size_t>(kernel, found.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  const bool is_told = most && !(found.hides_limits && most == multiple);
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

/// As the source asks (intel_reqd_sub_group_size), else as the driver chooses for such groups; 0 where it is not told.
std::size_t subgroup_of(const Entry& entry, cl_kernel kernel, cl_device_id device) {
  if (api().clGetKernelSubGroupInfo == nullptr) return 0;
  const std::array<std::size_t, 3> group{entry.group_size.x, entry.group_size.y, entry.group_size.z};
  const auto told = [&](cl_kernel_sub_group_info what, std::size_t bytes, const void* input) {
    std::size_t size = 0;
    const cl_int status =
        api().clGetKernelSubGroupInfo(kernel, device, what, bytes, input, sizeof size, &size, nullptr);
    return status == CL_SUCCESS ? size : 0;
  };
  const std::size_t compiled = told(CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, nullptr);
  return compiled != 0 ? compiled : told(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group.data());
}

Result<void> check_subgroup(const Entry& entry, cl_kernel kernel, const FoundDevice& found) {
  if (entry.subgroup_size == 0) return {};
  const std::size_t size = subgroup_of(entry, kernel, found.device);
  if (size == entry.subgroup_size) return {};
  if (size == 0)
    return mismatch(entry, fmt::format("is declared with subgroups of ({}) items, and [{}] does not tell what the "
                                       "kernel has",
                                       entry.subgroup_size, found.info.id));
  return mismatch(entry, fmt::format("has subgroups of ({}) items on [{}], but subgroups of ({}) are declared; the "
                                     "attribute intel_reqd_sub_group_size decides them",
                                     size, found.info.id, entry.subgroup_size));
}

}  // namespace

Error mismatch(const Entry& entry, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("Entry {} {}.", base::quote(entry.name), what)};
}

Result<Comparison> compare(const Entry& entry, cl_kernel kernel, const FoundDevice& found, Images& images) {
  PINTLE_ASSIGN(count, count_of(kernel));
  PINTLE_TRY(check_images(entry, found));
  PINTLE_TRY(check_bytes(entry, found));
  PINTLE_ASSIGN(are_told, check_arguments(entry, kernel, count));
  PINTLE_ASSIGN(local, own_local_bytes(entry, kernel, count, found));
  PINTLE_TRY(check_sizes(entry, kernel, images));
  PINTLE_TRY(check_group(entry, kernel, found));
  PINTLE_TRY(check_subgroup(entry, kernel, found));
  return Comparison{count, local, are_told, untold_sizes(entry, kernel)};
}

}  // namespace pintle::opencl
