#include "backends/webgpu/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/webgpu/glsl.h"
#include "base/file.h"
#include "base/quote.h"
#include "kit/left_out.h"
#include "kit/no_source.h"
#include "spirv/descriptors.h"
#include "spirv/glsl_source.h"
#include "spirv/matching.h"
#include "spirv/places.h"
#include "wgsl/unit.h"

namespace pintle::webgpu {
namespace {

using spirv::DescriptorKind;

spirv::KernelLimits kernel_limits_of(const Abilities& abilities) {
  const wg::Limits& limits = abilities.limits;
  return {.push_bytes = abilities.push_bytes,
          .shared_bytes = limits.max_workgroup_storage,
          .uniform_bytes = static_cast<std::uint32_t>(
              std::min<std::uint64_t>(limits.max_uniform_binding, spirv::KernelLimits::none)),
          .storage_buffers = limits.max_storage_buffers,
          .uniform_blocks = limits.max_uniform_buffers,
          .storage_images = 0,
          .sampled_images = 0,
          .samplers = 0,
          .sets = limits.max_bind_groups,
          .bindings = limits.max_bindings_per_bind_group};
}

spirv::KernelMatcher matcher_of(const Context& context, const backend::ProgramImage& image) {
  return {image, kernel_limits_of(context.abilities()), [](const spirv::Module&) { return Result<void>(); },
          [&image](const std::string& entry, std::string reason) {
            return kit::leave_out(image, entry, std::move(reason));
          }};
}

/// The value of a constant as the code's type has it.
double number_of(const spirv::SpecConstant& constant, std::span<const std::byte> data) noexcept {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, data.data(), std::min(sizeof value, data.size()));
    return value;
  };
  using enum spirv::SpecConstant::Kind;
  switch (constant.kind) {
    case boolean:
    case unsigned_integer: return static_cast<double>(read(std::uint32_t{0}));
    case integer: return static_cast<double>(read(std::int32_t{0}));
    case floating: return constant.bits == 64 ? read(double{0}) : static_cast<double>(read(float{0}));
  }
  return 0;
}

/// A constant of 16 bits has the bits of a half, which no type here can read.
Result<double> value_of(const spirv::SpecConstant& constant, std::span<const std::byte> data, std::string_view kernel) {
  const bool is_odd = constant.bits != 32 && constant.bits != 1 &&
                      !(constant.bits == 64 && constant.kind == spirv::SpecConstant::Kind::floating);
  if (!is_odd) return number_of(constant, data);
  return Error(Errc::unsupported, fmt::format("{} has a constant {} of ({}) bits, which WebGPU does not set.", kernel,
                                              base::quote(constant.name), constant.bits));
}

Result<std::vector<PipelineConstant>> constants_of(const spirv::KernelCode& code,
                                                   std::span<const spirv::SpecConstant> known,
                                                   std::span<const std::string> keys) {
  std::vector<PipelineConstant> constants;
  for (const auto& value : code.specialization.values) {
    const auto found = std::ranges::find(known, value.spec_id, &spirv::SpecConstant::spec_id);
    const spirv::SpecConstant constant =
        found != known.end() ? *found
                             : spirv::SpecConstant{{}, value.spec_id, spirv::SpecConstant::Kind::unsigned_integer};
    const auto data = std::span(code.specialization.data).subspan(value.offset, value.size);
    PINTLE_ASSIGN(number, value_of(constant, data, code.text));
    constants.push_back({keys.empty() ? std::to_string(value.spec_id) : keys[value.spec_id], number});
  }
  return constants;
}

/// Whether all variables of the entry point that see the descriptor only read. Other entry points have others there.
bool is_only_read(const spirv::Module& module, const spirv::EntryPoint& entry, const spirv::Descriptor& at) {
  return std::ranges::all_of(module.bindings, [&](const spirv::Binding& binding) {
    const bool is_there = binding.set == at.set && binding.binding == at.binding;
    return !is_there || !binding.is_writable || !spirv::uses(module, entry, binding.id);
  });
}

