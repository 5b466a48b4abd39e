#include "core/program/program_pack.h"

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/inside.h"
#include "core/door/door.h"
#include "inference/entries.h"
#include "pintle/device.h"
#include "registry/takes.h"

namespace pintle {
namespace {

VariantInfo info_of(const io::PackVariant& variant) {
  return {variant.format, variant.target, variant.entries, variant.code.size()};
}

std::shared_ptr<const ProgramPack::State> freeze(io::Pack pack) {
  auto state = std::make_shared<ProgramPack::State>();
  std::ranges::transform(pack.variants, std::back_inserter(state->infos), info_of);
  state->pack = std::move(pack);
  return state;
}

Result<io::Pack> pack_of_source(std::string_view format, std::string_view code,
                                std::span<const std::string_view> signatures, std::string name) {
  const auto bytes = base::bytes_in(code);
  PINTLE_ASSIGN(entries, inference::entries_of(format, bytes, signatures, name));
  io::Pack pack{std::move(name), {}};
  pack.variants.push_back({std::string(format), {}, std::move(entries), {bytes.begin(), bytes.end()}});
  PINTLE_TRY(io::check_pack(pack));
  return pack;
}

}  // namespace

Result<ProgramPack> ProgramPack::open(const std::filesystem::path& path) {
  return base::contain("opening a pack", [&]() -> Result<ProgramPack> {
    PINTLE_ASSIGN(pack, io::read_pack(path));
    return ProgramPack(freeze(std::move(pack)));
  });
}

Result<ProgramPack> ProgramPack::parse(std::span<const std::byte> bytes) {
  return base::contain("reading a pack", [&]() -> Result<ProgramPack> {
    PINTLE_ASSIGN(pack, io::parse_pack(bytes));
    return ProgramPack(freeze(std::move(pack)));
  });
}

Result<ProgramPack> ProgramPack::source(std::string_view format, std::string_view code,
                                        std::span<const std::string_view> signatures, std::string name) {
  return base::contain("making a pack", [&]() -> Result<ProgramPack> {
    PINTLE_ASSIGN(pack, pack_of_source(format, code, signatures, std::move(name)));
    return ProgramPack(freeze(std::move(pack)));
  });
}

// Where host memory runs out the pack is empty, and every use of it says that it is empty.
ProgramPack ProgramPack::with(const ProgramPack& other) const noexcept {
  if (state_ == nullptr) return other;
  if (other.state_ == nullptr) return *this;
  return base::contain_or(ProgramPack(), [&] {
    io::Pack pack = state_->pack;
    std::ranges::copy(other.state_->pack.variants, std::back_inserter(pack.variants));
    return ProgramPack(freeze(std::move(pack)));
  });
}

std::string_view ProgramPack::name() const noexcept {
  return state_ == nullptr ? std::string_view() : state_->pack.name;
}

std::span<const VariantInfo> ProgramPack::variants() const noexcept {
  if (state_ == nullptr) return {};
  return state_->infos;
}

Result<std::vector<std::byte>> ProgramPack::serialize() const {
  return base::contain("writing a pack", [&]() -> Result<std::vector<std::byte>> {
    if (state_ == nullptr) return core::empty_object("ProgramPack");
    PINTLE_TRY(io::check_pack(state_->pack));
    return io::serialize_pack(state_->pack);
  });
}

Result<void> takes(const DeviceInfo& device, const ProgramPack& pack) {
  return core::enter("comparing a device with a pack", [&]() -> Result<void> {
    if (!Inside::state(pack)) return core::empty_object("ProgramPack");
    return registry::takes(device, Inside::state(pack)->pack);
  });
}

}  // namespace pintle
