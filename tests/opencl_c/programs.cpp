#include "programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cli/compilers/entry_names.h"
#include "conversions.h"

namespace pintle::test {
namespace {

const Number& half_type() { return *std::ranges::find(numbers(), "half", &Number::name); }

/// A generator whose numbers are the same everywhere.
class Sequence {
 public:
  explicit Sequence(unsigned seed) : state_(seed * 2654435761U + 12345) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_;
};

std::vector<Entry> entries_in(const Example& one) {
  std::vector<Entry> entries;
  for (const opencl_c::OpenClKernel& kernel :
       must(cli::kernels_of({one.name + ".cl", io::Language::opencl_c, {}, {}, one.source})))
    entries.push_back(must(opencl_c::infer(kernel)));
  return entries;
}

Result<Program> load(Device& device, const Example& one) {
  std::vector<std::string> signatures;
  for (const Entry& entry : entries_in(one)) signatures.push_back(entry.signature());
  const std::vector<std::string_view> views(signatures.begin(), signatures.end());
  return device.load(must(ProgramPack::source("opencl_c", one.source, views, one.name)));
}

KernelArgument argument(const Given& given, const std::vector<Buffer>& buffers) {
  if (const auto* const in = std::get_if<In>(&given)) return buffers.at(in->index);
  if (const auto* const scalar = std::get_if<ScalarValue>(&given)) return *scalar;
  if (const auto* const local = std::get_if<Local>(&given)) return *local;
  return ByValue{std::get<std::vector<std::byte>>(given)};
}

Memory result_of(Device& device, const Program& program, const Example& one) {
  Queue queue = must(device.create_queue());
  std::vector<Buffer> buffers;
  for (const Data& data : one.buffers) {
    buffers.push_back(must(device.allocate(data.dtype, {data.bytes.size() / bytes_of(data.dtype)})));
    must(queue.submit(CommandList{}.upload(buffers.back(), data.bytes)));
  }
  for (const Launch& launch : one.launches) {
    const Kernel kernel = must(program.kernel(launch.kernel));
    std::vector<KernelArgument> arguments;
    for (const Given& given : launch.arguments) arguments.push_back(argument(given, buffers));
    CommandList list;
    list.exec_with(kernel, launch.items, arguments);
    must(queue.submit(std::move(list)));
  }
  Memory left{one.buffers};
  for (std::size_t i = 0; i < buffers.size(); ++i)
    must(must(queue.submit(CommandList{}.download(left.all[i].bytes, buffers[i]))).wait());
  return left;
}

double element(const Data& data, std::size_t index) {
  const auto get = [&]<class T>(T value) {
    std::memcpy(&value, data.bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  if (data.dtype == DType::f32) return static_cast<double>(get(0.0F));
  if (data.dtype == DType::f64) return get(0.0);
  return static_cast<double>(of_half(get(std::uint16_t{0})));
}

void compare(const Data& got, const Data& wanted, double tolerance) {
  const bool is_float = got.dtype == DType::f32 || got.dtype == DType::f64 || got.dtype == DType::f16;
  const std::size_t size = bytes_of(got.dtype);
  for (std::size_t i = 0; i < got.bytes.size() / size; ++i) {
    if (std::memcmp(got.bytes.data() + i * size, wanted.bytes.data() + i * size, size) == 0) continue;
    if (!is_float) {
      ADD_FAILURE() << "element " << i << " differs";
      return;
    }
    const double a = element(got, i), b = element(wanted, i);
    if (std::fabs(a - b) <= tolerance * (1 + std::fabs(b)) || (std::isnan(a) && std::isnan(b))) continue;
    ADD_FAILURE() << "element " << i << " is " << a << ", wanted " << b;
    return;
  }
}

}  // namespace

std::vector<float> floats(std::size_t count, unsigned seed) {
  std::vector<float> all(count);
  Sequence sequence(seed);
  for (float& one : all) one = static_cast<float>(sequence.next() % 20001) / 10000 - 1;
  return all;
}

std::vector<std::int32_t> integers(std::size_t count, std::int32_t below, unsigned seed) {
  std::vector<std::int32_t> all(count);
  Sequence sequence(seed);
  for (std::int32_t& one : all) one = static_cast<std::int32_t>(sequence.next() % static_cast<std::uint32_t>(below));
  return all;
}

std::vector<float> whole_floats(std::size_t count, unsigned seed) {
  std::vector<float> all;
  for (const std::int32_t one : integers(count, 17, seed)) all.push_back(static_cast<float>(one - 8));
  return all;
}

std::uint16_t half_of(float value) {
  const Number& half = half_type();
  return static_cast<std::uint16_t>(bits_of(half, to_float(half, static_cast<Real>(value), Mode::rte)));
}

float of_half(std::uint16_t bits) { return static_cast<float>(value_of(half_type(), bits)); }

Data half_data(std::span<const float> values) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(half_of(value));
  return Data::of(std::span<const std::uint16_t>(halves), DType::f16);
}

void expect_right(Device& device, const Example& one) {
  SCOPED_TRACE(one.name);
  const auto program = load(device, one);
  if (!program && one.has_doubles && std::string_view(program.error().text()).contains("cl_khr_fp64")) return;
  const Memory got = result_of(device, must(program), one);
  Memory wanted{one.buffers};
  one.oracle(wanted);
  const double tolerance = one.elsewhere != 0 && device.info().id != "cpu" ? one.elsewhere : one.tolerance;
  for (std::size_t i = 0; i < wanted.all.size(); ++i) {
    SCOPED_TRACE("buffer " + std::to_string(i));
    compare(got.all[i], wanted.all[i], tolerance);
  }
}

}  // namespace pintle::test
