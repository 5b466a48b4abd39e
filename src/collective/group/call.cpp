#include "collective/group/call.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace pintle::collective {
namespace {

[[nodiscard]] std::string name_or_number(std::string_view name, unsigned number) {
  return name.empty() || name == "unknown" ? fmt::to_string(number) : std::string(name);
}

[[nodiscard]] std::string size_text(const Call& call) {
  const std::string dtype =
      name_or_number(is_dtype(call.dtype) ? pintle::name(call.dtype) : "", static_cast<unsigned>(call.dtype));
  const auto bytes = is_dtype(call.dtype) ? base::checked_mul(call.count, bytes_of(call.dtype)) : std::nullopt;
  return fmt::format("{}, {} elements, {} bytes", dtype, call.count, bytes ? fmt::to_string(*bytes) : "too many");
}

}  // namespace

Operation operation_of(Collective::Kind kind) noexcept {
  switch (kind) {
    case Collective::Kind::all_reduce: return Operation::all_reduce;
    case Collective::Kind::reduce: return Operation::reduce;
    case Collective::Kind::reduce_scatter: return Operation::reduce_scatter;
    case Collective::Kind::all_gather: return Operation::all_gather;
    case Collective::Kind::gather: return Operation::gather;
    case Collective::Kind::scatter: return Operation::scatter;
    case Collective::Kind::broadcast: return Operation::broadcast;
    case Collective::Kind::all_to_all: return Operation::all_to_all;
    case Collective::Kind::send:
    case Collective::Kind::recv: return Operation::send_recv;
    case Collective::Kind::barrier: return Operation::barrier;
  }
  return Operation::none;
}

bool has_root(Operation operation) noexcept {
  return operation == Operation::reduce || operation == Operation::gather || operation == Operation::scatter ||
         operation == Operation::broadcast;
}

bool folds(Operation operation) noexcept {
  return operation == Operation::all_reduce || operation == Operation::reduce || operation == Operation::reduce_scatter;
}

std::string_view name(Operation operation) noexcept {
  switch (operation) {
    case Operation::none: return "nothing";
    case Operation::all_reduce: return "all_reduce";
    case Operation::reduce: return "reduce";
    case Operation::reduce_scatter: return "reduce_scatter";
    case Operation::all_gather: return "all_gather";
    case Operation::gather: return "gather";
    case Operation::scatter: return "scatter";
    case Operation::broadcast: return "broadcast";
    case Operation::all_to_all: return "all_to_all";
    case Operation::send_recv: return "send to recv";
    case Operation::barrier: return "barrier";
    case Operation::set_up: return "set-up";
  }
  return {};
}

std::uint64_t pack(const Call& call) noexcept {
  return static_cast<std::uint64_t>(call.operation) | static_cast<std::uint64_t>(call.op) << 8 |
         static_cast<std::uint64_t>(call.dtype) << 16 | static_cast<std::uint64_t>(call.algorithm) << 24 |
         std::uint64_t{call.is_reproducible} << 31 | static_cast<std::uint64_t>(call.root) << 32;
}

Call unpack(std::uint64_t number, std::uint64_t count, std::uint64_t rest) noexcept {
  Call call;
  call.number = number;
  call.count = count;
  call.operation = static_cast<Operation>(rest & 0xff);
  call.op = static_cast<ReduceOp>(rest >> 8 & 0xff);
  call.dtype = static_cast<DType>(rest >> 16 & 0xff);
  call.algorithm = static_cast<Algorithm>(rest >> 24 & 0x7f);
  call.is_reproducible = (rest >> 31 & 1) != 0;
  call.root = static_cast<std::uint32_t>(rest >> 32);
  return call;
}

std::string text(const Call& call) {
  std::string text =
      fmt::format("{} {}", name_or_number(name(call.operation), static_cast<unsigned>(call.operation)), call.number);
  if (call.operation == Operation::barrier || call.operation == Operation::none ||
      call.operation == Operation::set_up) {
    return text;
  }
  text += " (";
  if (folds(call.operation)) {
    text += name_or_number(pintle::name(call.op), static_cast<unsigned>(call.op)) + ", ";
  }
  text += size_text(call);
  if (has_root(call.operation)) text += fmt::format(", root {}", call.root);
  if (call.algorithm != Algorithm::automatic) {
    text += ", " + name_or_number(pintle::name(call.algorithm), static_cast<unsigned>(call.algorithm));
  }
  if (call.is_reproducible) text += ", reproducible";
  return text + ")";
}

}  // namespace pintle::collective
