#include "faults/faults.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace faults {

using namespace pintle;

void fail(std::string_view text, std::source_location where) {
  std::fprintf(stderr, "failed: %s:%u: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()),
               static_cast<int>(text.size()), text.data());
  std::_Exit(1);
}

void expect_one_of(const Result<void>& result, std::initializer_list<Errc> codes, std::source_location where) {
  if (result || std::ranges::find(codes, result.error().code()) != codes.end()) return;
  fail(result.error().text(), where);
}

Kernel load(const Device& device, std::initializer_list<Source> sources, std::string_view signature) {
  const std::vector<std::string> formats = device.info().formats;
  for (const Source& source : sources) {
    if (std::ranges::find(formats, source.format) == formats.end()) continue;
    const Program program = value(device.load(value(ProgramPack::source(source.format, source.code, {signature}))));
    return value(program.kernel(signature.substr(0, signature.find('('))));
  }
  std::fprintf(stderr, "skipped: [%s] takes none of the kernel's languages.\n", std::string(device.id()).c_str());
  std::_Exit(cannot_run);
}

bool faults_poison(const Device& device) {
  const std::string backend = device.info().backend;
  return backend == "cuda" || backend == "hip";
}

Result<void> compute(const Device& device) {
  PINTLE_ASSIGN(words, device.allocate(DType::u32, {4}));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_TRY(queue.submit(CommandList{}.fill(words, 7U)));
  PINTLE_ASSIGN(seen, read<std::uint32_t>(queue, words));
  expect(seen == std::vector<std::uint32_t>(4, 7U), "the device computes something else");
  return {};
}

}  // namespace faults
