#include "world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "kernels.h"
#include "random.h"

namespace pintle::differential {
namespace {

bool has(const DeviceInfo& info, Feature feature) { return info.capability(feature).support != Support::absent; }

/// Whether kernels read and write words as texels.
bool has_words(const std::vector<TexelSupport>& texels) {
  return std::ranges::any_of(texels, [](const TexelSupport& support) {
    return support.texel == Texel::r32ui && support.access == Access::read_write;
  });
}

bool imports_pages(const Device& device) {
  constexpr std::size_t page = 4096;
  struct alignas(page) Page {
    std::uint32_t values[page / 4];
  };
  const auto memory = std::make_unique<Page>();
  return device.import_host(memory->values).has_value();
}

Ability ability_of(const Device& device) {
  const DeviceInfo info = device.info();
  Ability ability;
  ability.executes = has(info, Feature::execution);
  ability.calls = has(info, Feature::host_call);
  ability.latches = ability.calls && info.progress == Progress::own && ability.executes;
  ability.maps = has(info, Feature::mapped_memory);
  ability.imports = has(info, Feature::host_import) && imports_pages(device);
  ability.images = has_words(info.texels);
  ability.refuses = info.id.starts_with("faulty(");
  ability.alignment = std::max(1u, info.limits.offset_alignment / 4);
  return ability;
}

// Seconds by PINTLE_DIFFERENTIAL_PATIENCE.
Duration& longest_wait() {
  static Duration longest = [] {
    const char* text = std::getenv("PINTLE_DIFFERENTIAL_PATIENCE");
    return std::chrono::seconds(text != nullptr ? std::max(1, std::atoi(text)) : 10);
  }();
  return longest;
}

/// 0 where there are no texel buffers, or none in pools.
std::uint64_t texel_alignment_of(const DeviceInfo& info) {
  const std::uint64_t alignment = std::max(info.limits.texel_alignment, info.limits.offset_alignment);
  return has_words(info.buffer_texels) && alignment <= 4096 ? alignment : 0;
}

}  // namespace

Duration patience() { return longest_wait(); }

void be_impatient(Duration patience) { longest_wait() = patience; }

World::World(std::vector<std::string> ids) {
  auto folder = (std::filesystem::temp_directory_path() / "pintle_differential_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw Exception(Error(Errc::io, "No folder for a file could be made."));
  folder_ = folder;
  file_ = folder_ / "words.bin";
  std::vector<std::uint32_t> words(file_words);
  for (std::uint32_t i = 0; i < file_words; ++i) words[i] = pattern(file_number, i);
  std::ofstream(file_, std::ios::binary).write(reinterpret_cast<const char*>(words.data()), 4 * file_words);
  for (std::string& id : ids) machines_.push_back({.id = std::move(id)});
  open_all();
}

World::~World() { remove_file(); }

void World::remove_file() noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void World::open(Machine& machine) {
  machine.device = must(pintle::open(machine.id));
  machine.ability = ability_of(machine.device);
  machine.driven = machine.device.info().progress == Progress::driven;
  const pintle::Program program = must(machine.device.load(must(kernels_pack())));
  machine.add_to = must(program.kernel("add_to"));
  machine.affine = must(program.kernel("affine"));
  machine.gather = must(program.kernel("gather"));
  if (machine.ability.images) machine.paint = must(program.kernel("paint"));
  machine.texel_alignment = texel_alignment_of(machine.device.info());
  if (machine.texel_alignment != 0) machine.lift = must(program.kernel("lift"));
}

void World::open_all() {
  for (Machine& machine : machines_)
    if (machine.device.id().empty()) open(machine);
}

void World::close(int device) {
  Machine& machine = at(device);
  machine.add_to = machine.affine = machine.gather = machine.paint = machine.lift = {};
  machine.device = {};
}

void World::drive() {
  for (const Machine& machine : machines_)
    if (machine.driven && !machine.device.id().empty()) static_cast<void>(machine.device.poll());
}

void World::poll() {
  for (const Machine& machine : machines_)
    if (!machine.device.id().empty()) static_cast<void>(machine.device.poll());
}

std::vector<Ability> World::abilities() const {
  std::vector<Ability> all;
  for (const Machine& machine : machines_) all.push_back(machine.ability);
  return all;
}

std::string World::text() const {
  std::string all;
  for (const Machine& machine : machines_) all += (all.empty() ? "" : "+") + machine.id;
  return all;
}

}  // namespace pintle::differential