/// SPIR-V in which every storage buffer may be written: the decorations NonWritable are left out.
std::vector<std::uint32_t> without_non_writable(std::span<const std::byte> code) {
  constexpr std::uint32_t decorate = 71, member_decorate = 72, non_writable = 24, header = 5;
  std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
  std::vector<std::uint32_t> kept(words.begin(), words.begin() + header);
  for (std::size_t at = header; at < words.size();) {
    const std::uint32_t length = words[at] >> 16, operation = words[at] & 0xffff;
    const std::size_t place = at + (operation == member_decorate ? 3 : 2);
    const bool is_dropped = (operation == decorate || operation == member_decorate) && words[place] == non_writable;
    if (!is_dropped)
      kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                  words.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  return kept;
}

wg::ShaderModule create_module(const Context& context, std::string_view wgsl) {
  wg::WgslSource source;
  source.code = wgsl;
  const wg::Labelled wanted{&source.chain, {}};
  return context.api.DeviceCreateShaderModule(context.device(), &wanted);
}

wg::ShaderModule create_module(const Context& context, std::span<const std::uint32_t> words) {
  wg::SpirvSource source;
  source.words = static_cast<std::uint32_t>(words.size());
  source.code = words.data();
  const wg::Labelled wanted{&source.chain, {}};
  return context.api.DeviceCreateShaderModule(context.device(), &wanted);
}

std::shared_ptr<const Owned<wg::ShaderModule>> shared(const Context& context, wg::ShaderModule module) {
  return std::make_shared<const Owned<wg::ShaderModule>>(context.api, module);
}

/// What the implementation says of code is what the compiler says.
Error refused(std::string_view what, const Error& error) {
  if (error.code() != Errc::internal) return error;
  return {Errc::build_failed, fmt::format("{} does not compile: {}", what, error.message())};
}

/// One entry of several may need what an implementation does not take of SPIR-V, such as addresses.
std::string left_out_words(const Error& error) {
  return fmt::format("is in code that the implementation does not take: {}", error.message());
}

}  // namespace

Result<const Pipeline*> Kernel::pipeline(const Context& context, bool writes_all) {
  const bool is_other = writes_all && std::ranges::find(is_read_only, true) != is_read_only.end();
  Pipeline& wanted = is_other ? writing_ : plain_;
  if (!wanted.pipeline) PINTLE_TRY(build(context, is_other, wanted));
  return &wanted;
}

Result<void> Kernel::create_groups(const Context& context, bool writes_all, Pipeline& made) const {
  std::vector<std::vector<wg::LayoutEntry>> groups;
  const auto add = [&](const spirv::Descriptor& place, wg::BufferBinding type) {
    if (groups.size() <= place.set) groups.resize(place.set + std::size_t{1});
    wg::LayoutEntry entry;
    entry.binding = place.binding;
    entry.buffer.type = type;
    groups[place.set].push_back(entry);
  };
  for (std::size_t index = 0; index < descriptors.size(); ++index) {
    const bool only_reads = is_read_only[index] && !writes_all;
    add(descriptors[index], descriptors[index].kind == DescriptorKind::uniform_block ? wg::BufferBinding::uniform
                            : only_reads ? wg::BufferBinding::read_only_storage
                                         : wg::BufferBinding::storage);
  }
  if (scalar_source == spirv::ScalarSource::uniform) add(scalar_block, wg::BufferBinding::uniform);
  for (const auto& entries : groups) {
    wg::BindGroupLayoutDescriptor wanted;
    wanted.count = entries.size();
    wanted.entries = entries.data();
    made.groups.emplace_back(context.api, context.api.DeviceCreateBindGroupLayout(context.device(), &wanted));
    if (!made.groups.back()) return Error(Errc::out_of_memory, "The device makes no layout of a group.");
  }
  return {};
}

