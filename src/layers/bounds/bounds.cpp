// Finds accesses of kernels outside of their bindings, and names kernel, parameter and offset.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/contain.h"
#include "kit/accesses.h"
#include "kit/borrowed.h"
#include "kit/moved_launch.h"
#include "kit/noted_list.h"
#include "kit/options.h"
#include "kit/supervised.h"
#include "spirv/instrument_image.h"

namespace pintle::layers {
namespace {

using backend::ProgramId;

/// How accesses outside of bindings are found on a device.
enum class Way : std::uint8_t { none, guards, shaders, patterns };

Way way_of(const DeviceInfo& info) {
  if (info.capability(Feature::execution).support == Support::absent) return Way::none;
  const bool imports = info.capability(Feature::host_import).support == Support::native;
  if (info.kind == DeviceKind::cpu && imports) return Way::guards;
  return std::ranges::find(info.formats, "spirv") != info.formats.end() ? Way::shaders : Way::patterns;
}

Capability row_of(Way way) {
  switch (way) {
    case Way::none: return {Feature::bounds, Support::absent, "no kernel runs, so none leaves its bounds"};
    case Way::guards: return {Feature::bounds, Support::native, "guard pages around each binding"};
    case Way::shaders:
      return {Feature::bounds, Support::native,
              "each access through a buffer variable is checked; those by addresses and by pointers that functions "
              "take are not"};
    case Way::patterns: break;
  }
  return {Feature::bounds, Support::emulated,
          "patterns around each binding: writes up to 4096 bytes outside of it, looked for after each launch"};
}

struct Program {
  kit::LoadedProgram loaded;
  std::vector<std::vector<spirv::CheckedAccess>> accesses;  // by entry, where shaders check
};

/// What the note of a launch says; nothing where no access was outside.
std::optional<Error> error_in(std::span<const std::byte> bytes, const Program& program, const backend::Exec& exec,
                              std::span<const backend::Argument> arguments) {
  spirv::OutsideNote note;
  std::memcpy(&note, bytes.data(), sizeof note);
  if (note.is_set == 0) return std::nullopt;
  const spirv::CheckedAccess& access = program.accesses[exec.entry][note.access];
  const Entry& entry = program.loaded.entries[exec.entry];
  std::uint32_t before = access.buffer;
  std::size_t number = 0;
  while (entry.parameters[number].kind != Parameter::Kind::buffer || before-- != 0) ++number;
  const char* const verb = !access.reads ? "writes" : access.writes ? "reads and writes" : "reads";
  return kit::error_of(
      {entry.name, entry.parameters[number].name, verb, access.offset_of(note), arguments[number].range.size});
}

class Device final : public kit::Supervised {
 public:
  explicit Device(std::unique_ptr<backend::Device> inner)
      : Supervised("bounds", std::move(inner)), way_(way_of(info_)) {
    std::ranges::replace_if(
        info_.capabilities, [](const Capability& row) { return row.feature == Feature::bounds; }, row_of(way_));
    if (way_ == Way::shaders && info_.limits.max_buffers > 0) --info_.limits.max_buffers;  // the note is a buffer too
  }
  ~Device() override { stop(); }

  Result<ProgramId> load(const backend::ProgramImage& image) override {
    return base::contain("loading through a layer", [&]() -> Result<ProgramId> {
      std::vector<backend::Alignment> alignments;
      backend::ProgramImage inner = image;
      inner.alignments = &alignments;
      spirv::InstrumentedImage shaders;
      if (way_ == Way::shaders && (image.format == "spirv" || image.format == "glsl")) {
        PINTLE_ASSIGN(made, spirv::instrument_image(image));
        shaders = std::move(made);
        inner.format = "spirv";
        inner.code = shaders.code;
        inner.entries = shaders.entries;
        if (image.format == "glsl") inner.source = {};
      }
      PINTLE_ASSIGN(id, Forwarding::load(inner));
      std::erase_if(alignments, [&](const backend::Alignment& one) {
        return one.parameter >= image.entries[one.entry].parameters.size();
      });
      if (image.alignments != nullptr) *image.alignments = alignments;
      const std::lock_guard lock(mutex_);
      programs_[id] =
          std::make_shared<const Program>(Program{kit::LoadedProgram(image, alignments), std::move(shaders.accesses)});
      return id;
    });
  }
  void unload(ProgramId program) noexcept override {
    Forwarding::unload(program);
    const std::lock_guard lock(mutex_);
    programs_.erase(program);
  }

