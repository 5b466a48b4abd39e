// What packs, programs and kernels say of themselves.
#include <fmt/format.h>
#include <span>
#include <string>

#include "capi/bytes_objects.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "pintle/c/reflection.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

static_assert(PINTLE_PARAMETER_TEXEL_BUFFER == static_cast<int>(Parameter::Kind::texel_buffer));

template <class T>
Result<const T*> nth(std::span<const T> items, std::size_t index, const char* what) {
  PINTLE_TRY(within(index, items.size(), what));
  return &items[index];
}

Result<const Entry*> entry_of(const ProgramPack& pack, std::size_t variant, std::size_t entry) {
  PINTLE_ASSIGN(found, nth(pack.variants(), variant, "variant"));
  return nth(std::span<const Entry>(found->entries), entry, "entry");
}

Result<const Entry*> entry_of(const Program& program, std::size_t entry) {
  return nth(program.entries(), entry, "entry");
}

Result<const Parameter*> parameter_of(const Entry& entry, std::size_t parameter) {
  return nth(std::span<const Parameter>(entry.parameters), parameter, "parameter");
}

std::uint32_t count_of(std::size_t count) noexcept { return static_cast<std::uint32_t>(count); }

Result<void> describe(pintle_entry_info* info, const Entry& entry) {
  PINTLE_ASSIGN(out, writable(info, "pintle_entry_info"));
  out->parameter_count = count_of(entry.parameters.size());
  out->name = entry.name.c_str();
  out->group_size[0] = entry.group_size.x;
  out->group_size[1] = entry.group_size.y;
  out->group_size[2] = entry.group_size.z;
  out->subgroup_size = entry.subgroup_size;
  for (std::size_t side = 0; side < entry.group_constants.size(); ++side) {
    const std::string& constant = entry.group_constants[side];
    out->group_constants[side] = constant.empty() ? nullptr : constant.c_str();
  }
  out->local_bytes = entry.local_bytes;
  return {};
}

void describe_shape(pintle_parameter_info& info, std::span<const Side> shape) noexcept {
  info.rank = count_of(shape.size());
  for (std::size_t i = 0; i < Shape::max_rank; ++i) {
    const bool is_scalar = i < shape.size() && !shape[i].scalar.empty();
    info.sides[i] = i < shape.size() && !is_scalar ? shape[i].size : 0;
    info.side_scalars[i] = is_scalar ? shape[i].scalar.c_str() : nullptr;
  }
}

Result<void> describe(pintle_parameter_info* info, const Entry& entry, std::size_t index) {
  PINTLE_ASSIGN(out, writable(info, "pintle_parameter_info"));
  PINTLE_ASSIGN(parameter, parameter_of(entry, index));
  out->kind = static_cast<std::uint32_t>(parameter->kind);
  out->name = parameter->name.c_str();
  out->dtype = static_cast<std::uint32_t>(parameter->dtype);
  out->access = static_cast<std::uint32_t>(parameter->access);
  out->alignment = parameter->alignment;
  out->bytes = parameter->bytes;
  out->lanes = parameter->lanes;
  out->member_count = count_of(parameter->members.size());
  out->dimensions = parameter->dimensions;
  out->is_sampled = parameter->is_sampled ? 1 : 0;
  out->is_optional = parameter->is_optional ? 1 : 0;
  out->texel = parameter->texel ? static_cast<std::uint32_t>(*parameter->texel) : 0;
  describe_shape(*out, parameter->shape);
  return {};
}

Result<void> describe(pintle_member_info* info, const Entry& entry, std::size_t parameter, std::size_t index) {
  PINTLE_ASSIGN(out, writable(info, "pintle_member_info"));
  PINTLE_ASSIGN(of, parameter_of(entry, parameter));
  PINTLE_ASSIGN(member, nth(std::span<const Member>(of->members), index, "member"));
  out->dtype = static_cast<std::uint32_t>(member->dtype);
  out->name = member->name.c_str();
  out->lanes = member->lanes;
  out->offset = member->offset;
  return {};
}

Result<void> write_signature(pintle_bytes* out, const Entry& entry) {
  PINTLE_TRY(given(out, "signature"));
  std::string text = entry.signature();
  if (text.empty()) return Error(Errc::out_of_memory, "Host memory ran out.");
  return make(out, std::move(text));
}

/// `body(entry)` for an entry of a pack.
template <class Body>
pintle_status with_entry(pintle_pack pack, std::size_t variant, std::size_t entry, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(pack));
    PINTLE_ASSIGN(found, entry_of(*its, variant, entry));
    return body(*found);
  });
}

