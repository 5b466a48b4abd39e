// A set of handles as a safetensors file.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "base/timeout.h"
#include "io/safetensors.h"
#include "memory/handle_state.h"
#include "pintle/handle_set.h"

namespace pintle {

using memory::HandleState;

namespace {

/// The names that the file and the set must have in common, apart from the caller's exceptions.
class Match {
 public:
  Match(const std::vector<std::string>& handles, const io::TensorSet& file, const HandleLoadOptions& options)
      : handles_(handles), options_(options) {
    for (const io::TensorView& tensor : file.tensors) tensors_.push_back(tensor.name);
    for (const io::LeftOutTensor& tensor : file.left_out) tensors_.push_back(tensor.name);
    std::ranges::sort(tensors_);
  }

  [[nodiscard]] Result<void> check() const {
    PINTLE_TRY(check_known(options_.reuse_last, handles_, "Name of HandleLoadOptions::reuse_last", "handle"));
    PINTLE_TRY(check_known(options_.ignore, tensors_, "Name of HandleLoadOptions::ignore", "tensor of the file"));
    PINTLE_TRY(check_ignored());
    PINTLE_TRY(check_known(without(handles_, options_.reuse_last), tensors_, "Handle", "tensor of the file"));
    return check_known(without(tensors_, options_.ignore), handles_, "Tensor of the file", "handle");
  }

 private:
  using Names = std::vector<std::string>;

  [[nodiscard]] static bool has(const Names& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }
  [[nodiscard]] static Names without(const Names& names, const Names& excepted) {
    Names rest;
    std::ranges::copy_if(names, std::back_inserter(rest), [&](const auto& name) { return !has(excepted, name); });
    return rest;
  }
  [[nodiscard]] Result<void> check_ignored() const {
    const Names taken = without(options_.ignore, without(options_.ignore, handles_));
    if (taken.empty()) return {};
    return Error(Errc::invalid_argument,
                 fmt::format("Name of HandleLoadOptions::ignore ({}) is a handle's, which is loaded.",
                             memory::quoted_names(taken)));
  }
  [[nodiscard]] static Result<void> check_known(const Names& names, const Names& known, std::string_view what,
                                                std::string_view kind) {
    const Names unknown = without(names, known);
    if (unknown.empty()) return {};
    return Error(Errc::not_found, fmt::format("{} ({}) is the name of no {}; there are: {}.", what,
                                              memory::quoted_names(unknown), kind, memory::quoted_names(known)));
  }

  const Names& handles_;
  const HandleLoadOptions& options_;
  Names tensors_;
};

Result<void> check_tensor(const io::TensorView& tensor, const HandleState& handle) {
  if (tensor.dtype == handle.dtype() && tensor.shape == handle.shape()) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Tensor {} of the file has dtype and shape ({} {}), which are not those ({} {}) of {}.",
                           base::quote(tensor.name), name(tensor.dtype), tensor.shape.text(), name(handle.dtype()),
                           handle.shape().text(), handle.text()));
}

/// A handle whose tensor has a dtype that Pintle lacks keeps what it has only where the caller says so.
Result<void> check_left_out(const std::string& name, const io::TensorSet& file, const HandleLoadOptions& options) {
  const auto out = std::ranges::find(file.left_out, name, &io::LeftOutTensor::name);
  const bool is_reused = std::ranges::find(options.reuse_last, name) != options.reuse_last.end();
  if (out == file.left_out.end() || is_reused) return {};
  return out->error();
}

/// Finds the bytes of the file for each handle. Every name and every handle is checked.
Result<std::vector<std::pair<HandleState*, std::span<const std::byte>>>> match(const std::vector<HandleState*>& handles,
                                                                               const io::TensorSet& file,
                                                                               const HandleLoadOptions& options) {
  std::vector<std::string> names;
  for (const HandleState* handle : handles) names.push_back(handle->name());
  PINTLE_TRY(Match(names, file, options).check());
  std::vector<std::pair<HandleState*, std::span<const std::byte>>> sources;
  for (HandleState* handle : handles) {
    const auto tensor = std::ranges::find(file.tensors, handle->name(), &io::TensorView::name);
    if (tensor == file.tensors.end()) {
      PINTLE_TRY(check_left_out(handle->name(), file, options));
      PINTLE_TRY(handle->check_current());  // a handle that was lost with its device cannot be used again
      continue;
    }
    PINTLE_TRY(check_tensor(*tensor, *handle));
    sources.emplace_back(handle, tensor->bytes);
  }
  return sources;
}

}  // namespace

Result<void> HandleSet::save(Queue& queue, const std::filesystem::path& path, Timeout timeout) {
  return base::enter("saving a set of handles", [&]() -> Result<void> {
    PINTLE_ASSIGN(all, states());
    io::TensorSet file;
    CommandList list;
    std::vector<memory::HostBytes> owners;
    for (const HandleState* state : all) {
      PINTLE_TRY(state->check_current());
      const memory::HostBytes copy = memory::allocate_host(state->size_bytes());
      const std::span<std::byte> bytes(copy.get(), state->size_bytes());
      list.download_retained(copy, bytes, state->view());
      owners.push_back(copy);
      file.tensors.push_back({state->name(), state->dtype(), state->shape(), bytes});
    }
    PINTLE_TRY(queue.submit_and_wait(std::move(list), timeout));
    return io::write_safetensors(file, path);
  });
}

Result<Point> HandleSet::load(Queue& queue, const std::filesystem::path& path, const HandleLoadOptions& options,
                              Timeout timeout) {
  const auto loaded = [&](Deadline deadline) -> Result<Point> {
    PINTLE_ASSIGN(all, states());
    PINTLE_ASSIGN(opened, io::read_safetensors(path));
    const auto file = std::make_shared<const io::TensorFile>(std::move(opened));
    PINTLE_ASSIGN(sources, match(all, file->contents, options));
    for (const auto& [state, bytes] : sources) PINTLE_TRY(state->settle(deadline));
    std::vector<memory::HandleWrite> writes;
    for (const auto& [state, bytes] : sources) {
      PINTLE_ASSIGN(contents, state->contents_from(bytes, file));
      writes.push_back({state, std::move(contents)});
    }
    return memory::submit_writes(queue, std::move(writes), deadline);
  };
  return base::enter("loading a set of handles", timeout, [&](Deadline deadline) -> Result<Point> {
    auto point = loaded(deadline);
    if (!point) return point.error().during(fmt::format("loading {}", base::quote(path.string(), 4096)));
    return point;
  });
}

}  // namespace pintle
