#include "suite.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <map>
#include <thread>

#include "conformance/kernel_source.h"

namespace csuite {
namespace {

constexpr std::array<std::string_view, 16> dtypes{"bool", "i8",        "i16",     "i32",      "i64",  "u8",
                                                  "u16",  "u32",       "u64",     "f16",      "bf16", "f32",
                                                  "f64",  "f8_e4m3fn", "f8_e5m2", "complex64"};

const std::vector<std::string>& signatures() {
  static const auto& all = *new std::vector<std::string>([] {
    std::vector<std::string> made{
        "conform_saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256",
        "conform_fill_index(out: write u32[], width: u32, height: u32, depth: u32) group 4,2,2",
        "conform_record_groups(out: write u32[]) group 3,2,1",
        "conform_reduce(in: read u32[], out: write u32[], n: u32) group 64 local 256",
        "conform_affine(x: read_write u32[], m: u32, a: u32, n: u32) group 64",
        "conform_add_to(from: read u32[], to: write u32[], add: u32, n: u32) group 64",
        "conform_count_groups(out: read_write u32[])",
        "conform_nothing()"};
    for (const std::string_view name : dtypes) {
      const std::string word(name);
      made.push_back("conform_put_" + word + "(value: " + word + ", out: write " + word + "[], n: u32) group 64");
      made.push_back("conform_copy_" + word + "(from: read " + word + "[], to: write " + word + "[], n: u32) group 64");
    }
    return made;
  }());
  return all;
}

pintle_pack variant(const char* format, std::string_view code) {
  std::vector<const char*> texts;
  for (const std::string& text : signatures()) texts.push_back(text.c_str());
  return made<pintle_pack>(pintle_pack_source, format, code.data(), code.size(), texts.data(), texts.size());
}

pintle_program load(pintle_device device) {
  using namespace pintle::conformance;
  const std::array variants{variant("c", c_source), variant("opencl_c", opencl_c_source), variant("glsl", glsl_source)};
  const auto two = made<pintle_pack>(pintle_pack_merge, variants[0], variants[1]);
  const auto all = made<pintle_pack>(pintle_pack_merge, two, variants[2]);
  const auto program = made<pintle_program>(pintle_program_load, device, all);
  for (const pintle_pack pack : {variants[0], variants[1], variants[2], two, all}) ok(pintle_pack_release, pack);
  return program;
}

bool has(pintle_device device, std::uint32_t feature) {
  auto capability = sized<pintle_capability>();
  ok(pintle_device_capability, device, feature, &capability);
  return capability.support != PINTLE_SUPPORT_ABSENT;
}

std::map<std::string, OpenDevice>& open_devices() {
  static auto& all = *new std::map<std::string, OpenDevice>;
  return all;
}

pintle_argument argument_of(std::uint16_t kind) {
  auto argument = sized<pintle_argument>();
  argument.kind = kind;
  return argument;
}

}  // namespace

OpenDevice& open_device(const std::string& id) {
  OpenDevice& it = open_devices()[id];
  if (it.device.id != 0) return it;
  it.device = made<pintle_device>(pintle_device_open, id.c_str());
  auto info = sized<pintle_device_info>();
  ok(pintle_device_get_info, it.device, &info);
  it.id = info.id;
  it.offset_alignment = info.offset_alignment;
  it.is_driven = info.is_driven == 1;
  it.executes = has(it.device, PINTLE_FEATURE_EXECUTION);
  it.calls_host = has(it.device, PINTLE_FEATURE_HOST_CALL);
  it.program = load(it.device);
  return it;
}

void close_devices() {
  for (auto& [id, it] : open_devices()) {
    ok(pintle_device_wait_idle, it.device, patience);
    ok(pintle_program_release, it.program);
    ok(pintle_device_release, it.device);
  }
}

pintle_view part_of(pintle_buffer buffer, std::uint64_t offset, std::uint64_t bytes) {
  auto view = sized<pintle_view>();
  view.buffer = buffer;
  view.offset = offset;
  view.bytes = bytes;
  return view;
}
pintle_view all_of(pintle_buffer buffer) { return part_of(buffer, 0, 0); }

pintle_argument of(const pintle_view& view) {
  pintle_argument argument = argument_of(PINTLE_ARGUMENT_BUFFER);
  argument.buffer = view.buffer;
  argument.offset = view.offset;
  argument.bytes = view.bytes;
  return argument;
}
pintle_argument of(pintle_buffer buffer) { return of(all_of(buffer)); }
pintle_argument of_scalar(std::uint32_t dtype, std::uint64_t bits) {
  pintle_argument argument = argument_of(PINTLE_ARGUMENT_SCALAR);
  argument.dtype = static_cast<std::uint16_t>(dtype);
  argument.value.u = bits;
  return argument;
}
pintle_argument of(std::uint32_t value) { return of_scalar(PINTLE_U32, value); }
pintle_argument of(std::int32_t value) { return of_scalar(PINTLE_I32, static_cast<std::uint32_t>(value)); }
pintle_argument of(float value) {
  pintle_argument argument = of_scalar(PINTLE_F32, 0);
  argument.value.f32 = value;
  return argument;
}
pintle_argument slot(std::uint64_t index) {
  pintle_argument argument = argument_of(PINTLE_ARGUMENT_SLOT);
  argument.offset = index;
  return argument;
}
pintle_argument source(const Words& words) {
  pintle_argument argument = argument_of(PINTLE_ARGUMENT_BYTES);
  argument.bytes = words.size() * sizeof(std::uint32_t);
  argument.value.data = words.data();
  return argument;
}
pintle_argument target(Words& words) {
  pintle_argument argument = argument_of(PINTLE_ARGUMENT_TARGET);
  argument.bytes = words.size() * sizeof(std::uint32_t);
  argument.value.out = words.data();
  return argument;
}

pintle_extent items(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  auto extent = sized<pintle_extent>();
  extent.x = x;
  extent.y = y;
  extent.z = z;
  return extent;
}
pintle_extent groups(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  pintle_extent extent = items(x, y, z);
  extent.is_groups = 1;
  return extent;
}

std::uint64_t bytes_of(std::uint32_t dtype) {
  constexpr std::array<std::uint64_t, 17> sizes{0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 8};
  return sizes.at(dtype);
}

void Suite::TearDown() {
  for (auto release = releases_.rbegin(); release != releases_.rend(); ++release) {
    const pintle_status status = (*release)();
    EXPECT_TRUE(status == PINTLE_OK || status == PINTLE_STALE) << status;
  }
  EXPECT_EQ(pintle_device_wait_idle(device(), patience, nullptr), PINTLE_OK);
}

pintle_kernel Suite::kernel(const std::string& entry) {
  const std::string name = "conform_" + entry;
  return keep(made<pintle_kernel>(pintle_program_kernel, on().program, name.c_str()), &pintle_kernel_release);
}

pintle_queue Suite::queue(const char* label) {
  auto options = sized<pintle_queue_options>();
  options.label = label;
  return keep(made<pintle_queue>(pintle_queue_create, device(), &options), &pintle_queue_release);
}

pintle_signal Suite::signal(const char* label) {
  return keep(made<pintle_signal>(pintle_signal_create, std::uint64_t{0}, label), &pintle_signal_release);
}

pintle_list Suite::list() { return keep(made<pintle_list>(pintle_list_create), &pintle_list_release); }

pintle_list Suite::launch(const std::string& entry, const pintle_extent& extent,
                          const std::vector<pintle_argument>& arguments) {
  const pintle_list made_list = list();
  ok(pintle_list_launch, made_list, kernel(entry), &extent, arguments.data(), arguments.size());
  return made_list;
}

pintle_list Suite::fill(pintle_buffer buffer, std::uint32_t value) {
  const pintle_list made_list = list();
  const pintle_view view = all_of(buffer);
  ok(pintle_list_fill, made_list, &view, static_cast<const void*>(&value));
  return made_list;
}

pintle_recording Suite::record(pintle_list list) {
  return keep(made<pintle_recording>(pintle_recording_create, device(), list), &pintle_recording_release);
}

pintle_buffer Suite::buffer(std::uint32_t dtype, std::uint64_t count, const char* label) {
  auto options = sized<pintle_buffer_options>();
  options.label = label;
  return keep(made<pintle_buffer>(pintle_buffer_allocate, device(), dtype, std::size_t{1}, &count, &options),
              &pintle_buffer_release);
}

pintle_buffer Suite::buffer(const Words& words) {
  const pintle_buffer made_buffer = buffer(PINTLE_U32, words.size());
  write(made_buffer, words.data(), words.size() * sizeof(std::uint32_t));
  return made_buffer;
}

void Suite::write(pintle_buffer buffer, const void* from, std::size_t bytes) {
  const pintle_list upload = list();
  const pintle_view view = all_of(buffer);
  ok(pintle_list_upload, upload, &view, from, bytes);
  finish(submit(queue("writer"), upload));
}

void Suite::read(pintle_queue queue, pintle_buffer buffer, void* to, std::size_t bytes) {
  const pintle_list download = list();
  const pintle_view view = all_of(buffer);
  ok(pintle_list_download, download, to, bytes, &view);
  finish(submit(queue, download));
}

Words Suite::words(pintle_queue queue, pintle_buffer buffer, std::size_t count) {
  Words seen(count);
  read(queue, buffer, seen.data(), count * sizeof(std::uint32_t));
  return seen;
}

pintle_point Suite::at(pintle_signal signal, std::uint64_t value) {
  auto point = sized<pintle_point>();
  point.signal = signal;
  point.value = value;
  return point;
}

namespace {

pintle_submit_options options_of(const std::vector<pintle_point>& after, const std::vector<pintle_point>& signals) {
  auto options = sized<pintle_submit_options>();
  options.after = after.data();
  options.after_count = after.size();
  options.signal = signals.data();
  options.signal_count = signals.size();
  return options;
}

}  // namespace

pintle_point Suite::submit(pintle_queue queue, pintle_list list, const Points& after, const Points& signals,
                           const char* label) {
  pintle_submit_options options = options_of(after, signals);
  auto done = sized<pintle_point>();
  options.label = label;
  ok(pintle_queue_submit, queue, list, &options, &done);
  return done;
}

pintle_point Suite::replay(pintle_queue queue, pintle_recording recording, const std::vector<pintle_argument>& bindings,
                           const Points& after, const Points& signals) {
  const pintle_submit_options options = options_of(after, signals);
  auto done = sized<pintle_point>();
  ok(pintle_queue_replay, queue, recording, bindings.data(), bindings.size(),
     after.empty() && signals.empty() ? nullptr : &options, &done);
  return done;
}

bool Suite::is_reached(const pintle_point& point) {
  std::uint32_t reached = 0;
  ok(pintle_point_is_reached, &point, &reached);
  return reached == 1;
}

bool Suite::eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ok(pintle_device_poll, device());
    std::this_thread::yield();
  }
  return true;
}

// Those that tests/conformance always runs on, then whatever is listed.
std::vector<std::string> device_ids() {
  std::vector<std::string> ids{"null",       "cpu",         "cpu?inline",     "validate(cpu)",       "faulty(cpu)",
                               "trace(cpu)", "bounds(cpu)", "validate(null)", "validate(cpu?inline)"};
  const auto listed = made<pintle_device_list>(pintle_devices_list);
  std::size_t count = 0;
  ok(pintle_device_list_count, listed, &count, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    auto info = sized<pintle_device_info>();
    ok(pintle_device_list_device, listed, i, &info);
    if (std::find(ids.begin(), ids.end(), info.id) == ids.end()) ids.emplace_back(info.id);
  }
  ok(pintle_device_list_release, listed);
  return ids;
}

std::string suffix(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

}  // namespace csuite

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  const int result = RUN_ALL_TESTS();
  csuite::close_devices();
  return result;
}
