// What the standard allows (OpenCL 3.0, clSetKernelArg): a kernel holds none of its arguments, so a launch with an
// object that has gone meanwhile crashes the process.
#include <map>
#include <sstream>

#include "habit.h"
#include "kernel_arguments.h"
#include "objects.h"

namespace pintle::hostile {
namespace {

struct Arguments {
  static inline cl_icd_dispatch next;

  static void before_launch(cl_kernel kernel, const std::map<cl_uint, Held>& arguments) {
    for (const auto& [index, argument] : arguments) {
      if (argument.number == 0 || Objects::instance().number_of(argument.handle) == argument.number) continue;
      std::ostringstream text;
      text << "clEnqueueNDRangeKernel launches \"" << name_of(next, kernel) << "\", whose argument " << index
           << " is an object that has been released";
      end_process(text.str());
    }
  }
};

}  // namespace

/// Needs to know which objects there are: comes after `releases`.
void install_arguments(cl_icd_dispatch& table) {
  Arguments::next = table;
  KernelArguments<Arguments>::stand(table);
}

}  // namespace pintle::hostile
