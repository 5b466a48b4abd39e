// How a kernel's arguments are given, and what is told of its parameters.
#include <array>
#include <cstring>

#include "facts/session.h"

namespace facts {
namespace {

/// The arguments of `parameters` as they lie, with more bytes behind them.
class Buffer {
 public:
  explicit Buffer(const Session& session) : session_(session) {
    const DevicePointer out = session.allocate(64);
    std::memcpy(bytes_.data() + 8, &out, sizeof out);
  }

  /// Launches with so many bytes.
  Status launch(const char* kernel, std::size_t size) {
    std::array<void*, 5> extra{reinterpret_cast<void*>(launch_buffer), bytes_.data(),
                               reinterpret_cast<void*>(launch_buffer_size), &size, reinterpret_cast<void*>(launch_end)};
    return launch(kernel, nullptr, extra.data());
  }
  Status launch(const char* kernel, void** each, void** extra) {
    return session_.cuda.cuLaunchKernel(session_.function(kernel), 1, 1, 1, 1, 1, 1, 0, session_.stream, each, extra);
  }
  std::byte* at(std::size_t offset) { return bytes_.data() + offset; }

 private:
  const Session& session_;
  std::array<std::byte, 8192> bytes_{};
};

std::string sizes(Session& session) {
  Buffer buffer(session);
  const auto launch = [&](std::size_t size) { return buffer.launch("parameters", size); };
  return codes({launch(40), launch(36), launch(44), launch(16), launch(0), launch(104), launch(4096), launch(5000),
                session.finish(session.stream)});
}

std::string both_ways(Session& session) {
  Buffer buffer(session);
  std::array<void*, 4> each{buffer.at(0), buffer.at(4), buffer.at(8), buffer.at(16)};
  std::size_t size = 40;
  std::array<void*, 5> extra{reinterpret_cast<void*>(launch_buffer), buffer.at(0),
                             reinterpret_cast<void*>(launch_buffer_size), &size, reinterpret_cast<void*>(launch_end)};
  return text(buffer.launch("parameters", each.data(), extra.data()));
}

std::string only_the_end(Session& session) {
  std::array<void*, 1> extra{reinterpret_cast<void*>(launch_end)};
  return text(Buffer(session).launch("parameters", nullptr, extra.data()));
}

/// "0+4 4+4 8+8 16+24, then 1": offset and size of each parameter, and the code behind the last.
std::string told(Session& session, const char* kernel) {
  const Function function = session.function(kernel);
  std::string line;
  Status status = Status::CUDA_SUCCESS;
  for (std::size_t index = 0;; ++index) {
    std::size_t offset = 0, size = 0;
    status = session.cuda.cuFuncGetParamInfo(function, index, &offset, &size);
    if (status != Status::CUDA_SUCCESS || index == 16) break;
    line += (line.empty() ? "" : " ") + std::to_string(offset) + "+" + std::to_string(size);
  }
  return line.empty() ? text(status) : line + ", then " + text(status);
}

constexpr Rule rules[] = {
    {"arguments.none_for_no_parameter", "line 196",
     [](Session& s) { return text(Buffer(s).launch("nothing", nullptr, nullptr)); }},
    {"arguments.none_for_parameters", "line 197",
     [](Session& s) { return text(Buffer(s).launch("parameters", nullptr, nullptr)); }},
    {"arguments.buffers_of_40_36_44_16_0_104_4096_5000_bytes_for_40", "lines 209 to 216", &sizes, Of::cuda},
    {"arguments.both_ways", "line 217", &both_ways, Of::cuda},
    {"arguments.only_the_end", "line 218", &only_the_end, Of::cuda},
    {"arguments.a_buffer_for_no_parameter", "line 219",
     [](Session& s) { return text(Buffer(s).launch("nothing", std::size_t{8})); }, Of::cuda},
    {"arguments.told_of_four_parameters", "lines 564 to 568", [](Session& s) { return told(s, "parameters"); },
     Of::cuda},
    {"arguments.told_of_no_parameter", "line 569", [](Session& s) { return told(s, "nothing"); }, Of::cuda},
};

}  // namespace

std::span<const Rule> argument_rules() { return rules; }

}  // namespace facts
