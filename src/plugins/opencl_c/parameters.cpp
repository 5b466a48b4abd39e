#include "plugins/opencl_c/parameters.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <array>
#include <map>

#include "plugins/opencl_c/members.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;
using Kind = Parameter::Kind;

constexpr std::uint64_t local_space = 3;  // as clang numbers address spaces in a kernel's metadata

std::uint64_t number_in(const MDNode* node, unsigned index) {
  const auto* const value = node == nullptr ? nullptr : mdconst::dyn_extract<ConstantInt>(node->getOperand(index));
  return value == nullptr ? 0 : value->getZExtValue();
}

std::string text_in(const Function& kernel, const char* kind, unsigned index) {
  const MDNode* const node = kernel.getMetadata(kind);
  const auto* const text =
      node == nullptr || index >= node->getNumOperands() ? nullptr : dyn_cast<MDString>(node->getOperand(index));
  return text == nullptr ? std::string() : text->getString().str();
}

std::string text_of(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

/// A type of OpenCL C by its name: "float4*" is a pointer to four of "float".
struct Type {
  std::string number;  ///< Empty: no number, but what the program defines, or void.
  std::string lanes;
  bool is_pointer = false;
  std::uint64_t dimensions = 0;  ///< An image's: 2 or 3; 1 for one over a buffer.
  bool is_sampler = false;
  bool is_other = false;  ///< Another image.
};

Type parse(StringRef text) {
  static const StringSet<> numbers{"char", "uchar", "short", "ushort", "int",  "uint",
                                   "long", "ulong", "half",  "float",  "bool", "double"};
  Type type;
  type.is_pointer = text.consume_back("*");
  text = text.trim();
  if (text.consume_front("_Atomic(")) text.consume_back(")");
  text.consume_front("atomic_");
  type.dimensions = text == "image2d_t" ? 2 : text == "image3d_t" ? 3 : text == "image1d_buffer_t" ? 1 : 0;
  type.is_sampler = text == "sampler_t";
  type.is_other = type.dimensions == 0 && text.starts_with("image") && text.ends_with("_t");
  // clang writes "float4" as "float __attribute__((ext_vector_type(4)))".
  const auto [name, attribute] = text.split(" __attribute__((ext_vector_type(");
  const StringRef number = name.rtrim("0123456789");
  if (!numbers.contains(number)) return type;
  type.number = number.str();
  type.lanes = attribute.empty() ? name.substr(number.size()).str()
                                 : attribute.take_until([](char c) { return c == ')'; }).str();
  return type;
}

bool is_number_of(const Type& type, const Parameter& parameter) {
  return parameter.types.empty() || type.number.empty() || is_contained(parameter.types, type.number);
}

/// Both sides of a difference.
std::string disagree(const Function& kernel, unsigned index, const Parameter& parameter) {
  const std::string type = text_in(kernel, "kernel_arg_type", index);
  const bool is_pointer = StringRef(type).ends_with("*");
  const std::string access = text_in(kernel, "kernel_arg_access_qual", index);
  const std::string space = is_pointer                           ? is_local(kernel, index) ? "local " : "global "
                            : access.empty() || access == "none" ? ""
                                                                 : access + " ";
  return "has the parameter " + std::to_string(index) + " (" + space + type + ") in the source, and " + parameter.name +
         ": " + parameter.declared + " in the signature";
}

bool is_scalar_of(const Type& type, const llvm::Type& code, const Parameter& parameter, const DataLayout& layout) {
  if (type.is_pointer || code.isPointerTy()) return false;
  // An enumeration has no number's name.
  if (type.number.empty())
    return code.isIntegerTy() && layout.getTypeStoreSize(const_cast<llvm::Type*>(&code)) == parameter.bytes;
  return is_contained(parameter.types, type.number + type.lanes);
}

/// What is wrong with one parameter, or nothing.
std::string check_parameter(const Function& kernel, unsigned index, const Parameter& parameter) {
  const Argument& argument = *kernel.getArg(index);
  const Type type = parse(text_in(kernel, "kernel_arg_base_type", index));
  if (type.is_other)
    return "has the parameter " + std::to_string(index) + " (" + text_in(kernel, "kernel_arg_type", index) +
           "): such images the cpu does not have, but image2d_t, image3d_t and image1d_buffer_t";
  const bool is_image = type.dimensions != 0;
  if (is_image || type.is_sampler || parameter.kind == Kind::image || parameter.kind == Kind::sampler) {
    const bool fits = is_image ? parameter.kind == Kind::image && type.dimensions == parameter.dimensions &&
                                     text_in(kernel, "kernel_arg_access_qual", index) == parameter.access
                               : type.is_sampler && parameter.kind == Kind::sampler;
    return fits ? std::string() : disagree(kernel, index, parameter);
  }
  bool fits = false;
  switch (parameter.kind) {
    case Kind::buffer: fits = type.is_pointer && !is_local(kernel, index) && is_number_of(type, parameter); break;
    case Kind::local: fits = type.is_pointer && is_local(kernel, index) && is_number_of(type, parameter); break;
    case Kind::scalar:
      fits = is_scalar_of(type, *argument.getType(), parameter, kernel.getParent()->getDataLayout());
      break;
    case Kind::value:
      if (type.is_pointer) break;
      if (std::string wrong = differing_member(argument, parameter); !wrong.empty())
        return disagree(kernel, index, parameter) + ": " + wrong;
      fits = true;
      break;
    case Kind::image:
    case Kind::sampler: break;
  }
  return fits ? std::string() : disagree(kernel, index, parameter);
}

/// The parameter that an address is computed from; null where that is not certain.
const Argument* origin(const Value* address) { return dyn_cast<Argument>(getUnderlyingObject(address, 0)); }

/// Calls `see` with each address that the kernel accesses, its alignment, and whether it is written.
template <class See>
void for_each_access(const Function& kernel, See see) {
  for (const Instruction& instruction : instructions(kernel)) {
    if (const auto* const load = dyn_cast<LoadInst>(&instruction))
      see(load->getPointerOperand(), load->getAlign(), false);
    else if (const auto* const store = dyn_cast<StoreInst>(&instruction))
      see(store->getPointerOperand(), store->getAlign(), true);
    else if (const auto* const change = dyn_cast<AtomicRMWInst>(&instruction))
      see(change->getPointerOperand(), change->getAlign(), true);
    else if (const auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      see(exchange->getPointerOperand(), exchange->getAlign(), true);
    else if (const auto* const memory = dyn_cast<MemIntrinsic>(&instruction)) {
      see(memory->getDest(), memory->getDestAlign().valueOrOne(), true);
      if (const auto* const copy = dyn_cast<MemTransferInst>(memory))
        see(copy->getSource(), copy->getSourceAlign().valueOrOne(), false);
    }
  }
}

/// A buffer that is only read, and that the code writes.
std::string check_accesses(const Function& kernel, const Entry& entry) {
  std::string wrong;
  for_each_access(kernel, [&](const Value* address, Align, bool is_written) {
    const Argument* const argument = is_written && wrong.empty() ? origin(address) : nullptr;
    if (argument == nullptr || argument->getArgNo() >= entry.parameters.size()) return;
    const Parameter& parameter = entry.parameters[argument->getArgNo()];
    if (parameter.kind != Kind::buffer || parameter.access != "r") return;
    wrong = "writes through the parameter " + std::to_string(argument->getArgNo()) + " (" +
            text_in(kernel, "kernel_arg_type", argument->getArgNo()) + ") in the source, and has " + parameter.name +
            ": " + parameter.declared + " in the signature";
  });
  return wrong;
}

std::string check_group(const Function& kernel, const Entry& entry) {
  const MDNode* const size = kernel.getMetadata("reqd_work_group_size");
  if (size == nullptr) return {};
  const std::array asked{number_in(size, 0), number_in(size, 1), number_in(size, 2)};
  if (asked == entry.group) return {};
  return "has the work-group size (" + text_of(asked[0], asked[1], asked[2]) + ") in the source, and (" +
         text_of(entry.group[0], entry.group[1], entry.group[2]) + ") in the signature";
}

}  // namespace

bool is_local(const Function& kernel, unsigned index) {
  const MDNode* const node = kernel.getMetadata("kernel_arg_addr_space");
  return node != nullptr && index < node->getNumOperands() && number_in(node, index) == local_space;
}

std::string check_parameters(const Function& kernel, const Entry& entry) {
  if (std::string wrong = check_group(kernel, entry); !wrong.empty()) return wrong;
  const std::uint64_t count = kernel.arg_size();
  const bool local_last = count == entry.parameters.size() + 1 && is_local(kernel, static_cast<unsigned>(count - 1));
  if (count != entry.parameters.size() && !local_last)
    return "has " + std::to_string(count) + " parameters in the source, and " +
           std::to_string(entry.parameters.size()) + " in the signature";
  if (local_last && entry.local_bytes == 0)
    return "has a last parameter in local memory, which the signature does not give (`tile: local f32[]`, sized at "
           "the launch, or `local 1024` behind the parameters)";
  for (unsigned i = 0; i < entry.parameters.size(); ++i)
    if (std::string wrong = check_parameter(kernel, i, entry.parameters[i]); !wrong.empty()) return wrong;
  return check_accesses(kernel, entry);
}

void access_anywhere(Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  const auto lowered = [&](llvm::Type* type, Align now) {
    const auto* const vector = dyn_cast<FixedVectorType>(type);
    return vector == nullptr ? now : std::min(now, layout.getABITypeAlign(vector->getElementType()));
  };
  for (Instruction& one : instructions(kernel)) {
    if (auto* const load = dyn_cast<LoadInst>(&one)) load->setAlignment(lowered(load->getType(), load->getAlign()));
    if (auto* const store = dyn_cast<StoreInst>(&one))
      store->setAlignment(lowered(store->getValueOperand()->getType(), store->getAlign()));
    if (auto* const memory = dyn_cast<MemIntrinsic>(&one)) memory->setDestAlignment(Align(1));
    if (auto* const copy = dyn_cast<MemTransferInst>(&one)) copy->setSourceAlignment(Align(1));
  }
}

std::string alignments_of(const Function& kernel, const Entry& entry) {
  std::map<unsigned, std::uint64_t> most;
  const auto note = [&](const Argument& argument, std::uint64_t bytes) {
    const unsigned index = argument.getArgNo();
    if (index >= entry.parameters.size() || entry.parameters[index].kind != Kind::buffer) return;
    most[index] = std::max(most[index], bytes);
  };
  for (const Argument& argument : kernel.args())
    if (argument.getType()->isPointerTy()) note(argument, argument.getParamAlign().valueOrOne().value());
  for_each_access(kernel, [&](const Value* address, Align align, bool) {
    if (const Argument* const argument = origin(address)) note(*argument, align.value());
  });
  std::string lines;
  for (const auto& [index, bytes] : most)
    if (bytes > entry.parameters[index].bytes)
      lines += entry.name + " " + std::to_string(index) + " " + std::to_string(bytes) + "\n";
  return lines;
}

}  // namespace pintle::plugins::opencl_c
