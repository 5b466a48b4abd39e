// Many expressions over many values as few kernels: what the tests of built-in functions run.
#pragma once

#include <algorithm>
#include <span>

#include "rig.h"

namespace pintle::test {

/// As many values divide into vectors of 2, 3, 4, 8 and 16, in groups of 64.
constexpr std::size_t value_count = 3072;

/// One expression of a, b and c. NUMBER stands for the scalar type, FLOATS for the vector, INTS for as many `int`, SAME
/// for what a comparison has.
struct Expression {
  std::string text;
  std::string result;  ///< The scalar type of what it leaves.
  std::size_t result_bytes;
};

/// What the arguments and results are, and how many expressions become one kernel: with one, each has a loop of its
/// own.
struct Form {
  std::string type;
  std::string ints;
  unsigned width = 1;
  std::size_t per_kernel = 1;
};

inline std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline std::string with_width(const std::string& type, unsigned width) {
  return width == 1 ? type : type + std::to_string(width);
}

inline std::string spelled(std::string text, const Form& form) {
  text = replaced_in(std::move(text), "NUMBER", form.type);
  text = replaced_in(std::move(text), "FLOATS", with_width(form.type, form.width));
  // A scalar's second result is an int, whatever the type.
  text = replaced_in(std::move(text), "INTS", with_width("int", form.width));
  return replaced_in(std::move(text), "SAME", with_width(form.width == 1 ? "int" : form.ints, form.width));
}

/// The kernel of the expressions from `begin` on: each writes its results behind those of the one before.
inline std::string kernel_text(std::span<const Expression> all, std::size_t begin, const Form& form) {
  const std::string wide = with_width(form.type, form.width), n = form.width == 1 ? "" : std::to_string(form.width);
  const auto load = [&](const char* from) {
    return form.width == 1 ? std::string(from) + "[i]" : "vload" + n + "(i, " + from + ")";
  };
  std::string text = "kernel void f" + std::to_string(begin) +
                     "(global const NUMBER* A, global const NUMBER* B, global " +
                     "const NUMBER* C, global uchar* r) {\n  const size_t i = get_global_id(0);\n  const " + wide +
                     " a = " + load("A") + ", b = " + load("B") + ", c = " + load("C") + ";\n";
  for (std::size_t k = begin; k < std::min(begin + form.per_kernel, all.size()); ++k) {
    const std::string to = "(global " + all[k].result + "*)(r + " + std::to_string((k - begin) * value_count * 8) + ")";
    text += form.width == 1 ? "  (" + to + ")[i] = " + all[k].text + ";\n"
                            : "  vstore" + n + "(" + all[k].text + ", i, " + to + ");\n";
  }
  return spelled(text + "}\n", form);
}

/// What each expression leaves, eight bytes apart for each value that has as many.
inline std::vector<std::vector<std::byte>> results_on(Device& device, std::span<const Expression> all, const Form& form,
                                                      std::span<const std::vector<std::byte>> inputs) {
  std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n";
  const bool has_halves = form.type == "half" || std::ranges::find(all, "half", &Expression::result) != all.end();
  if (has_halves) source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + source;
  std::vector<std::string> signatures;
  for (std::size_t k = 0; k < all.size(); k += form.per_kernel) {
    source += kernel_text(all, k, form);
    signatures.push_back("f" + std::to_string(k) +
                         "(A: read u8[], B: read u8[], C: read u8[], r: write u8[]) group 64");
  }
  const Program program = program_of(device, source, signatures);
  Queue queue = must(device.create_queue());
  std::vector<Buffer> in;
  for (const auto& bytes : inputs) {
    in.push_back(must(device.allocate(DType::u8, {bytes.size()})));
    must(queue.submit(CommandList{}.upload(in.back(), bytes)));
  }
  Buffer out = must(device.allocate(DType::u8, {form.per_kernel * value_count * 8}));
  const Grid groups{static_cast<std::uint32_t>(value_count / form.width / 64), 1, 1};
  std::vector<std::vector<std::byte>> results;
  for (std::size_t begin = 0; begin < all.size(); begin += form.per_kernel) {
    const Kernel kernel = must(program.kernel("f" + std::to_string(begin)));
    std::vector<std::byte> bytes(form.per_kernel * value_count * 8);
    must(must(queue.submit(CommandList{}.exec(kernel, groups, in[0], in[1], in[2], out).download(bytes, out))).wait());
    for (std::size_t k = begin; k < std::min(begin + form.per_kernel, all.size()); ++k) {
      const auto* const from = bytes.data() + (k - begin) * value_count * 8;
      results.emplace_back(from, from + value_count * all[k].result_bytes);
    }
  }
  return results;
}

}  // namespace pintle::test
