// Packs of several variants, and loads with options.
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/arrays.h"
#include "capi/bytes_objects.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/device_values.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/scalar_values.h"
#include "capi/structs.h"
#include "capi/values.h"
#include "capi/with.h"
#include "pintle/c/load.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

template <class Value>
Result<void> insert(std::map<std::string, Value>& values, const char* name, Value value, const char* what) {
  if (values.emplace(name, std::move(value)).second) return {};
  return Error(Errc::invalid_argument, fmt::format("The {} ({}) is there twice.", what, name));
}

static_assert(sizeof(pintle_constant::value) == sizeof(Scalar::bytes));

Result<LoadOptions> options_of(const pintle_load_options* options) {
  LoadOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_load_options"));
  PINTLE_TRY(for_each(in->constants, in->constant_count, "pintle_constant",
                      [&](const pintle_constant& constant) -> Result<void> {
                        PINTLE_TRY(given(constant.name, "pintle_constant.name"));
                        PINTLE_ASSIGN(value, scalar_of(constant.dtype, &constant.value));
                        return insert(out.constants, constant.name, value, "constant");
                      }));
  PINTLE_TRY(for_each(in->macros, in->macro_count, "pintle_macro", [&](const pintle_macro& macro) -> Result<void> {
    PINTLE_TRY(given(macro.name, "pintle_macro.name"));
    PINTLE_TRY(given(macro.text, "pintle_macro.text"));
    return insert(out.macros, macro.name, std::string(macro.text), "macro");
  }));
  PINTLE_ASSIGN(folders,
                texts_of<std::filesystem::path>(in->include_folders, in->include_folder_count, "include_folders"));
  out.include_folders = std::move(folders);
  if (in->language != nullptr) out.language = in->language;
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.timeout = timeout;
  return out;
}

}  // namespace

pintle_status pintle_pack_source_named(const char* name, const char* format, const void* code, size_t size,
                                       const char* const* signatures, size_t count, pintle_pack* pack,
                                       pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(format, "format"));
    PINTLE_TRY(given(code, "code"));
    PINTLE_TRY(given(pack, "pack"));
    PINTLE_ASSIGN(entries, texts_of<std::string_view>(signatures, count, "signatures"));
    const std::string_view text(static_cast<const char*>(code), size);
    PINTLE_ASSIGN(made, ProgramPack::source(format, text, entries, name));
    return make(pack, std::move(made));
  });
}

pintle_status pintle_pack_merge(pintle_pack first, pintle_pack second, pintle_pack* pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(pack, "pack"));
    PINTLE_ASSIGN(front, use(first));
    PINTLE_ASSIGN(back, use(second));
    ProgramPack merged = front->with(*back);
    if (merged.variants().empty()) return Error(Errc::out_of_memory, "Host memory ran out.");
    return make(pack, std::move(merged));
  });
}

pintle_status pintle_pack_serialize(pintle_pack pack, pintle_bytes* bytes, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(bytes, "bytes"));
    PINTLE_ASSIGN(its, use(pack));
    PINTLE_ASSIGN(file, its->serialize());
    return make(bytes, std::string(reinterpret_cast<const char*>(file.data()), file.size()));
  });
}

pintle_status pintle_device_format_count(pintle_device device, size_t* count, pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_count(its.info().formats, count); });
}

pintle_status pintle_device_format_name(pintle_device device, size_t index, const char** name, pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_text(its.info().formats, "format", index, name); });
}

pintle_status pintle_device_absent_format_count(pintle_device device, size_t* count, pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_count(its.info().absent_formats, count); });
}

pintle_status pintle_device_absent_format(pintle_device device, size_t index, pintle_absent_format* format,
                                          pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_absent_format(its.info(), index, format); });
}

pintle_status pintle_device_target_count(pintle_device device, size_t* count, pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_count(its.info().better_targets, count); });
}

pintle_status pintle_device_target_name(pintle_device device, size_t index, const char** name, pintle_error* error) {
  return with(device, error,
              [&](const Device& its) { return answer_text(its.info().better_targets, "target", index, name); });
}

pintle_status pintle_device_takes(pintle_device device, pintle_pack pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(variants, use(pack));
    return takes(its->info(), *variants);
  });
}

pintle_status pintle_device_list_takes(pintle_device_list list, size_t index, pintle_pack pack, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(list));
    PINTLE_ASSIGN(variants, use(pack));
    PINTLE_TRY(within(index, its->devices.size(), "device"));
    return takes(its->devices[index], *variants);
  });
}

pintle_status pintle_program_load_with(pintle_device device, pintle_pack pack, const pintle_load_options* options,
                                       pintle_program* program, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(program, "program"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(variants, use(pack));
    PINTLE_ASSIGN(loaded, its->load(*variants, how));
    return make(program, std::move(loaded));
  });
}

pintle_status pintle_kernel_load(pintle_device device, pintle_pack pack, const char* entry, pintle_kernel* kernel,
                                 pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(entry, "entry"));
    PINTLE_TRY(given(kernel, "kernel"));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(variants, use(pack));
    PINTLE_ASSIGN(loaded, its->load(*variants, std::string_view(entry)));
    return make(kernel, std::move(loaded));
  });
}
