# Folders are found, not listed: adding one edits no existing file.
include_guard(GLOBAL)

# pintle_subdirectory(<folder>): the folder, if it has a CMakeLists.txt.
function(pintle_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# pintle_turn(<out> <element>...): one of them, the next one after each commit: for what takes too long to be in every check.
function(pintle_turn out)
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-list --count HEAD
                  OUTPUT_VARIABLE commits OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    set(commits 0)
  endif()
  list(LENGTH ARGN count)
  math(EXPR turn "${commits} % ${count}")
  list(GET ARGN ${turn} element)
  set(${out} ${element} PARENT_SCOPE)
endfunction()

# pintle_subfolders(<out>): names of the folders here, in alphabetical order; new ones are noticed by the next build.
function(pintle_subfolders out)
  set(folders "")
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*)
  foreach(entry ${entries})
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${entry})
      list(APPEND folders ${entry})
    endif()
  endforeach()
  list(SORT folders)
  set(${out} ${folders} PARENT_SCOPE)
endfunction()