Result<void> Kernel::build(const Context& context, bool writes_all, Pipeline& made) const {
  Pipeline fresh;
  PINTLE_TRY(create_groups(context, writes_all, fresh));
  std::vector<wg::BindGroupLayout> groups;
  for (const auto& group : fresh.groups) groups.push_back(group.get());
  wg::PipelineLayoutDescriptor layout;
  layout.count = groups.size();
  layout.groups = groups.data();
  layout.immediate_size = scalar_source == spirv::ScalarSource::push ? scalar_bytes : 0;
  fresh.layout = {context.api, context.api.DeviceCreatePipelineLayout(context.device(), &layout)};
  if (!fresh.layout) return Error(Errc::out_of_memory, "The device makes no layout of a pipeline.");
  std::vector<wg::ConstantEntry> values;
  for (const PipelineConstant& constant : constants) {
    wg::ConstantEntry value;
    value.key = std::string_view(constant.key);
    value.value = constant.value;
    values.push_back(value);
  }
  Owned<wg::ShaderModule> writing;
  if (writes_all) writing = {context.api, create_module(context, writing_text_)};
  wg::ComputePipelineDescriptor wanted;
  wanted.layout = fresh.layout.get();
  wanted.compute.module = writes_all ? writing.get() : module_->get();
  wanted.compute.entry_point = std::string_view(entry_point);
  wanted.compute.constant_count = values.size();
  wanted.compute.constants = values.data();
  if (wanted.compute.module != nullptr)
    fresh.pipeline = {context.api, context.api.DeviceCreateComputePipeline(context.device(), &wanted)};
  if (!fresh.pipeline) return Error(Errc::out_of_memory, fmt::format("The device makes no pipeline of {}.", text));
  made = std::move(fresh);
  return {};
}

Result<std::unique_ptr<Program>> Program::load(Context& context, const backend::ProgramImage& image) {
  auto program = std::make_unique<Program>();
  if (image.format == "wgsl") {
    PINTLE_TRY(program->load_wgsl(context, image));
  } else if (image.format == "spirv" || image.format == "glsl") {
    PINTLE_TRY(program->load_spirv(context, image));
  } else {
    return Error(Errc::unsupported,
                 fmt::format("Format {} of [Program {}] is none of the webgpu backend's (wgsl, spirv, glsl).",
                             base::quote(image.format), base::quote(image.name)));
  }
  PINTLE_TRY(program->check_subgroups(context, image));
  PINTLE_TRY(program->build(context));
  if (image.alignments != nullptr) {
    const std::uint32_t uniform = context.abilities().limits.min_uniform_alignment;
    for (std::uint32_t entry = 0; entry < image.entries.size(); ++entry) {
      std::size_t bound = 0;
      const auto& parameters = image.entries[entry].parameters;
      const auto& descriptors = program->kernels_[entry].descriptors;
      for (std::uint32_t index = 0; index < parameters.size() && bound < descriptors.size(); ++index) {
        if (!spirv::is_bound(parameters[index])) continue;
        if (descriptors[bound++].kind == DescriptorKind::uniform_block)
          image.alignments->push_back({entry, index, uniform});
      }
    }
  }
  return program;
}

/// The implementation reads the text first: its words on an error are the better ones.
Result<void> Program::load_wgsl(Context& context, const backend::ProgramImage& image) {
  PINTLE_TRY(kit::refuse_source_options(image));
  const std::string_view text = base::text_in(image.code);
  Catch failures(context);
  const Module module = shared(context, create_module(context, text));
  if (const auto read = failures.check("the code"); !read)
    return refused(fmt::format("[Program {}]", base::quote(image.name)), read.error());
  const auto unit = wgsl::read_unit(text);
  if (!unit) return unit.error().during(fmt::format("loading [Program {}]", base::quote(image.name)));
  PINTLE_ASSIGN(writing, wgsl::with_writable_buffers(text));
  spirv::KernelMatcher matcher = matcher_of(context, image);
  PINTLE_TRY(matcher.add(std::span(&unit->module, 1), image.entries));
  PINTLE_ASSIGN(found, matcher.finish());
  kernels_.resize(found.size());
  for (std::size_t index = 0; index < found.size(); ++index) {
    if (found[index].code.empty()) continue;  // left out
    Kernel& kernel = kernels_[index];
    static_cast<spirv::KernelInterface&>(kernel) = std::move(found[index].interface);
    PINTLE_ASSIGN(constants, constants_of(found[index], unit->module.constants, unit->keys));
    kernel.constants = std::move(constants);
    kernel.text = std::move(found[index].text);
    kernel.entry_point = std::move(found[index].entry_point);
    kernel.module_ = module;
    kernel.writing_text_ = writing;
    const auto entry = std::ranges::find(unit->module.entries, kernel.entry_point, &spirv::EntryPoint::name);
    for (const spirv::Descriptor& at : kernel.descriptors)
      kernel.is_read_only.push_back(at.kind == DescriptorKind::storage_buffer &&
                                    is_only_read(unit->module, *entry, at));
  }
  return {};
}

