# What both ways to use Pintle share.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

# The first program of README.md, as a reader would copy it.
function(write_program_of_readme file)
  file(READ ${SOURCE}/README.md words)
  string(FIND "${words}" "```cpp\n" first)
  math(EXPR first "${first} + 7")
  string(SUBSTRING "${words}" ${first} -1 words)
  string(FIND "${words}" "```" end)
  string(SUBSTRING "${words}" 0 ${end} words)
  file(WRITE ${file} "${words}")
endfunction()
