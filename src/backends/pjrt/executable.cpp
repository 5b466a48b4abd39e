#include "backends/pjrt/executable.h"

#include <fmt/format.h>

#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "kit/code_cache.h"
#include "kit/host_cpus.h"

namespace pintle::pjrt {
namespace {

using Loaded = Owned<pj::LoadedExecutable>;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7f; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

/// A field of a protocol buffer that has bytes.
std::string field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2U) + varint(bytes.size()) + bytes;
}

/// A CompileOptionsProto: its executable_build_options have one replica and one partition, and the device where it is
/// not the first (device_assignment). Some plug-ins end the process where there are no replicas.
Result<std::string> options_for(const Client& client) {
  constexpr std::string_view one_replica("\x20\x01\x28\x01", 4), one_by_one("\x08\x01\x10\x01", 4);
  std::string build(one_replica);
  if (client.index() != 0) {
    PINTLE_ASSIGN(number, client.device_number());
    build += field(9, std::string(one_by_one) + field(3, field(1, varint(number))));
  }
  return field(3, build);
}

Result<Loaded> compile(const Client& client, std::string_view code) {
  PINTLE_ASSIGN(options, options_for(client));
  pj::Program program;
  program.code = code;
  program.format = std::string_view("mlir");
  pj::ClientCompile wanted;
  wanted.client = client.session().client;
  wanted.program = &program;
  wanted.options = std::string_view(options);
  PINTLE_TRY(call(client.api(), client.api().Client_Compile, wanted, "the code"));
  return Loaded(client.api(), wanted.executable);
}

Result<Loaded> load(const Client& client, std::span<const std::byte> code) {
  pj::ExecutableDeserializeAndLoad wanted;
  wanted.client = client.session().client;
  wanted.bytes = base::text_in(code);
  PINTLE_TRY(call(client.api(), client.api().Executable_DeserializeAndLoad, wanted, "the serialized executable"));
  return Loaded(client.api(), wanted.loaded);
}

Result<Owned<pj::Executable>> inside(const Client& client, const Loaded& loaded) {
  pj::LoadedExecutableGetExecutable wanted;
  wanted.loaded = loaded.get();
  PINTLE_TRY(call(client.api(), client.api().LoadedExecutable_GetExecutable, wanted, "the executable"));
  return Owned<pj::Executable>(client.api(), wanted.executable);
}

Result<std::vector<std::byte>> serialize(const Client& client, const Loaded& loaded) {
  PINTLE_ASSIGN(executable, inside(client, loaded));
  pj::ExecutableSerialize wanted;
  wanted.executable = executable.get();
  PINTLE_TRY(call(client.api(), client.api().Executable_Serialize, wanted, "serializing an executable"));
  const auto bytes = base::bytes_in(wanted.bytes.view());
  std::vector<std::byte> kept(bytes.begin(), bytes.end());
  wanted.destroy(wanted.owner);
  return kept;
}

/// Everything that an executable depends on. Some platforms compile for the very processor that is there.
Result<base::Digest> key_of(const Client& client, std::string_view code) {
  PINTLE_ASSIGN(options, options_for(client));
  const Session& session = client.session();
  const std::string all =
      fmt::format("pjrt\n{}\n{}\n{}.{}\n{}\n{}\n{}", session.platform, session.version, client.api().major,
                  client.api().minor, options, kit::cpuinfo_field("/", "flags"), code);
  return base::sha256(base::bytes_in(all));
}

/// What this process compiles it keeps as it is; a later one loads the serialized form.
Result<Loaded> compile_or_find(const Client& client, std::string_view code) {
  std::optional<Loaded> compiled;
  const auto make = [&]() -> Result<std::vector<std::byte>> {
    PINTLE_ASSIGN(made, compile(client, code));
    compiled.emplace(std::move(made));
    return serialize(client, *compiled);
  };
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(key, key_of(client, code));
  const auto found = cache.obtain_bytes(key, ".pjrt", make);
  if (compiled) return std::move(*compiled);  // also where it cannot be serialized
  if (!found) return found.error();
  auto loaded = load(client, *found);
  if (loaded) return loaded;
  base::log(LogLevel::warn, "pjrt", "An executable of the cache is compiled again: {}", loaded.error().message());
  return compile(client, code);
}

}  // namespace

Result<std::shared_ptr<const Executable>> Executable::make(const Client& client, const Code& code,
                                                           const std::string& what) {
  auto loaded =
      code.kind == Code::Kind::mlir ? compile_or_find(client, code.bytes) : load(client, base::bytes_in(code.bytes));
  if (loaded) return finish(client, std::move(*loaded));
  const Error& refused = loaded.error();
  if (refused.code() == Errc::out_of_memory) return refused;
  const Error told(Errc::build_failed,
                   fmt::format("{} does not compile on [{}]: {}", what, client.id(), refused.message()));
  return refused.vendor() ? told.with_vendor(*refused.vendor()) : told;
}

Result<std::shared_ptr<const Executable>> Executable::finish(const Client& client, Loaded loaded) {
  const pj::Table& api = client.api();
  PINTLE_ASSIGN(executable, inside(client, loaded));
  pj::ExecutableOutputElementTypes types;
  types.executable = executable.get();
  PINTLE_TRY(call(api, api.Executable_OutputElementTypes, types, "the types of results"));
  pj::ExecutableOutputDimensions shapes;
  shapes.executable = executable.get();
  PINTLE_TRY(call(api, api.Executable_OutputDimensions, shapes, "the shapes of results"));
  std::shared_ptr<Executable> made(new Executable(std::move(loaded)));
  const std::int64_t* side = shapes.dims;
  for (std::size_t index = 0; index < shapes.output_count; ++index) {
    const std::size_t rank = shapes.ranks[index];
    made->results_.push_back(
        std::make_shared<const TensorType>(types.types.span()[index], std::vector(side, side + rank)));
    side += rank;
  }
  return std::shared_ptr<const Executable>(std::move(made));
}

Result<Owned<pj::Event>> Executable::execute(const Client& client, std::span<const pj::Buffer> arguments,
                                             std::span<const std::int64_t> kept, std::span<pj::Buffer> outputs,
                                             End end) const {
  const pj::Table& api = client.api();
  const pj::Buffer* const input_list = arguments.data();
  pj::Buffer* const output_list = outputs.data();
  pj::Event done = nullptr;
  pj::ExecuteOptions options;
  options.kept_inputs = kept;
  pj::LoadedExecutableExecute wanted;
  wanted.executable = loaded_.get();
  wanted.options = &options;
  wanted.arguments = &input_list;
  wanted.argument_count = arguments.size();
  wanted.outputs = &output_list;
  wanted.done = end == End::asked ? &done : nullptr;
  PINTLE_TRY(call(api, api.LoadedExecutable_Execute, wanted, "the launch"));
  return Owned<pj::Event>(api, done);
}

}  // namespace pintle::pjrt
