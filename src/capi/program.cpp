// Packs, programs and kernels.
#include <string_view>

#include "capi/arrays.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_pack_open(const char* path, pintle_pack* pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(path, "path"));
    PINTLE_TRY(given(pack, "pack"));
    PINTLE_ASSIGN(read, ProgramPack::open(path));
    return make(pack, std::move(read));
  });
}

pintle_status pintle_pack_parse(const void* bytes, size_t size, pintle_pack* pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(bytes, "bytes"));
    PINTLE_TRY(given(pack, "pack"));
    PINTLE_ASSIGN(read, ProgramPack::parse(std::span(static_cast<const std::byte*>(bytes), size)));
    return make(pack, std::move(read));
  });
}

pintle_status pintle_pack_source(const char* format, const void* code, size_t size, const char* const* signatures,
                                 size_t count, pintle_pack* pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(format, "format"));
    PINTLE_TRY(given(code, "code"));
    PINTLE_TRY(given(pack, "pack"));
    PINTLE_ASSIGN(entries, texts_of<std::string_view>(signatures, count, "signatures"));
    PINTLE_ASSIGN(made, ProgramPack::source(format, std::string_view(static_cast<const char*>(code), size), entries));
    return make(pack, std::move(made));
  });
}

pintle_status pintle_pack_release(pintle_pack pack, pintle_error* error) {
  return enter(error, [&] { return release(pack); });
}

pintle_status pintle_program_load(pintle_device device, pintle_pack pack, pintle_program* program,
                                  pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(program, "program"));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(variants, use(pack));
    PINTLE_ASSIGN(loaded, its->load(*variants));
    return make(program, std::move(loaded));
  });
}

pintle_status pintle_program_entry_count(pintle_program program, size_t* count, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(count, "count"));
    PINTLE_ASSIGN(its, use(program));
    *count = its->entries().size();
    return {};
  });
}

pintle_status pintle_program_entry_name(pintle_program program, size_t index, const char** name, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_ASSIGN(its, use(program));
    const std::span<const Entry> entries = its->entries();
    PINTLE_TRY(within(index, entries.size(), "entry"));
    *name = entries[index].name.c_str();
    return {};
  });
}

pintle_status pintle_program_release(pintle_program program, pintle_error* error) {
  return enter(error, [&] { return release(program); });
}

pintle_status pintle_program_kernel(pintle_program program, const char* entry, pintle_kernel* kernel,
                                    pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(entry, "entry"));
    PINTLE_TRY(given(kernel, "kernel"));
    PINTLE_ASSIGN(its, use(program));
    PINTLE_ASSIGN(found, its->kernel(entry));
    return make(kernel, std::move(found));
  });
}

pintle_status pintle_kernel_release(pintle_kernel kernel, pintle_error* error) {
  return enter(error, [&] { return release(kernel); });
}
