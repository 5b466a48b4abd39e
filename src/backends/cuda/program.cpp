#include "backends/cuda/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "kit/accesses.h"
#include "kit/left_out.h"
#include "kit/local_memory.h"
#include "kit/no_source.h"
#include "kit/program_name.h"

namespace pintle::cuda {
namespace {

using backend::ProgramImage;
using kit::name_of;
using vendor::cuda::FunctionAttribute;

constexpr std::size_t log_bytes = 16 << 10;

Error mismatch(const Entry& entry, std::string_view what, Errc code = Errc::invalid_argument) {
  return {code, fmt::format("Entry {} {}.", base::quote(entry.name), what)};
}

/// The sizes that a kernel may take a parameter in, the usual one first. A vector of three by value may have the place
/// of four, and local memory is the offset of its first byte in the group's dynamic memory.
std::vector<std::uint32_t> sizes_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::buffer: return {sizeof(DevicePointer)};
    case Parameter::Kind::local: return {sizeof(std::uint32_t), sizeof(std::uint64_t)};
    case Parameter::Kind::scalar: return {static_cast<std::uint32_t>(bytes_of(parameter.dtype))};
    case Parameter::Kind::value:
      if (parameter.lanes == 3) return {parameter.bytes, parameter.bytes / 3 * 4};
      return {parameter.bytes};
    default: return {};
  }
}

/// The sizes of a kernel's parameters: CUDA's driver tells them of PTX and of machine code, for HIP the code does.
Result<std::vector<std::uint32_t>> told_sizes(Context& context, vendor::cuda::Function function,
                                              const Code::Kernel* kernel) {
  std::vector<std::uint32_t> sizes;
  if (context.api().cuFuncGetParamInfo == nullptr) return kernel == nullptr ? sizes : kernel->sizes;
  while (true) {
    std::size_t offset = 0, size = 0;
    const Status status = context.api().cuFuncGetParamInfo(function, sizes.size(), &offset, &size);
    if (status == Status::CUDA_ERROR_INVALID_VALUE) return sizes;
    PINTLE_TRY(context.check(status, "cuFuncGetParamInfo"));
    sizes.push_back(static_cast<std::uint32_t>(size));
  }
}

/// The driver takes an argument of any size for what the kernel takes, so the declaration is compared here.
Result<void> compare(const Entry& entry, std::span<const std::uint32_t> told) {
  if (told.size() != entry.parameters.size()) {
    return mismatch(entry, fmt::format("takes ({}) parameters, and its signature declares ({})", told.size(),
                                       entry.parameters.size()));
  }
  for (std::size_t index = 0; index < told.size(); ++index) {
    const Parameter& parameter = entry.parameters[index];
    const auto sizes = sizes_of(parameter);
    if (sizes.empty())
      return mismatch(entry,
                      fmt::format("declares {} as a kind that the backend does not have", base::quote(parameter.name)));
    if (std::ranges::find(sizes, told[index]) != sizes.end()) continue;
    return mismatch(entry, fmt::format("takes parameter {} in ({}) bytes, and its signature declares ({})",
                                       base::quote(parameter.name), told[index], fmt::join(sizes, " or ")));
  }
  return {};
}

Result<std::uint32_t> attribute(Context& context, vendor::cuda::Function function, FunctionAttribute what) {
  int value = 0;
  PINTLE_TRY(context.call_plainly<&Calls::cuFuncGetAttribute>(&value, what, function));
  return static_cast<std::uint32_t>(std::max(0, value));
}

bool is_sized_by_launch(const Entry& entry) noexcept {
  return std::ranges::find(entry.parameters, Parameter::Kind::local, &Parameter::kind) != entry.parameters.end();
}

/// Above the default a kernel has to ask for dynamic memory before it is launched with it.
Result<void> ask_for_shared(Context& context, const Entry& entry, const Kernel& kernel) {
  const std::uint32_t most = kernel.most_shared - std::min(kernel.most_shared, kernel.own_shared);
  const std::uint32_t wanted = is_sized_by_launch(entry) ? most : kernel.shared;
  if (kernel.own_shared + wanted <= context.found().default_shared_bytes) return {};
  return context.call<&Calls::cuFuncSetAttribute>(kernel.function, FunctionAttribute::max_dynamic_shared_bytes,
                                                  static_cast<int>(std::min(most, wanted)));
}

/// What the program has instead; empty where nobody knows it.
std::string names_of(const Code& code) {
  if (!code.tells_kernels) return {};
  const auto names = code.kernels | std::views::transform(&Code::Kernel::name);
  return names.empty() ? ", which has (no kernels)" : fmt::format(", which has ({})", fmt::join(names, ", "));
}

