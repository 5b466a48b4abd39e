// `peer_peak COMMAND...` runs a program that is not ours and prints what a worker prints at its first result: the peak
// of the resident memory in KiB.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int, char** arguments) {
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[1], arguments + 1);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return 1;
  std::printf("first-result %ld\n", usage.ru_maxrss);
}
