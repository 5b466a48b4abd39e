// Where the tests' files are.
#pragma once

namespace pintle::test {

/// The folder `tests`. A symbol, so that only the source that has it differs between two copies of the tree.
extern const char* const tests_dir;

}  // namespace pintle::test
