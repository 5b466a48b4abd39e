#include "backends/pjrt/program.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "kit/left_out.h"
#include "kit/no_source.h"

namespace pintle::pjrt {
namespace {

/// Code that has one function, and so one entry.
Result<void> check_single(const backend::ProgramImage& image) {
  if (image.entries.size() == 1) return {};
  return Error(Errc::invalid_argument,
               fmt::format("[Program {}] declares ({}) entries, and its code has one function; text has several.",
                           base::quote(image.name), image.entries.size()));
}

}  // namespace

Result<std::unique_ptr<Program>> Program::load(const Client& client, const backend::ProgramImage& image) {
  PINTLE_TRY(kit::refuse_options(image));
  auto program = std::make_unique<Program>();
  if (image.format == "pjrt_executable") {
    PINTLE_TRY(program->add_opaque(image, Code::Kind::own));
  } else if (image.format != "stablehlo") {
    return Error(Errc::unsupported,
                 fmt::format("Format {} of [Program {}] is none of the pjrt backend's (stablehlo, pjrt_executable).",
                             base::quote(image.format), base::quote(image.name)));
  } else if (stablehlo::is_bytecode(image.code)) {
    PINTLE_TRY(program->add_opaque(image, Code::Kind::mlir));
  } else {
    PINTLE_TRY(program->add_text(image));
  }
  for (const auto& kernel : program->kernels_) {
    if (kernel != nullptr && kernel->is_fixed()) PINTLE_TRY(kernel->compile(client));
  }
  return program;
}

Result<void> Program::add_text(const backend::ProgramImage& image) {
  const std::string where = fmt::format("loading [Program {}]", base::quote(image.name));
  const auto read = stablehlo::Module::read(base::text_in(image.code));
  if (!read) return read.error().during(where);
  const auto module = std::make_shared<const stablehlo::Module>(std::move(*read));
  for (const Entry& entry : image.entries) {
    kernels_.push_back(nullptr);
    if (module->find(entry.name) == nullptr) {
      if (kit::leave_out(image, entry.name, kit::not_in_code)) continue;
      return Error(Errc::build_failed, fmt::format("Entry {} of [Program {}] {}.", base::quote(entry.name),
                                                   base::quote(image.name), kit::not_in_code));
    }
    PINTLE_ASSIGN(kernel, Kernel::match(image, entry, module));
    kernels_.back() = std::move(kernel);
  }
  return {};
}

Result<void> Program::add_opaque(const backend::ProgramImage& image, Code::Kind kind) {
  PINTLE_TRY(check_single(image));
  PINTLE_ASSIGN(kernel, Kernel::opaque(image, image.entries.front(), kind));
  kernels_.push_back(std::move(kernel));
  return {};
}

}  // namespace pintle::pjrt
