// One pack on one device, for tests/foreign/kernels.py, which runs it in a child process:
//   foreign_probe load DEVICE PACK          prints {"kernel": null or why the device does not have it, ...}
//   foreign_probe entries PACK              prints {"kernel": {"parameters": [...], "group": [64, 1, 1]}, ...}
//   foreign_probe run DEVICE PACK PLANS FOLDER    runs kernels as the plans say; FOLDER gets each buffer's bytes
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/pintle.h"
#include "plans.h"

using namespace pintle;
using Json = nlohmann::json;
using Bytes = std::vector<std::byte>;

namespace {

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::string why(const Error& error) { return error.text(); }

/// Prints what each entry of the pack became.
int load(const std::string& device_id, const std::string& file) {
  const ProgramPack pack = must(ProgramPack::open(file));
  Json found = Json::object();
  for (const VariantInfo& variant : pack.variants())
    for (const Entry& entry : variant.entries) found[entry.name] = nullptr;
  const Device device = must(open(device_id));
  const auto program = device.load(pack);
  for (auto& [name, reason] : found.items()) {
    if (!program) reason = why(program.error());
    else if (const auto kernel = program->kernel(name); !kernel) reason = why(kernel.error());
  }
  std::puts(found.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  return 0;
}

/// What `entries` tells of a parameter: all that an input needs.
Json told(const Parameter& parameter) {
  Json members = Json::array();
  for (const Member& one : parameter.members)
    members.push_back({{"dtype", name(one.dtype)}, {"lanes", one.lanes}, {"offset", one.offset}});
  static constexpr std::array kinds{"", "buffer", "scalar", "value", "local", "image", "sampler", "texel_buffer"};
  return {{"name", parameter.name},
          {"kind", kinds.at(static_cast<std::size_t>(parameter.kind))},
          {"dtype", name(parameter.dtype)},
          {"bytes", parameter.kind == Parameter::Kind::value ? parameter.bytes : bytes_of(parameter.dtype)},
          {"lanes", parameter.lanes},
          {"members", members},
          {"dimensions", parameter.dimensions},
          {"sampled", parameter.is_sampled},
          {"texel", parameter.texel ? Json(name(*parameter.texel)) : Json(nullptr)}};
}

/// Prints each entry of the pack: its parameters and its group.
int entries(const std::string& file) {
  const ProgramPack pack = must(ProgramPack::open(file));
  Json found = Json::object();
  for (const VariantInfo& variant : pack.variants())
    for (const Entry& entry : variant.entries) {
      Json parameters = Json::array();
      for (const Parameter& one : entry.parameters) parameters.push_back(told(one));
      found[entry.name] = {{"parameters", parameters},
                           {"group", {entry.group_size.x, entry.group_size.y, entry.group_size.z}}};
    }
  std::puts(found.dump().c_str());
  return 0;
}

/// The arguments of a launch, with what they lend.
class Arguments {
 public:
  Arguments(const Device& device, const Entry& entry, const Json& plan) : queue_(must(device.create_queue())) {
    bytes_.reserve(entry.parameters.size());
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const Parameter& parameter = entry.parameters[i];
      const Json& value = plan.at("arguments").at(i);
      if (parameter.kind == Parameter::Kind::sampler) arguments_.emplace_back(Sampler{});
      else if (parameter.kind == Parameter::Kind::image)
        add_image(device, i, parameter, plan.at("images").at(i), value);
      else if (parameter.kind == Parameter::Kind::texel_buffer) add_texels(device, i, plan.at("images").at(i), value);
      else add(device, i, parameter, value);
    }
  }
  [[nodiscard]] const std::vector<KernelArgument>& list() const { return arguments_; }
  Queue& queue() { return queue_; }

  /// The bytes of each buffer and image go to a file behind the prefix.
  void write(const std::string& prefix) {
    for (const auto& [place, image] : images_)
      must(must(queue_.submit(CommandList{}.copy(raw(buffers_[place].second), image))).wait());
    for (const auto& [index, buffer] : buffers_) {
      Bytes bytes(buffer.size_bytes());
      must(must(queue_.submit(CommandList{}.download(bytes, raw(buffer)))).wait());
      write_file(prefix + std::to_string(index), bytes);
    }
  }

 private:
  static BufferView raw(const Buffer& buffer) { return must(buffer.view().as(DType::u8, Shape{buffer.size_bytes()})); }
  void add(const Device& device, std::size_t index, const Parameter& parameter, const Json& value) {
    if (parameter.kind == Parameter::Kind::local) {
      arguments_.emplace_back(Local{value.get<std::uint64_t>() / bytes_of(parameter.dtype)});
      return;
    }
    bytes_.push_back(read_file(value.get<std::string>()));
    const Bytes& bytes = bytes_.back();
    if (parameter.kind == Parameter::Kind::value) {
      arguments_.emplace_back(ByValue{bytes});
    } else if (parameter.kind == Parameter::Kind::scalar) {
      Scalar scalar;
      std::memcpy(scalar.bytes.data(), bytes.data(), std::min(bytes.size(), scalar.bytes.size()));
      arguments_.emplace_back(ScalarValue(parameter.dtype, scalar));
    } else {
      add_buffer(device, index, parameter.dtype, bytes);
      arguments_.emplace_back(buffers_.back().second);
    }
  }
  void add_buffer(const Device& device, std::size_t index, DType dtype, const Bytes& bytes) {
    buffers_.emplace_back(index, must(device.allocate(dtype, Shape{bytes.size() / bytes_of(dtype)})));
    must(must(queue_.submit(CommandList{}.upload(raw(buffers_.back().second), bytes))).wait());
  }
  static Texel texel_of(const Json& of) { return parse_texel(of.at("texel").get<std::string>()).value(); }
  /// Texels of a buffer, {"texel": "rgba8", "sides": [65536]}.
  void add_texels(const Device& device, std::size_t index, const Json& of, const std::string& file) {
    add_buffer(device, index, DType::u8, read_file(file));
    arguments_.emplace_back(TexelBuffer{raw(buffers_.back().second), texel_of(of)});
  }
  /// An image, {"texel": "rgba8", "sides": [32, 32]}, beside the buffer that its texels come from and go to.
  void add_image(const Device& device, std::size_t index, const Parameter& parameter, const Json& of,
                 const std::string& file) {
    const auto sides = of.at("sides").get<std::vector<std::uint32_t>>();
    const ImageExtent extent{sides.at(0), sides.at(1), sides.size() > 2 ? sides[2] : 0};
    Image image = must(device.create_image(extent, texel_of(of), {.access = parameter.access}));
    add_buffer(device, index, DType::u8, read_file(file));
    must(must(queue_.submit(CommandList{}.copy(image, raw(buffers_.back().second)))).wait());
    if (parameter.is_sampled) arguments_.emplace_back(SampledImage{.image = image});
    else arguments_.emplace_back(image);
    images_.emplace_back(buffers_.size() - 1, std::move(image));
  }

  Queue queue_;
  std::vector<Bytes> bytes_;
  std::vector<std::pair<std::size_t, Buffer>> buffers_;
  std::vector<std::pair<std::size_t, Image>> images_;  // with the place in `buffers_`
  std::vector<KernelArgument> arguments_;
};

/// {"index": 0, "entry": "k", "groups": [4, 1, 1], "arguments": ["0.bin", "1.bin", 256, ...]}: files, and bytes of
/// local memory.
void run_one(const Device& device, const Program& program, const Json& plan, const std::string& prefix) {
  const Kernel kernel = must(program.kernel(plan.at("entry").get<std::string>()));
  Arguments arguments(device, kernel.entry(), plan);
  const auto groups = plan.at("groups").get<std::array<std::uint32_t, 3>>();
  CommandList list;
  list.exec_with(kernel, Grid{groups[0], groups[1], groups[2]}, arguments.list());
  must(must(arguments.queue().submit(std::move(list))).wait());
  arguments.write(prefix);
}

/// A kernel that does not end keeps the device: what comes behind it needs another child.
[[noreturn]] void leave_hung(const Json& plan, const char* words) {
  const nlohmann::ordered_json said{{"index", plan.at("index")}, {"hung", words}};
  std::puts(said.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  std::fflush(stdout);
  std::_Exit(0);
}

int run(const std::string& device_id, const std::string& file, const std::string& plans, const std::string& folder) {
  const Device device = must(open(device_id));
  const Program program = must(device.load(must(ProgramPack::open(file))));
  foreign::run_plans(plans, folder, [&](const Json& plan, const std::string& prefix) {
    try {
      run_one(device, program, plan, prefix);
    } catch (const Exception& error) {
      if (error.error().code() == Errc::timeout) leave_hung(plan, error.what());
      throw;
    }
  });
  return 0;
}

}  // namespace

int main(int count, char** words) try {
  const std::vector<std::string> all(words, words + count);
  if (count == 4 && all[1] == "load") return load(all[2], all[3]);
  if (count == 3 && all[1] == "entries") return entries(all[2]);
  if (count == 6 && all[1] == "run") return run(all[2], all[3], all[4], all[5]);
  std::fputs("foreign_probe load DEVICE PACK | entries PACK | run DEVICE PACK PLANS FOLDER\n", stderr);
  return 2;
} catch (const std::exception& error) {
  return std::fputs(error.what(), stderr), 1;
}