template <class Body>
pintle_status with_entry(pintle_program program, std::size_t entry, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(program));
    PINTLE_ASSIGN(found, entry_of(*its, entry));
    return body(*found);
  });
}

template <class Body>
pintle_status with_entry(pintle_kernel kernel, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(kernel));
    return body(its->entry());
  });
}

}  // namespace

pintle_status pintle_pack_get_info(pintle_pack pack, pintle_pack_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_pack_info"));
    PINTLE_ASSIGN(its, use(pack));
    out->variant_count = count_of(its->variants().size());
    out->name = its->name().data();
    return {};
  });
}

pintle_status pintle_pack_variant(pintle_pack pack, size_t variant, pintle_variant_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_variant_info"));
    PINTLE_ASSIGN(its, use(pack));
    PINTLE_ASSIGN(found, nth(its->variants(), variant, "variant"));
    out->entry_count = count_of(found->entries.size());
    out->format = found->format.c_str();
    out->target = found->target.c_str();
    out->code_bytes = found->code_bytes;
    return {};
  });
}

pintle_status pintle_pack_entry(pintle_pack pack, size_t variant, size_t entry, pintle_entry_info* info,
                                pintle_error* error) {
  return with_entry(pack, variant, entry, error, [&](const Entry& its) { return describe(info, its); });
}

pintle_status pintle_pack_parameter(pintle_pack pack, size_t variant, size_t entry, size_t parameter,
                                    pintle_parameter_info* info, pintle_error* error) {
  return with_entry(pack, variant, entry, error, [&](const Entry& its) { return describe(info, its, parameter); });
}

pintle_status pintle_pack_member(pintle_pack pack, size_t variant, size_t entry, size_t parameter, size_t member,
                                 pintle_member_info* info, pintle_error* error) {
  return with_entry(pack, variant, entry, error,
                    [&](const Entry& its) { return describe(info, its, parameter, member); });
}

pintle_status pintle_pack_signature(pintle_pack pack, size_t variant, size_t entry, pintle_bytes* signature,
                                    pintle_error* error) {
  return with_entry(pack, variant, entry, error, [&](const Entry& its) { return write_signature(signature, its); });
}

pintle_status pintle_program_get_info(pintle_program program, pintle_program_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_program_info"));
    PINTLE_ASSIGN(its, use(program));
    out->entry_count = count_of(its->entries().size());
    out->format = its->format().data();
    return {};
  });
}

pintle_status pintle_program_entry(pintle_program program, size_t entry, pintle_entry_info* info, pintle_error* error) {
  return with_entry(program, entry, error, [&](const Entry& its) { return describe(info, its); });
}

pintle_status pintle_program_parameter(pintle_program program, size_t entry, size_t parameter,
                                       pintle_parameter_info* info, pintle_error* error) {
  return with_entry(program, entry, error, [&](const Entry& its) { return describe(info, its, parameter); });
}

pintle_status pintle_program_member(pintle_program program, size_t entry, size_t parameter, size_t member,
                                    pintle_member_info* info, pintle_error* error) {
  return with_entry(program, entry, error, [&](const Entry& its) { return describe(info, its, parameter, member); });
}

pintle_status pintle_program_signature(pintle_program program, size_t entry, pintle_bytes* signature,
                                       pintle_error* error) {
  return with_entry(program, entry, error, [&](const Entry& its) { return write_signature(signature, its); });
}

pintle_status pintle_kernel_get_info(pintle_kernel kernel, pintle_entry_info* info, pintle_error* error) {
  return with_entry(kernel, error, [&](const Entry& its) { return describe(info, its); });
}

pintle_status pintle_kernel_parameter(pintle_kernel kernel, size_t parameter, pintle_parameter_info* info,
                                      pintle_error* error) {
  return with_entry(kernel, error, [&](const Entry& its) { return describe(info, its, parameter); });
}

pintle_status pintle_kernel_member(pintle_kernel kernel, size_t parameter, size_t member, pintle_member_info* info,
                                   pintle_error* error) {
  return with_entry(kernel, error, [&](const Entry& its) { return describe(info, its, parameter, member); });
}

pintle_status pintle_kernel_signature(pintle_kernel kernel, pintle_bytes* signature, pintle_error* error) {
  return with_entry(kernel, error, [&](const Entry& its) { return write_signature(signature, its); });
}