 private:
  Result<void> run(const Lane& lane, const backend::Commands& commands) override {
    const bool launches =
        std::ranges::any_of(commands.commands, [](const auto& command) { return kit::exec_of(command) != nullptr; });
    if (!launches || way_ == Way::none) return lane.run(commands);
    return way_ == Way::shaders ? run_shaders(lane, commands) : run_moved(lane, commands);
  }

  /// Cuts the list at its launches. After a step outside the rest runs too, as on the device itself.
  Result<void> run_moved(const Lane& lane, const backend::Commands& list) {
    Result<void> outcome;
    std::size_t begin = 0;
    for (std::size_t index = 0; index < list.commands.size(); ++index) {
      const backend::Exec* const exec = kit::exec_of(list.commands[index]);
      if (exec == nullptr) continue;
      PINTLE_TRY(lane.run({list.commands.subspan(begin, index - begin), list.arguments}));
      begin = index + 1;
      const auto program = find(exec->program);
      const kit::MovedLaunch launch{*inner_, program->loaded, list.commands[index], list.arguments};
      const auto run = [&](const backend::Commands& commands) { return lane.run(commands); };
      auto ran = way_ == Way::guards ? launch_between_guards(launch, run) : launch_between_patterns(launch, run);
      if (!ran && ran.error().code() != Errc::invalid_argument) return ran;
      if (outcome) outcome = std::move(ran);
    }
    PINTLE_TRY(lane.run({list.commands.subspan(begin), list.arguments}));
    return outcome;
  }

  Result<void> run_shaders(const Lane& lane, const backend::Commands& list) {
    const std::uint64_t alignment = std::max<std::uint64_t>(info_.limits.offset_alignment, sizeof(spirv::OutsideNote));
    auto noted = std::make_unique<kit::NotedList>(list, sizeof(spirv::OutsideNote), alignment);
    PINTLE_ASSIGN(id, inner_->allocate({noted->size(), alignment, Placement::device, "bounds"}));
    kit::Borrowed memory(*inner_, id);
    if (const auto ran = lane.run(noted->with(id)); !ran) {
      memory.leave();  // the device may still use both
      static_cast<void>(noted.release());
      return ran;
    }
    for (std::size_t number = 0; number < noted->count(); ++number) {
      const backend::Exec& exec = noted->launch(number);
      auto error = error_in(noted->note(number), *find(exec.program), exec, list.of(exec));
      if (error) return *std::move(error);
    }
    return {};
  }

  [[nodiscard]] std::shared_ptr<const Program> find(ProgramId program) {
    const std::lock_guard lock(mutex_);
    return programs_.at(program);
  }

  const Way way_;
  std::mutex mutex_;
  std::map<ProgramId, std::shared_ptr<const Program>> programs_;
};

class Layer final : public backend::Layer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "bounds"; }
  Result<std::unique_ptr<backend::Device>> wrap(std::unique_ptr<backend::Device> inner,
                                                std::span<const backend::Option> options) override {
    return base::contain("wrapping in [bounds]", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("bounds", options, {}));
      return std::make_unique<Device>(std::move(inner));
    });
  }
};

}  // namespace

std::unique_ptr<backend::Layer> create_bounds_layer() { return std::make_unique<Layer>(); }

}  // namespace pintle::layers
