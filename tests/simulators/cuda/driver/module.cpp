// Modules: PTX is checked as the card's driver checks it, and the object behind it is opened.
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

constexpr int newest_ptx = 90;  // lines 539 and 540
constexpr int architecture = 90;
/// What threadIdx and so on take of an object's thread-local memory.
constexpr std::size_t place_bytes = sizeof(ItemPlace);

/// "sm_90", "sm_90a": the number, and 0 for what is no target.
int number_of_target(std::string_view target) {
  return target.starts_with("sm_") ? std::atoi(std::string(target.substr(3)).c_str()) : 0;
}

/// Whether this card runs code for the target (lines 542 to 548).
bool fits(std::string_view target) {
  const int number = number_of_target(target);
  const bool is_special = target.ends_with('a');
  return number >= 10 && (is_special ? number == architecture : number <= architecture);
}

/// What the driver says of an image; the words go to the log.
Status examine(const Image& image, std::string& log) {
  if (image.version == 0) return Status::CUDA_ERROR_INVALID_IMAGE;  // lines 550 and 551
  if (image.version > newest_ptx) {                                 // lines 538, 540, 541
    log = "ptxas application ptx input, line 1; fatal   : Unsupported .version; current version is '9.0'";
    return Status::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  if (!fits(image.target)) {
    log = "ptxas fatal   : SM version specified by .target (" + image.target + ") does not fit sm_90";
    return Status::CUDA_ERROR_INVALID_PTX;
  }
  if (image.is_whole) return Status::CUDA_SUCCESS;
  log = "ptxas fatal   : Parsing error or unresolved extern function";  // lines 549 and 554
  return Status::CUDA_ERROR_INVALID_PTX;
}

/// The thread-local memory of an object: the shared memory of its kernels, since each group has a thread to itself.
std::size_t thread_local_bytes(std::span<const std::byte> object) {
  Elf64_Ehdr header{};
  if (object.size() < sizeof header) return 0;
  std::memcpy(&header, object.data(), sizeof header);
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, object.data() + header.e_phoff + index * sizeof segment, sizeof segment);
    if (segment.p_type == PT_TLS) return segment.p_memsz;
  }
  return 0;
}

/// Opens the object under a name that the loader has never seen.
bool open_object(Module module) {
  static std::atomic<unsigned> last{0};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("pintle-simulated-" + std::to_string(::getpid()) + "-" + std::to_string(++last) + ".so");
  const auto& object = module->image.object;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  module->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (module->library == nullptr) return false;
  module->host = static_cast<const HostModule*>(::dlsym(module->library, "pintle_simulator_module"));
  const std::size_t bytes = thread_local_bytes(object);
  module->shared_bytes = bytes - std::min(bytes, place_bytes);
  return module->host != nullptr;
}

void give_log(const std::string& log, unsigned count, const vendor::cuda::JitOption* options, void** values) {
  char* to = nullptr;
  std::size_t size = 0;
  for (unsigned index = 0; index < count; ++index) {
    if (options[index] == vendor::cuda::JitOption::error_log) to = static_cast<char*>(values[index]);
    if (options[index] == vendor::cuda::JitOption::error_log_bytes)
      size = reinterpret_cast<std::uintptr_t>(values[index]);
  }
  if (to != nullptr && size != 0) std::snprintf(to, size, "%s", log.c_str());
}

const HostEntry* host_entry(Module module, std::string_view name) {
  if (module->host == nullptr) return nullptr;
  const std::span all(module->host->entries, module->host->entry_count);
  const auto found = std::ranges::find(all, name, [](const HostEntry& entry) { return std::string_view(entry.name); });
  return found == all.end() ? nullptr : &*found;
}

bool is_dead(Function function) { return function == nullptr || !function->module->is_alive; }

}  // namespace

Status load_image(Lock& lock, Image image, Module* loaded) {
  auto module = std::make_unique<vendor::cuda::ModuleObject>();
  module->context = current();
  module->image = std::move(image);
  wait_for_kernels(lock);  // lines 294 and 297
  if (!module->image.object.empty() && !open_object(module.get())) return Status::CUDA_ERROR_INVALID_IMAGE;
  *loaded = module.release();
  return Status::CUDA_SUCCESS;
}

