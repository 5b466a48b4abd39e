# cmake --install: the libraries, their headers, the command, and what find_package and pkg-config need. Relocatable. What was not built is
# said before the first file is written: without the library nothing is installed, the other parts are left out. Each file is in one of the
# components runtime, development, tools, mpi and opencl_c, of which PintleDebian makes packages.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pintle)
get_property(private_libraries GLOBAL PROPERTY PINTLE_LINK)

set(pintle_libraries pintle)
if(TARGET pintle_c)
  list(APPEND pintle_libraries pintle_c)
endif()
add_custom_target(installed_parts DEPENDS ${pintle_libraries})
foreach(part pintle_mpi pintle_opencl_c_plugin pintle_command)
  if(TARGET ${part})
    add_dependencies(installed_parts ${part})
    install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${part}>\")
  message(STATUS \"Left out, since it is not built: $<TARGET_FILE_NAME:${part}> (cmake --build ${PROJECT_BINARY_DIR} --target installed_parts)\")
endif()")
  endif()
endforeach()
if(PINTLE_LEAN)
  install(CODE "message(FATAL_ERROR \"${PROJECT_BINARY_DIR} has only what the demo needs; ./dev install builds and installs all.\")")
  return()
endif()
foreach(library ${pintle_libraries})
  install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${library}>\")
  message(FATAL_ERROR \"Nothing is installed: $<TARGET_FILE_NAME:${library}> is not built (cmake --build ${PROJECT_BINARY_DIR} --target installed_parts).\")
endif()")
endforeach()

# A component of the package each, so that users of C are not asked for what the C++ library needs.
foreach(component "cpp:pintle" "c:pintle_c")
  string(REPLACE ":" ";" component ${component})
  list(GET component 0 name)
  list(GET component 1 library)
  if(TARGET ${library})
    install(TARGETS ${library} EXPORT pintle-${name}-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT pintle-${name}-targets NAMESPACE pintle:: DESTINATION ${package_folder} COMPONENT development)
  endif()
endforeach()
install(DIRECTORY include/pintle ${PINTLE_GENERATED}/include/pintle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.h")

configure_package_config_file(cmake/pintle-config.cmake.in ${PINTLE_GENERATED}/pintle-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PINTLE_GENERATED}/pintle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PINTLE_GENERATED}/pintle-config.cmake ${PINTLE_GENERATED}/pintle-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)

# pintle.pc is for the C interface, pintle++.pc for C++: with what a static libpintle++.a leaves to the final link.
set(pc_libraries_private "-lfmt -pthread")
foreach(library ${private_libraries})
  string(APPEND pc_libraries_private " -l${library}")
endforeach()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
foreach(name pintle pintle++)
  configure_file(cmake/${name}.pc.in ${PINTLE_GENERATED}/${name}.pc @ONLY)
  install(FILES ${PINTLE_GENERATED}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# In a folder beside the library, where it looks: a program is not linked against these.
set(plugin_folder ${CMAKE_INSTALL_LIBDIR}/pintle)
if(TARGET pintle_mpi)
  install(TARGETS pintle_mpi LIBRARY DESTINATION ${plugin_folder} COMPONENT mpi OPTIONAL)
endif()
if(TARGET pintle_opencl_c_plugin)
  install(TARGETS pintle_opencl_c_plugin LIBRARY DESTINATION ${plugin_folder} COMPONENT opencl_c OPTIONAL)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION ${plugin_folder} COMPONENT opencl_c FILES_MATCHING PATTERN "pintle_opencl_c-*.bc")
endif()
if(TARGET pintle_command)
  install(TARGETS pintle_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools OPTIONAL)
endif()
