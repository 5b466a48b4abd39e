// The reference in PJRT: a client of its own, executables that are compiled before, an event of the last execution, and
// a buffer that each step gives up for its result.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/platform.h"
#include "base/quote.h"
#include "bench/direct/direct.h"
#include "bench/kernels/turn.h"
#include "vendor/pjrt/table.h"

namespace pintle::bench {
namespace {

namespace pj = vendor::pjrt;

constexpr std::string_view nothing_text = "func.func @main() { return }";

/// bench_turn of kernels.mlir for one group, with its buffer given up.
constexpr std::string_view turn_text = R"(
func.func @main(%values: tensor<64xui32> {tf.aliasing_output = 0 : i32}, %rounds: tensor<ui32>) -> tensor<64xui32> {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %factor = stablehlo.constant dense<1664525> : tensor<64xui32>
  %summand = stablehlo.constant dense<1013904223> : tensor<64xui32>
  %end:2 = stablehlo.while(%i = %zero, %value = %values) : tensor<ui32>, tensor<64xui32>
  cond {
    %more = stablehlo.compare LT, %i, %rounds : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %product = stablehlo.multiply %value, %factor : tensor<64xui32>
    %turned = stablehlo.add %product, %summand : tensor<64xui32>
    %next = stablehlo.add %i, %one : tensor<ui32>
    stablehlo.return %next, %turned : tensor<ui32>, tensor<64xui32>
  }
  return %end#1 : tensor<64xui32>
}
)";
static_assert(turn_group == 64, "the text has it");

/// Blocks until the event is ready. The product does without it, since it has no deadline.
struct EventAwait {
  pj::Head head{sizeof(EventAwait)};
  pj::Event event = nullptr;
};

/// A serialized CompileOptionsProto of one replica and one partition.
constexpr std::string_view compile_options("\x1a\x04\x20\x01\x28\x01", 6);

class DirectPjrt final : public Direct {
 public:
  explicit DirectPjrt(pj::Table table) : api_(std::move(table)) {}
  ~DirectPjrt() override;

  Result<void> open(std::string_view path);
  Result<void> record(std::uint32_t launches) override;
  Result<void> record_steps(std::uint32_t steps, std::uint32_t rounds) override;
  Result<void> submit() override;
  Result<void> wait() override;
  Result<void> allocate(std::size_t) override { return {}; }
  Result<void> upload(std::span<const std::byte> from) override;
  Result<void> download(std::span<std::byte> to) override;
  Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) override;

 private:
  template <class Arguments>
  Result<void> call(pj::Error (*function)(Arguments*), Arguments& arguments, std::string_view name) const;
  Result<void> check(pj::Error error, std::string_view name) const;
  Result<void> await(pj::Event event) const;
  void destroy(pj::Event event) const;
  void destroy(pj::Buffer buffer) const;
  Result<pj::LoadedExecutable> compile(std::string_view text);
  Result<pj::Buffer> upload(std::span<const std::byte> from, pj::ElementType type,
                            std::span<const std::int64_t> dims) const;
  Result<pj::Buffer> upload_values(std::span<const std::uint32_t> values) const;
  Result<void> execute(std::span<const pj::Buffer> inputs, std::span<pj::Buffer> outputs, pj::Event* done) const;

  const pj::Table api_;
  pj::Error (*await_)(EventAwait*) = nullptr;
  pj::Client client_ = nullptr;
  pj::Device device_ = nullptr;
  pj::LoadedExecutable executable_ = nullptr;
  std::uint32_t launches_ = 0;
  pj::Buffer state_ = nullptr;  ///< What steps turn; null where launches do nothing.
  pj::Buffer rounds_ = nullptr;
  pj::Event event_ = nullptr;
  pj::Buffer memory_ = nullptr;
};

template <class Arguments>
Result<void> DirectPjrt::call(pj::Error (*function)(Arguments*), Arguments& arguments, std::string_view name) const {
  return check(function(&arguments), name);
}

Result<void> DirectPjrt::check(pj::Error error, std::string_view name) const {
  if (error == nullptr) return {};
  pj::ErrorMessage message;
  message.error = error;
  api_.Error_Message(&message);
  const std::string words(message.message.view().substr(0, 600));
  pj::ErrorDestroy gone;
  gone.error = error;
  api_.Error_Destroy(&gone);
  return Error(Errc::internal, fmt::format("The reference's call ({}) answers: {}", name, words));
}

