#include "plugins/opencl_c/members.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <map>

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

struct Number {
  char kind;  ///< 'f' or 'i'.
  std::uint64_t bytes;
};

/// The numbers of a type, by offset.
class Numbers {
 public:
  explicit Numbers(const DataLayout& layout) : layout_(layout) {}

  void add(Type* type, std::uint64_t offset) {
    if (auto* const record = dyn_cast<StructType>(type)) return add_record(record, offset);
    Type* const element = isa<ArrayType>(type)    ? type->getArrayElementType()
                          : isa<VectorType>(type) ? cast<VectorType>(type)->getElementType()
                                                  : nullptr;
    if (element == nullptr) {
      all_[offset] = {type->isFloatingPointTy() ? 'f' : 'i', layout_.getTypeStoreSize(type)};
      return;
    }
    const std::uint64_t count =
        isa<ArrayType>(type) ? type->getArrayNumElements() : cast<FixedVectorType>(type)->getNumElements();
    for (std::uint64_t i = 0; i < count; ++i) add(element, offset + i * layout_.getTypeAllocSize(element));
  }

  [[nodiscard]] bool has_union() const { return has_union_; }
  [[nodiscard]] const std::map<std::uint64_t, Number>& all() const { return all_; }

 private:
  void add_record(StructType* record, std::uint64_t offset) {
    if (record->hasName() && record->getName().starts_with("union.")) has_union_ = true;
    for (unsigned i = 0; i < record->getNumElements(); ++i)
      add(record->getElementType(i), offset + layout_.getStructLayout(record)->getElementOffset(i));
  }

  const DataLayout& layout_;
  std::map<std::uint64_t, Number> all_;
  bool has_union_ = false;
};

std::string text_of(const Number& number) {
  return (number.kind == 'f' ? "a floating-point number of " : "an integer of ") + std::to_string(number.bytes) +
         " bytes";
}

/// Whether the code has each of the member's numbers; else the words of the first that it has not.
std::string missing(const Member& member, const std::map<std::uint64_t, Number>& all) {
  for (std::uint64_t lane = 0; lane < member.lanes; ++lane) {
    const std::uint64_t offset = member.offset + lane * member.bytes;
    const auto found = all.find(offset);
    const bool fits = found != all.end() && found->second.bytes == member.bytes &&
                      member.kinds.find(found->second.kind) != std::string::npos;
    if (fits) continue;
    return "at the offset " + std::to_string(offset) + " the source has " +
           (found == all.end() ? "no number" : text_of(found->second)) + ", and the signature " +
           (member.name.empty() ? "" : member.name + ": ") + member.dtype;
  }
  return {};
}

/// The words of the first number of the code that is none of the members'. A byte may be padding.
std::string undeclared(const Parameter& parameter, const std::map<std::uint64_t, Number>& all) {
  for (const auto& [offset, number] : all) {
    const auto holds = [place = offset](const Member& member) {
      return place >= member.offset && place < member.offset + (member.lanes == 3 ? 4 : member.lanes) * member.bytes;
    };
    if (number.bytes != 1 && none_of(parameter.members, holds))
      return "at the offset " + std::to_string(offset) + " the source has " + text_of(number) +
             ", and the signature none";
  }
  return {};
}

}  // namespace

std::string differing_member(const Argument& argument, const Parameter& parameter) {
  const DataLayout& layout = argument.getParent()->getParent()->getDataLayout();
  Type* const type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
  const std::uint64_t least = layout.getTypeStoreSize(type), most = layout.getTypeAllocSize(type);
  if (parameter.bytes != least && parameter.bytes != most)
    return "it has " + std::to_string(most) + " bytes in the source, and " + std::to_string(parameter.bytes) +
           " in the signature";
  Numbers numbers(layout);
  numbers.add(type, 0);
  if (numbers.has_union() || parameter.members.empty()) return {};
  for (const Member& member : parameter.members)
    if (std::string wrong = missing(member, numbers.all()); !wrong.empty()) return wrong;
  return undeclared(parameter, numbers.all());
}

}  // namespace pintle::plugins::opencl_c
