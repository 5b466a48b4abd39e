#include "examples/demo/pipeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "pintle/commands.h"
#include "pintle/queue.h"
#include "pintle/recording.h"

namespace demo {
namespace {

using namespace pintle;

constexpr std::uint64_t most_marks = 4;  // before the first kernel and after each
constexpr int least_timed_runs = 3;
constexpr auto longest_timing = std::chrono::seconds(2);

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Pipeline {
 public:
  static Result<Pipeline> create(const Device& device, const ProgramPack& pack, const Picture& picture);
  Result<void> run();
  Result<Outcome> outcome();

 private:
  Pipeline(const Device& device, const Picture& picture, Queue queue, std::array<Buffer, 4> buffers)
      : picture_(picture), queue_(std::move(queue)), buffers_(std::move(buffers)), info_(device.info()) {}
  Result<void> record(const Device& device, const Program& program);
  Result<void> add(CommandList& list, const Program& program, const std::string& kernel, const Buffer& from,
                   const Buffer* to);
  Result<void> mark(CommandList& list);
  Result<void> read_marks();

  Picture picture_;
  Queue queue_;
  std::array<Buffer, 4> buffers_;  // picture, blurred, edges, marks
  DeviceInfo info_;
  Recording recording_;
  std::vector<Timing> kernels_;
  std::uint64_t marks_ = 0;
  std::vector<std::vector<double>> kernel_times_;
  std::vector<double> times_;
};

Result<Pipeline> Pipeline::create(const Device& device, const ProgramPack& pack, const Picture& picture) {
  const Shape shape{picture.height, picture.width};
  PINTLE_ASSIGN(program, device.load(pack));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(pixels, device.allocate(DType::u8, shape, {.label = "picture"}));
  PINTLE_ASSIGN(blurred, device.allocate(DType::f32, shape, {.label = "blurred"}));
  PINTLE_ASSIGN(edges, device.allocate(DType::f32, shape, {.label = "edges"}));
  PINTLE_ASSIGN(marks, device.allocate(DType::u64, {most_marks}, {.label = "marks"}));
  Pipeline pipeline(device, picture, std::move(queue),
                    {std::move(pixels), std::move(blurred), std::move(edges), std::move(marks)});
  PINTLE_TRY(pipeline.record(device, program));
  return pipeline;
}

Result<void> Pipeline::record(const Device& device, const Program& program) {
  const auto& [pixels, blurred, edges, marks] = buffers_;
  CommandList list;
  PINTLE_TRY(mark(list));
  if (picture_.gray.empty()) PINTLE_TRY(add(list, program, "draw", pixels, nullptr));
  else PINTLE_TRY(queue_.submit_and_wait(CommandList{}.upload(pixels, picture_.gray)));
  PINTLE_TRY(add(list, program, "blur", pixels, &blurred));
  PINTLE_TRY(add(list, program, "sobel", blurred, &edges));
  PINTLE_ASSIGN(recording, device.record(std::move(list)));
  recording_ = std::move(recording);
  kernel_times_.resize(kernels_.size());
  return {};
}

Result<void> Pipeline::add(CommandList& list, const Program& program, const std::string& name, const Buffer& from,
                           const Buffer* to) {
  PINTLE_ASSIGN(kernel, program.kernel(name));
  const auto extent = Grid::cover(picture_.width, picture_.height);
  if (to) list.exec(kernel, extent, picture_.width, picture_.height, from, *to);
  else list.exec(kernel, extent, picture_.width, picture_.height, from);
  kernels_.push_back({name, from.size_bytes() + (to ? to->size_bytes() : 0), std::nullopt});
  return mark(list);
}

/// The moment at which everything so far is done.
Result<void> Pipeline::mark(CommandList& list) {
  if (info_.capability(Feature::timestamp).support == Support::absent) return {};
  PINTLE_ASSIGN(place, buffers_[3].slice(marks_++, 1));
  list.timestamp(place);
  return {};
}

Result<void> Pipeline::run() {
  const auto start = std::chrono::steady_clock::now();
  PINTLE_ASSIGN(done, queue_.replay(recording_));
  PINTLE_TRY(done.wait());
  times_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return marks_ == 0 ? Result<void>() : read_marks();
}

Result<void> Pipeline::read_marks() {
  PINTLE_ASSIGN(ticks, pintle::read<std::uint64_t>(queue_, buffers_[3]));
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    kernel_times_[i].push_back(static_cast<double>(ticks[i + 1] - ticks[i]) * info_.nanoseconds_per_tick / 1e6);
  }
  return {};
}

Result<Outcome> Pipeline::outcome() {
  const auto& [pixels, blurred, edges, marks] = buffers_;
  Outcome outcome{std::move(kernels_), {"all", 0, std::nullopt}, std::move(picture_), {}, {}};
  outcome.all.milliseconds = median({times_.begin() + warm_up_runs, times_.end()});
  for (std::size_t i = 0; i < outcome.kernels.size(); ++i) {
    const auto& times = kernel_times_[i];
    if (!times.empty()) outcome.kernels[i].milliseconds = median({times.begin() + warm_up_runs, times.end()});
    outcome.all.bytes += outcome.kernels[i].bytes;
  }
  PINTLE_ASSIGN(gray, pintle::read<std::uint8_t>(queue_, pixels));
  PINTLE_ASSIGN(blurred_values, pintle::read<float>(queue_, blurred));
  PINTLE_ASSIGN(edge_values, pintle::read<float>(queue_, edges));
  outcome.picture.gray = std::move(gray);
  outcome.blurred = std::move(blurred_values);
  outcome.edges = std::move(edge_values);
  return outcome;
}

}  // namespace

Result<Outcome> run_pipeline(const Device& device, const ProgramPack& pack, const Picture& picture) {
  PINTLE_ASSIGN(pipeline, Pipeline::create(device, pack, picture));
  for (int i = 0; i < warm_up_runs; ++i) PINTLE_TRY(pipeline.run());
  const auto end = std::chrono::steady_clock::now() + longest_timing;
  for (int i = 0; i < timed_runs && (i < least_timed_runs || std::chrono::steady_clock::now() < end); ++i)
    PINTLE_TRY(pipeline.run());
  return pipeline.outcome();
}

}  // namespace demo