void DirectPjrt::destroy(pj::Event event) const {
  pj::EventDestroy gone;
  gone.event = event;
  static_cast<void>(check(api_.Event_Destroy(&gone), "PJRT_Event_Destroy"));
}

void DirectPjrt::destroy(pj::Buffer buffer) const {
  if (buffer == nullptr) return;
  pj::BufferDestroy gone;
  gone.buffer = buffer;
  static_cast<void>(check(api_.Buffer_Destroy(&gone), "PJRT_Buffer_Destroy"));
}

Result<void> DirectPjrt::await(pj::Event event) const {
  EventAwait wanted;
  wanted.event = event;
  const auto done = call(await_, wanted, "PJRT_Event_Await");
  destroy(event);
  return done;
}

DirectPjrt::~DirectPjrt() {
  if (event_ != nullptr) static_cast<void>(await(event_));
  for (const pj::Buffer buffer : {state_, rounds_, memory_}) destroy(buffer);
  if (executable_ != nullptr) {
    pj::LoadedExecutableDestroy gone;
    gone.executable = executable_;
    static_cast<void>(call(api_.LoadedExecutable_Destroy, gone, "PJRT_LoadedExecutable_Destroy"));
  }
  if (client_ == nullptr) return;
  pj::ClientDestroy gone;
  gone.client = client_;
  static_cast<void>(call(api_.Client_Destroy, gone, "PJRT_Client_Destroy"));
}

Result<void> DirectPjrt::open(std::string_view path) {
  PINTLE_ASSIGN(interface, api_.library.function<const void*()>("GetPjrtApi"));
  PINTLE_ASSIGN(reader, pj::InterfaceReader::over(interface(), path));
  reader.find(pj::Place::Event_Await, await_);
  if (await_ == nullptr) return reader.lacks("Event_Await");
  pj::ClientCreate wanted;
  PINTLE_TRY(call(api_.Client_Create, wanted, "PJRT_Client_Create"));
  client_ = wanted.client;
  pj::ClientAddressableDevices devices;
  devices.client = client_;
  PINTLE_TRY(call(api_.Client_AddressableDevices, devices, "PJRT_Client_AddressableDevices"));
  if (devices.devices.span().empty()) return Error(Errc::not_found, "The reference's client has no device.");
  device_ = devices.devices.span()[0];
  return {};
}

Result<pj::LoadedExecutable> DirectPjrt::compile(std::string_view text) {
  pj::Program program;
  program.code = text;
  program.format = std::string_view("mlir");
  pj::ClientCompile wanted;
  wanted.client = client_;
  wanted.program = &program;
  wanted.options = compile_options;
  PINTLE_TRY(call(api_.Client_Compile, wanted, "PJRT_Client_Compile"));
  return wanted.executable;
}

Result<void> DirectPjrt::record(std::uint32_t launches) {
  PINTLE_ASSIGN(made, compile(nothing_text));
  executable_ = made;
  launches_ = launches;
  return {};
}

Result<void> DirectPjrt::record_steps(std::uint32_t steps, std::uint32_t rounds) {
  PINTLE_ASSIGN(made, compile(turn_text));
  executable_ = made;
  launches_ = steps;
  PINTLE_ASSIGN(state, upload_values(std::vector<std::uint32_t>(turn_group)));
  state_ = state;
  PINTLE_ASSIGN(scalar, upload(std::as_bytes(std::span(&rounds, 1)), pj::ElementType::u32, {}));
  rounds_ = scalar;
  return {};
}

Result<void> DirectPjrt::execute(std::span<const pj::Buffer> inputs, std::span<pj::Buffer> outputs,
                                 pj::Event* done) const {
  const pj::Buffer* const input_list = inputs.data();
  pj::Buffer* const output_list = outputs.data();
  pj::ExecuteOptions options;
  pj::LoadedExecutableExecute wanted;
  wanted.executable = executable_;
  wanted.options = &options;
  wanted.arguments = &input_list;
  wanted.argument_count = inputs.size();
  wanted.outputs = &output_list;
  wanted.done = done;
  return call(api_.LoadedExecutable_Execute, wanted, "PJRT_LoadedExecutable_Execute");
}

