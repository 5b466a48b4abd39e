// The submissions and replays through the C interface whose instructions c_instructions.py counts.
#include "budgets/c_path.h"

int main(int count, char** arguments) {
  budgets::CPath path(budgets::is_recording(count, arguments));
  for (int i = 0; i < budgets::measured; ++i) {
    path.prepare();
    path.submit();
  }
}