Result<Kernel> kernel_of(Context& context, const Entry& entry, vendor::cuda::Module module, const Code& code) {
  Kernel kernel{.function = nullptr, .name = entry.name, .group = entry.group_size, .sizes = {}};
  const Status found = context.ask<&Calls::cuModuleGetFunction>(&kernel.function, module, entry.name.c_str());
  if (found == Status::CUDA_ERROR_NOT_FOUND)
    return context.platform().failure(
        found, fmt::format("Entry {} is not in the program{}.", base::quote(entry.name), names_of(code)));
  PINTLE_TRY(context.check(found, "cuModuleGetFunction"));
  const auto text = std::ranges::find(code.kernels, entry.name, &Code::Kernel::name);
  const Code::Kernel* const own = text == code.kernels.end() ? nullptr : &*text;
  if (own != nullptr && !own->refusal.empty()) return mismatch(entry, own->refusal, Errc::unsupported);
  PINTLE_ASSIGN(sizes, told_sizes(context, kernel.function, own));
  PINTLE_TRY(compare(entry, sizes));
  kernel.sizes = std::move(sizes);
  PINTLE_ASSIGN(most_items, attribute(context, kernel.function, FunctionAttribute::max_threads_per_block));
  const std::uint64_t items = std::uint64_t{entry.group_size.x} * entry.group_size.y * entry.group_size.z;
  if (items > most_items)
    return mismatch(
        entry, fmt::format("has groups of ({}) items, and the compiled kernel runs ({}) at most", items, most_items));
  PINTLE_ASSIGN(own_shared, attribute(context, kernel.function, FunctionAttribute::shared_bytes));
  kernel.own_shared = own_shared;
  kernel.shared = entry.local_bytes - std::min(entry.local_bytes, own_shared);
  kernel.most_shared = context.found().info.limits.max_local_bytes;
  kernel.may_exceed = is_sized_by_launch(entry) || !kernel.check_shared({});
  PINTLE_TRY(ask_for_shared(context, entry, kernel));
  return kernel;
}

bool lacks_kernel(const Error& error) {
  return error.vendor() && error.vendor()->number == static_cast<std::int64_t>(Status::CUDA_ERROR_NOT_FOUND);
}

}  // namespace

Result<void> Kernel::check_shared(std::span<const backend::Argument> arguments) const {
  std::uint64_t bytes = std::uint64_t{own_shared} + shared_bytes(shared);
  for (const backend::Argument& argument : arguments)
    bytes += argument.kind == backend::Argument::Kind::local ? shared_bytes(argument.range.size) : 0;
  return kit::check_local_memory(bytes, name, own_shared, most_shared);
}

Result<void> check_shared(const backend::Commands& list) {
  return kit::check_launches(list, [&](const backend::Exec& exec) {
    const Kernel& kernel = Programs::at(exec.program).kernels[exec.entry];
    return kernel.may_exceed ? kernel.check_shared(list.of(exec)) : Result<void>();
  });
}

Result<Code> ProgramTable::code_of(const ProgramImage& image) const {
  const Platform& platform = context_.platform();
  const auto read = [&](std::string code) -> Result<Code> {
    auto made = platform.read(std::move(code), context_.found());
    return made ? std::move(made) : made.error().during(fmt::format("reading {}", name_of(image)));
  };
  if (image.format == platform.names().source) {
    PINTLE_ASSIGN(compiled, platform.compile(image, context_.found()));
    return read(std::move(compiled));
  }
  if (std::ranges::find(platform.names().code, image.format) != platform.names().code.end()) {
    PINTLE_TRY(kit::refuse_options(image));
    return read(std::string(base::text_in(image.code)));
  }
  return Error(Errc::unsupported,
               fmt::format("Format {} of {} is none of [{}]'s ({}).", base::quote(image.format), name_of(image),
                           context_.id(), fmt::join(context_.found().info.formats, ", ")));
}

/// A driver without contexts of our own keeps what it is not asked to give back.
ProgramTable::~ProgramTable() {
  if (context_.is_left()) return;
  unload_retired();
  all_.for_each([&](Program& program) { unload_module(program); });
}

Result<backend::ProgramId> ProgramTable::load(const ProgramImage& image) {
  PINTLE_ASSIGN(code, code_of(image));
  unload_retired();
  PINTLE_ASSIGN(module, load_module(image, code.image));
  auto program = std::make_unique<Program>(Program{module, {}});
  std::unique_lock lock(mutex_);
  retired_.reserve(++loaded_);  // so that unloading needs no memory
  lock.unlock();
  for (const Entry& entry : image.entries) {
    auto kernel = kernel_of(context_, entry, module, code);
    if (!kernel && lacks_kernel(kernel.error()) && kit::leave_out(image, entry.name, kit::not_in_code))
      kernel = Kernel{};
    if (!kernel) {
      lock.lock();
      retired_.push_back(std::move(program));
      return kernel.error().during(fmt::format("loading {}", name_of(image)));
    }
    program->kernels.push_back(*std::move(kernel));
  }
  return all_.add(std::move(program));
}

Result<vendor::cuda::Module> ProgramTable::load_module(const ProgramImage& image, const std::string& code) {
  std::string log(log_bytes, '\0');
  std::array options{vendor::cuda::JitOption::error_log, vendor::cuda::JitOption::error_log_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  vendor::cuda::Module module = nullptr;
  const Status status = context_.ask<&Calls::cuModuleLoadDataEx>(
      &module, code.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (status == Status::CUDA_SUCCESS) return module;
  log.resize(std::min(log.find('\0'), log.size()));
  const Platform& platform = context_.platform();
  Error error = platform.failure(status, fmt::format("{} does not load on [{}]: {}.{}{}", name_of(image), context_.id(),
                                                     platform.meaning_of(status), log.empty() ? "" : "\n", log));
  return error.code() == Errc::build_failed ? error : context_.check(status, "cuModuleLoadDataEx").error();
}

void ProgramTable::unload_retired() {
  std::vector<std::unique_ptr<Program>> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.reserve(loaded_);
    gone.swap(retired_);
    loaded_ -= gone.size();
  }
  for (const auto& program : gone) unload_module(*program);
}

void ProgramTable::unload_module(const Program& program) {
  static_cast<void>(context_.ask<&Calls::cuModuleUnload>(program.module));
}

void ProgramTable::unload(backend::ProgramId id) noexcept {
  std::unique_ptr<Program> gone = all_.remove(id);
  const std::lock_guard lock(mutex_);
  retired_.push_back(std::move(gone));
}

}  // namespace pintle::cuda