/// Executions are ordered by what they read, so the last one's event stands for all steps. Empty ones depend on
/// nothing: each of these has an event, and is waited for.
Result<void> DirectPjrt::submit() {
  for (std::uint32_t i = 1; i <= launches_; ++i) {
    const bool is_last = i == launches_;
    pj::Event done = nullptr;
    if (state_ == nullptr) {
      PINTLE_TRY(execute({}, {}, &done));
      if (!is_last) PINTLE_TRY(await(done));
    } else {
      const std::array inputs{state_, rounds_};
      std::array<pj::Buffer, 1> outputs{};
      PINTLE_TRY(execute(inputs, outputs, is_last ? &done : nullptr));
      destroy(std::exchange(state_, outputs[0]));
    }
    event_ = done;
  }
  return {};
}

Result<void> DirectPjrt::wait() { return await(std::exchange(event_, nullptr)); }

Result<pj::Buffer> DirectPjrt::upload(std::span<const std::byte> from, pj::ElementType type,
                                      std::span<const std::int64_t> dims) const {
  pj::ClientBufferFromHostBuffer wanted;
  wanted.client = client_;
  wanted.data = from.data();
  wanted.type = type;
  wanted.dims = dims;
  wanted.semantics = pj::HostBufferSemantics::until_transfer_is_done;
  wanted.device = device_;
  PINTLE_TRY(call(api_.Client_BufferFromHostBuffer, wanted, "PJRT_Client_BufferFromHostBuffer"));
  PINTLE_TRY(await(wanted.done_with_data));
  pj::BufferReadyEvent ready;
  ready.buffer = wanted.buffer;
  PINTLE_TRY(call(api_.Buffer_ReadyEvent, ready, "PJRT_Buffer_ReadyEvent"));
  PINTLE_TRY(await(ready.event));
  return wanted.buffer;
}

Result<pj::Buffer> DirectPjrt::upload_values(std::span<const std::uint32_t> values) const {
  const std::array<std::int64_t, 1> dims{static_cast<std::int64_t>(values.size())};
  return upload(std::as_bytes(values), pj::ElementType::u32, dims);
}

Result<void> DirectPjrt::upload(std::span<const std::byte> from) {
  const std::array<std::int64_t, 1> dims{static_cast<std::int64_t>(from.size())};
  PINTLE_ASSIGN(buffer, upload(from, pj::ElementType::u8, dims));
  destroy(std::exchange(memory_, buffer));
  return {};
}

Result<void> DirectPjrt::download(std::span<std::byte> to) {
  pj::BufferToHostBuffer wanted;
  wanted.buffer = state_ != nullptr ? state_ : memory_;
  wanted.to = to.data();
  wanted.bytes = to.size();
  PINTLE_TRY(call(api_.Buffer_ToHostBuffer, wanted, "PJRT_Buffer_ToHostBuffer"));
  return await(wanted.done);
}

Result<std::vector<std::uint32_t>> DirectPjrt::turn(std::uint32_t rounds) {
  PINTLE_TRY(record_steps(1, rounds));
  PINTLE_TRY(submit());
  PINTLE_TRY(wait());
  std::vector<std::uint32_t> values(turn_group);
  PINTLE_TRY(download(std::as_writable_bytes(std::span(values))));
  return values;
}

/// The plug-in of PINTLE_PJRT_PLUGINS that the mark begins with ("xla_cpu_pjrt, PJRT 0.81, ..."). Empty where no path
/// is one: where it comes from a virtual environment, nothing names it.
std::string path_of(const Target& target) {
  const char* const named = base::variable("PINTLE_PJRT_PLUGINS");
  std::string_view rest = named != nullptr ? named : "";
  std::size_t before = 0;
  while (!rest.empty()) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
    const std::string_view file = path.substr(path.rfind('/') + 1);
    const std::string_view stem = file.substr(0, file.rfind('.'));
    const bool is_it = target.mark.starts_with(std::string(stem) + ", PJRT ");
    if (is_it && before++ == target.before) return std::string(path);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Direct>> open_direct_pjrt(const Target& target) {
  const std::string path = path_of(target);
  if (path.empty()) {
    return Error(Errc::unsupported,
                 fmt::format("PINTLE_PJRT_PLUGINS names no plug-in {}, from which alone the reference "
                             "takes its own.",
                             base::quote(target.mark.substr(0, target.mark.find(',')))));
  }
  PINTLE_ASSIGN(table, pj::Table::open(path));
  auto direct = std::make_unique<DirectPjrt>(std::move(table));
  PINTLE_TRY(direct->open(path));
  return std::unique_ptr<Direct>(std::move(direct));
}

}  // namespace pintle::bench