Result<void> Program::load_spirv(Context& context, const backend::ProgramImage& image) {
  spirv::KernelMatcher matcher = matcher_of(context, image);
  if (image.format == "spirv") {
    PINTLE_TRY(kit::refuse_source_options(image));
    PINTLE_TRY(matcher.add(image.code, image.entries));
  } else {
    for (const Entry& entry : image.entries) {
      const auto code = compile_glsl(image, entry);
      if (!code && !spirv::lacks_main(code.error())) return code.error();
      PINTLE_TRY(code ? matcher.add(*code, std::span(&entry, 1)) : matcher.add_missing(entry, code.error()));
    }
  }
  PINTLE_ASSIGN(found, matcher.finish());
  kernels_.resize(found.size());
  for (std::size_t index = 0; index < found.size(); ++index) {
    if (found[index].code.empty()) continue;  // left out
    Kernel& kernel = kernels_[index];
    PINTLE_ASSIGN(modules, spirv::read_modules(found[index].code));
    static_cast<spirv::KernelInterface&>(kernel) = std::move(found[index].interface);
    PINTLE_ASSIGN(constants, constants_of(found[index], modules.front().constants, {}));
    kernel.constants = std::move(constants);
    kernel.text = std::move(found[index].text);
    kernel.entry_point = std::move(found[index].entry_point);
    kernel.is_read_only.assign(kernel.descriptors.size(), false);
    const auto words = without_non_writable(found[index].code);
    Catch failures(context);
    Module module = shared(context, create_module(context, words));
    const auto read = failures.check("the code");
    if (!read && !kit::leave_out(image, image.entries[index].name, left_out_words(read.error())))
      return refused(kernel.text, read.error());
    if (read) kernel.module_ = std::move(module);
  }
  return {};
}

/// No code of WebGPU's chooses its subgroups: a size can be promised only where all of them have it.
Result<void> Program::check_subgroups(const Context& context, const backend::ProgramImage& image) {
  const Abilities& abilities = context.abilities();
  if (abilities.min_subgroup == abilities.max_subgroup) return {};
  for (std::size_t index = 0; index < kernels_.size(); ++index) {
    const Entry& entry = image.entries[index];
    Kernel& kernel = kernels_[index];
    if (kernel.module_ == nullptr || entry.subgroup_size == 0) continue;
    std::string reason =
        fmt::format("asks for subgroups of ({}) items, and the implementation chooses from ({}) to ({}) by itself",
                    entry.subgroup_size, abilities.min_subgroup, abilities.max_subgroup);
    if (!kit::leave_out(image, entry.name, reason))
      return Error(Errc::unsupported, fmt::format("{} {}.", kernel.text, reason));
    kernel.module_ = nullptr;
  }
  return {};
}

Result<void> Program::build(Context& context) {
  for (Kernel& kernel : kernels_) {
    if (kernel.module_ == nullptr) continue;  // left out
    Catch failures(context);
    const auto built = kernel.pipeline(context, false);
    const auto checked = failures.check("the pipeline");
    if (!checked) return refused(kernel.text, checked.error());
    if (!built) return built.error();
  }
  return {};
}

}  // namespace pintle::webgpu
