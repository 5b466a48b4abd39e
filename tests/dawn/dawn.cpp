// Dawn with C symbols, for tests. The wheel wgpudawn has Dawn inside a module of Python that exports nothing else: this
// library starts a Python in the process, imports the module, asks it for wgpuGetProcAddress, and exports what that
// finds under the names of webgpu.h, as a Dawn that is built as a library does.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

struct Text {  // WGPUStringView
  const char* data;
  std::size_t length;
};
using Find = void* (*)(Text name);

/// Where the wheel is installed.
constexpr const char* site = PINTLE_SITE_PACKAGES;

void* get_proc_address = nullptr;

/// Python is never ended: Dawn stays usable.
bool start_python() {
  void* const python = dlopen(PINTLE_PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (python == nullptr) return false;
  const auto is_there = reinterpret_cast<int (*)()>(dlsym(python, "Py_IsInitialized"));
  const auto start = reinterpret_cast<void (*)(int)>(dlsym(python, "Py_InitializeEx"));
  const auto run = reinterpret_cast<int (*)(const char*)>(dlsym(python, "PyRun_SimpleString"));
  const auto let_go = reinterpret_cast<void* (*)()>(dlsym(python, "PyEval_SaveThread"));
  if (is_there == nullptr || start == nullptr || run == nullptr || let_go == nullptr || is_there() != 0) return false;
  start(0);
  const std::string script =
      std::string("import sys\nsys.path.insert(0, '") + site +
      "')\ntry:\n  from wgpudawn._lib import _wgpu_dawn as m\n  import ctypes\n  ctypes.c_void_p.from_address(" +
      std::to_string(reinterpret_cast<std::uintptr_t>(&get_proc_address)) +
      ").value = int(m.ffi.cast('uintptr_t', m.ffi.addressof(m.lib, 'wgpuGetProcAddress')))\nexcept ImportError:\n  "
      "pass\n";
  run(script.c_str());
  let_go();
  return get_proc_address != nullptr;
}

}  // namespace

// One pointer for each function, and a symbol that jumps there: the arguments stay where the caller has put them.
#define REQUIRED(name, ...)                                                 \
  extern "C" {                                                              \
  __attribute__((visibility("hidden"))) void* pintle_dawn_##name = nullptr; \
  }                                                                         \
  asm(".globl wgpu" #name "\n.type wgpu" #name ", @function\nwgpu" #name    \
      ":\n"                                                                 \
      "  jmp *pintle_dawn_" #name "(%rip)\n.size wgpu" #name ", . - wgpu" #name);
#define OPTIONAL(name, ...)
#include "dawn_symbols.inc"
#undef REQUIRED

namespace {

extern "C" void* make_no_instance(const void*) { return nullptr; }

/// Without the wheel there is a library that makes no instance.
__attribute__((constructor)) void load() {
  pintle_dawn_CreateInstance = reinterpret_cast<void*>(&make_no_instance);
  if (!start_python()) return;
  const auto find = reinterpret_cast<Find>(get_proc_address);
#define REQUIRED(name, ...) pintle_dawn_##name = find({"wgpu" #name, sizeof("wgpu" #name) - 1});
#include "dawn_symbols.inc"
#undef REQUIRED
}

}  // namespace
