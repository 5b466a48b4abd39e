// Signatures out of the JSON that Slang writes of a source.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/quote.h"
#include "cli/compilers/slang.h"
#include "io/json.h"

namespace pintle::cli {
namespace {

using io::JsonView;

constexpr std::array<std::pair<std::string_view, DType>, 11> scalars{{{"int8", DType::i8},
                                                                      {"uint8", DType::u8},
                                                                      {"int16", DType::i16},
                                                                      {"uint16", DType::u16},
                                                                      {"int32", DType::i32},
                                                                      {"uint32", DType::u32},
                                                                      {"int64", DType::i64},
                                                                      {"uint64", DType::u64},
                                                                      {"float16", DType::f16},
                                                                      {"float32", DType::f32},
                                                                      {"float64", DType::f64}}};

Error refused(std::string_view name, std::string_view what) {
  return {Errc::unsupported, fmt::format("Parameter {} of the Slang source is {}.", base::quote(name), what)};
}

Result<std::string> text_of(const JsonView& view, std::string_view key) {
  if (!view.has(key)) return std::string();
  PINTLE_ASSIGN(member, view.member(key));
  return member.text();
}

Result<DType> dtype_of(const JsonView& type, std::string_view name) {
  PINTLE_ASSIGN(scalar, text_of(type, "scalarType"));
  const auto* const found = std::ranges::find(scalars, scalar, &std::pair<std::string_view, DType>::first);
  if (found != scalars.end()) return found->second;
  return refused(name, fmt::format("of the type {}, which is no scalar that Pintle passes", base::quote(scalar)));
}

/// A buffer's element: a scalar, or a vector of 2 or 4, which has the scalars side by side on every target.
Result<DType> element_of(const JsonView& type, std::string_view name) {
  PINTLE_ASSIGN(kind, text_of(type, "kind"));
  if (kind == "scalar") return dtype_of(type, name);
  if (kind != "vector") return refused(name, fmt::format("a buffer whose element is a {}", kind));
  PINTLE_ASSIGN(count_view, type.member("elementCount"));
  PINTLE_ASSIGN(count, count_view.number());
  if (count != 2 && count != 4)
    return refused(name, fmt::format("a buffer of vectors of {}, whose size differs between targets", count));
  PINTLE_ASSIGN(element, type.member("elementType"));
  return dtype_of(element, name);
}

/// An image of two or three dimensions, alone or with its sampler. Slang knows no image that is only written.
Result<Parameter> image_of(const JsonView& view, const JsonView& type, const std::string& name) {
  PINTLE_ASSIGN(shape, text_of(type, "baseShape"));
  PINTLE_ASSIGN(access, text_of(type, "access"));
  PINTLE_ASSIGN(format, text_of(view, "format"));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> others{
      {{"array", "with layers"}, {"multisample", "with several samples for a texel"}, {"feedback", "with feedback"}}};
  for (const auto& [key, words] : others)
    if (type.has(key)) return refused(name, fmt::format("a {} {}", shape, words));
  if ((shape != "texture2D" && shape != "texture3D") || (!access.empty() && access != "readWrite"))
    return refused(name, fmt::format("a {} {}", shape, access));
  Parameter image{.name = name, .kind = Parameter::Kind::image};
  image.access = access.empty() ? Access::read : Access::read_write;
  image.dimensions = shape == "texture3D" ? 3 : 2;
  image.is_sampled = type.has("combined");
  if (format.empty()) return image;
  image.texel = parse_texel(format);
  return image.texel ? Result<Parameter>(std::move(image))
                     : refused(name, fmt::format("an image of the format {}", base::quote(format)));
}

Result<Parameter> buffer_of(const JsonView& type, const std::string& name) {
  PINTLE_ASSIGN(shape, text_of(type, "baseShape"));
  PINTLE_ASSIGN(access, text_of(type, "access"));
  const Access how = access.empty() ? Access::read : Access::read_write;
  if (shape == "byteAddressBuffer") return Parameter{name, Parameter::Kind::buffer, DType::u32, how};
  if (shape != "structuredBuffer" || (!access.empty() && access != "readWrite"))
    return refused(name, fmt::format("a resource of the kind {} {}", base::quote(shape), access));
  PINTLE_ASSIGN(result, type.member("resultType"));
  PINTLE_ASSIGN(dtype, element_of(result, name));
  return Parameter{name, Parameter::Kind::buffer, dtype, how};
}

Result<SlangParameter> parameter_of(const JsonView& view, const JsonView& type, SlangPlace place) {
  PINTLE_ASSIGN(name, text_of(view, "name"));
  PINTLE_ASSIGN(kind, text_of(type, "kind"));
  if (kind == "samplerState") return SlangParameter{{name, Parameter::Kind::sampler}, place, 0};
  if (kind == "resource") {
    PINTLE_ASSIGN(shape, text_of(type, "baseShape"));
    if (shape.starts_with("texture")) {
      PINTLE_ASSIGN(image, image_of(view, type, name));
      return SlangParameter{std::move(image), place, 0};
    }
    PINTLE_ASSIGN(buffer, buffer_of(type, name));
    return SlangParameter{std::move(buffer), place, 0};
  }
  if (kind != "scalar") return refused(name, fmt::format("a {} by value", kind));
  PINTLE_ASSIGN(dtype, dtype_of(type, name));
  return SlangParameter{{name, Parameter::Kind::scalar, dtype, Access::read}, place, 0};
}

/// The members of a block of push constants.
Result<std::vector<SlangParameter>> members_of(const JsonView& type, std::string_view name) {
  PINTLE_ASSIGN(element, type.member("elementType"));
  if (!element.has("fields")) return refused(name, "a block of constants that is no struct");
  PINTLE_ASSIGN(fields, element.member("fields"));
  PINTLE_ASSIGN(items, fields.items());
  std::vector<SlangParameter> members;
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(member_type, item.member("type"));
    PINTLE_ASSIGN(parameter, parameter_of(item, member_type, SlangPlace::block));
    PINTLE_ASSIGN(binding, item.member("binding"));
    PINTLE_ASSIGN(offset, binding.member("offset"));
    PINTLE_ASSIGN(bytes, offset.number());
    parameter.offset = bytes;
    members.push_back(std::move(parameter));
  }
  return members;
}

Result<std::vector<SlangParameter>> global_of(const JsonView& view) {
  PINTLE_ASSIGN(name, text_of(view, "name"));
  PINTLE_ASSIGN(type, view.member("type"));
  PINTLE_ASSIGN(binding, view.member("binding"));
  PINTLE_ASSIGN(kind, text_of(binding, "kind"));
  if (kind == "pushConstantBuffer") return members_of(type, name);
  PINTLE_ASSIGN(type_kind, text_of(type, "kind"));
  if (kind != "descriptorTableSlot" || (!type.has("baseShape") && type_kind != "samplerState"))
    return refused(name,
                   "a constant of the module; make it a parameter of the entry (`uniform`), or a member of a "
                   "[[vk::push_constant]] ConstantBuffer");
  PINTLE_ASSIGN(parameter, parameter_of(view, type, SlangPlace::global));
  return std::vector{std::move(parameter)};
}

/// Whether the entry uses the module's parameter: its SPIR-V has nothing else, and what the JSON says is of no use.
/// Constants of the module that stand alone share one variable.
Result<bool> is_used(const Code& module, const JsonView& global, const std::string& name) {
  PINTLE_ASSIGN(binding, global.member("binding"));
  PINTLE_ASSIGN(kind, text_of(binding, "kind"));
  return has_variable(module, kind == "uniform" ? "globalParams" : name);
}

Result<void> add_globals(const std::vector<JsonView>& globals, SlangEntry& made) {
  for (const JsonView& global : globals) {
    PINTLE_ASSIGN(name, text_of(global, "name"));
    PINTLE_ASSIGN(used, is_used(made.module, global, name));
    if (!used) continue;
    PINTLE_ASSIGN(parameters, global_of(global));
    made.parameters.insert(made.parameters.end(), parameters.begin(), parameters.end());
  }
  return {};
}

Result<void> add_own(const JsonView& entry, SlangEntry& made) {
  const bool has_block =
      std::ranges::find(made.parameters, SlangPlace::block, &SlangParameter::place) != made.parameters.end();
  PINTLE_ASSIGN(list, entry.member("parameters"));
  PINTLE_ASSIGN(items, list.items());
  for (const JsonView& item : items) {
    if (item.has("semanticName")) continue;  // the place of the item
    PINTLE_ASSIGN(type, item.member("type"));
    PINTLE_ASSIGN(parameter, parameter_of(item, type, SlangPlace::entry));
    if (has_block && parameter.parameter.kind == Parameter::Kind::scalar)
      return refused(parameter.parameter.name, "a second block of push constants, beside the module's");
    made.parameters.push_back(std::move(parameter));
  }
  return {};
}

Result<void> add_group(const JsonView& entry, Entry& made) {
  PINTLE_ASSIGN(list, entry.member("threadGroupSize"));
  PINTLE_ASSIGN(items, list.items());
  std::array<std::uint32_t, 3> sizes{1, 1, 1};
  for (std::size_t i = 0; i < std::min(items.size(), sizes.size()); ++i) {
    PINTLE_ASSIGN(size, items[i].number());
    sizes[i] = static_cast<std::uint32_t>(size);
  }
  made.group_size = {sizes[0], sizes[1], sizes[2]};
  return {};
}

Result<SlangEntry> entry_of(const std::vector<JsonView>& globals, const JsonView& view, Code module) {
  SlangEntry made;
  made.module = std::move(module);
  PINTLE_ASSIGN(name, text_of(view, "name"));
  made.entry.name = name;
  PINTLE_TRY(add_globals(globals, made));
  PINTLE_TRY(add_own(view, made));
  PINTLE_TRY(add_group(view, made.entry));
  for (const SlangParameter& each : made.parameters) made.entry.parameters.push_back(each.parameter);
  return made;
}

Result<std::vector<JsonView>> items_of(const JsonView& view, std::string_view key) {
  if (!view.has(key)) return std::vector<JsonView>();
  PINTLE_ASSIGN(list, view.member(key));
  return list.items();
}

/// One entry alone: only then does Slang say what it uses of the module.
Result<SlangEntry> read_entry(const io::PackSource& source, const std::string& name) {
  PINTLE_ASSIGN(output, run_slang(source, "spirv", name));
  PINTLE_ASSIGN(document, io::parse_json(output.reflection));
  const JsonView whole(document);
  PINTLE_ASSIGN(globals, items_of(whole, "parameters"));
  PINTLE_ASSIGN(views, items_of(whole, "entryPoints"));
  if (views.size() == 1) return entry_of(globals, views[0], std::move(output.code));
  return Error(Errc::build_failed, fmt::format("Slang describes {} entries instead of one.", views.size()));
}

Result<std::vector<std::string>> compute_entries(const io::PackSource& source) {
  PINTLE_ASSIGN(output, run_slang(source, "spirv"));
  PINTLE_ASSIGN(document, io::parse_json(output.reflection));
  PINTLE_ASSIGN(views, items_of(JsonView(document), "entryPoints"));
  std::vector<std::string> names;
  for (const JsonView& view : views) {
    PINTLE_ASSIGN(stage, text_of(view, "stage"));
    PINTLE_ASSIGN(name, text_of(view, "name"));
    if (stage == "compute") names.push_back(name);
  }
  return names;
}

Result<std::vector<SlangEntry>> read_entries(const io::PackSource& source) {
  PINTLE_ASSIGN(names, compute_entries(source));
  std::vector<SlangEntry> entries;
  for (const std::string& name : names) {
    auto entry = read_entry(source, name);
    if (!entry)
      return entry.error().during(
          fmt::format("reading the entry {} of {}", base::quote(name), base::quote(source.file)));
    entries.push_back(*std::move(entry));
  }
  return entries;
}

}  // namespace

// The signatures, the check of them and each format ask for the same source, and a run of Slang takes 0.2 s.
Result<std::vector<SlangEntry>> slang_entries(const io::PackSource& source) {
  struct Read {
    std::string text;
    std::vector<SlangEntry> entries;
  };
  static Read& last = *new Read;  // the command has one thread
  if (!last.text.empty() && last.text == source.text) return last.entries;
  PINTLE_ASSIGN(entries, read_entries(source));
  last = {source.text, entries};
  return entries;
}

}  // namespace pintle::cli
