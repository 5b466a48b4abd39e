# Folders are found, not listed: adding one edits no existing file.
include_guard(GLOBAL)

# pintle_subdirectory(<folder>): the folder, if it has a CMakeLists.txt.
function(pintle_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
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
