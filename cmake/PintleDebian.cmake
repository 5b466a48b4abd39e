# cpack -G DEB: a package of each component of PintleInstall, and one of Python (docs/adr/0025-packages.md). What a package needs is what
# dpkg-shlibdeps finds in its programs, and what is named here: other packages of these, compilers that are started, headers.
if(NOT TARGET pintle_c OR NOT TARGET pintle_command OR NOT TARGET pintle_python OR NOT TARGET pintle_mpi OR NOT TARGET pintle_opencl_c_plugin)
  message(FATAL_ERROR "Debian packages need every part; the lines above say what a part lacks.")
endif()

set(dist_packages lib/python3/dist-packages/pintle)
get_property(files GLOBAL PROPERTY PINTLE_PYTHON_FILES)
install(FILES ${files} DESTINATION ${dist_packages} COMPONENT python)
install(TARGETS pintle_python_native LIBRARY DESTINATION ${dist_packages} COMPONENT python)
add_custom_target(pintle_debian DEPENDS installed_parts pintle_python)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development tools mpi opencl_c python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE pintle)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Pintle maintainers <maintainers@pintle.invalid>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(own_version "${CPACK_DEBIAN_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(library "libpintle${PROJECT_VERSION_MAJOR} (= ${own_version})")
# dpkg-shlibdeps finds libpintle.so here: the packages need it, and no installed package has it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

# pintle_package(<component> <name> <section> <first line> <more lines> [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...])
function(pintle_package component name section summary words)
  cmake_parse_arguments(PARSE_ARGV 5 arg "" "" "DEPENDS;RECOMMENDS;SUGGESTS")
  string(TOUPPER ${component} COMPONENT)
  foreach(relation DEPENDS RECOMMENDS SUGGESTS)
    string(REPLACE ";" ", " joined "${arg_${relation}}")
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_${relation} "${joined}" PARENT_SCOPE)
  endforeach()
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${summary}\n${words}" PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION share/doc/${name} COMPONENT ${component})
  install(FILES ${changelog}.gz DESTINATION share/doc/${name} COMPONENT ${component})
endfunction()

# The day of the commit, so that a commit always makes the same file.
set(date "Thu, 01 Jan 1970 00:00:00 +0000")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} log -1 --format=%aD OUTPUT_VARIABLE of_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(of_commit)
    set(date ${of_commit})
  endif()
endif()
set(changelog ${PINTLE_GENERATED}/changelog.Debian)
configure_file(cmake/debian/changelog.in ${changelog} @ONLY)
execute_process(COMMAND gzip -9nkf ${changelog} COMMAND_ERROR_IS_FATAL ANY)

set(words "Pintle is the layer that a compiler or an engine stands on to use
whatever device is there: processors, Vulkan and OpenCL, by one API.
This package has")
set(software mesa-vulkan-drivers pocl-opencl-icd)
pintle_package(runtime libpintle${PROJECT_VERSION_MAJOR} libs "device-agnostic accelerator driver, the C library"
               "${words} the library for C and languages that call C."
               RECOMMENDS "gcc | clang" SUGGESTS pintle-opencl-c pintle-mpi ${software})
pintle_package(development libpintle-dev libdevel "device-agnostic accelerator driver, for development"
               "${words} the headers of C and C++, the static library of C++,\nand what CMake and pkg-config need."
               DEPENDS ${library} libfmt-dev libhwy-dev nettle-dev)
pintle_package(tools pintle-tools devel "device-agnostic accelerator driver, the command"
               "${words} the command pintle, which lists and tests devices,\npacks kernels, runs and measures them."
               RECOMMENDS "gcc | clang" SUGGESTS pintle-opencl-c pintle-mpi ${software} glslc)
pintle_package(mpi pintle-mpi libs "device-agnostic accelerator driver, groups of ranks over MPI"
               "${words} the plug-in by which processes that mpirun starts\njoin a group.")
pintle_package(opencl_c pintle-opencl-c libs "device-agnostic accelerator driver, OpenCL C on the processor"
               "${words} the plug-in of clang 19 by which the device cpu takes\nOpenCL C."
               DEPENDS clang-19 lld-19)
pintle_package(python python3-pintle python "device-agnostic accelerator driver, for Python"
               "${words} the module pintle, for Python 3.11 and later."
               DEPENDS ${library} "python3 (>= 3.11)" RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
include(CPack)