std::vector<std::size_t> offsets_of(const std::vector<ParameterLayout>& parameters, std::size_t& size) {
  std::vector<std::size_t> offsets;
  size = 0;
  for (const ParameterLayout& parameter : parameters) {
    size = (size + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    offsets.push_back(size);
    size += parameter.size;
  }
  return offsets;
}

}  // namespace pintle::simulator

using namespace pintle::simulator;
using pintle::vendor::cuda::FunctionAttribute;
using pintle::vendor::cuda::JitOption;

PINTLE_SIMULATED Status cuModuleLoadDataEx(Module* loaded, const void* code, unsigned count, JitOption* options,
                                           void** values) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 163
  const std::string_view text(static_cast<const char*>(code));
  if (text.starts_with("\177ELF")) {  // line 533 for cubins of other cards; there are none for this one
    return text.size() > 4 ? Status::CUDA_ERROR_NO_BINARY_FOR_GPU : Status::CUDA_ERROR_INVALID_IMAGE;
  }
  Image image = parse_image(text);
  std::string log;
  const Status status = examine(image, log);
  give_log(log, count, options, values);
  return status == Status::CUDA_SUCCESS ? load_image(lock, std::move(image), loaded) : status;
}

PINTLE_SIMULATED Status cuModuleUnload(Module module) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (module == nullptr || !module->is_alive) return Status::CUDA_ERROR_INVALID_HANDLE;  // line 1114
  wait_for_kernels(lock);                                                                // lines 296 and 347
  module->is_alive = false;
  if (module->library != nullptr) ::dlclose(module->library);
  module->image = {};
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuModuleGetFunction(Function* function, Module module, const char* name) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (module == nullptr || !module->is_alive) return Status::CUDA_ERROR_INVALID_HANDLE;
  const auto text = std::ranges::find(module->image.entries, std::string_view(name), &EntryText::name);
  if (text == module->image.entries.end()) return Status::CUDA_ERROR_NOT_FOUND;  // line 556
  auto made = std::make_unique<pintle::vendor::cuda::FunctionObject>();
  made->module = module;
  made->text = &*text;
  made->host = host_entry(module, name);
  *function = module->functions.emplace_back(std::move(made)).get();
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuFuncGetParamInfo(Function function, std::size_t index, std::size_t* offset,
                                           std::size_t* size) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (is_dead(function)) return Status::CUDA_ERROR_INVALID_HANDLE;
  const auto& parameters = function->text->parameters;
  if (index >= parameters.size()) return Status::CUDA_ERROR_INVALID_VALUE;  // lines 562, 563, 569
  std::size_t all = 0;
  *offset = offsets_of(parameters, all)[index];  // lines 558 to 567
  *size = parameters[index].size;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (is_dead(function)) return Status::CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case FunctionAttribute::max_threads_per_block:
      *value = function->text->max_threads == 0 ? 1024 : function->text->max_threads;
      return Status::CUDA_SUCCESS;
    case FunctionAttribute::shared_bytes:
      *value = static_cast<int>(function->module->shared_bytes);
      return Status::CUDA_SUCCESS;
    case FunctionAttribute::max_dynamic_shared_bytes:
      *value = static_cast<int>(function->most_dynamic_shared);
      return Status::CUDA_SUCCESS;
    default: return Status::CUDA_ERROR_INVALID_VALUE;
  }
}

PINTLE_SIMULATED Status cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (is_dead(function)) return Status::CUDA_ERROR_INVALID_HANDLE;
  const bool is_known = attribute == FunctionAttribute::max_dynamic_shared_bytes;
  const std::size_t most = card::most_shared - std::min(card::most_shared, function->module->shared_bytes);
  if (!is_known || value < 0 || static_cast<std::size_t>(value) > most)
    return Status::CUDA_ERROR_INVALID_VALUE;  // line 203
  function->most_dynamic_shared = static_cast<std::size_t>(value);
  return Status::CUDA_SUCCESS;
}
