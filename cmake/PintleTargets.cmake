# One object library per folder of src/. Each is compiled against a *view*: a folder of links to exactly the headers that its
# layer may include, as tools/layers.json says. An include that breaks the layering does not compile.
include_guard(GLOBAL)

set(PINTLE_LAYERS_FILE ${PROJECT_SOURCE_DIR}/tools/layers.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PINTLE_LAYERS_FILE})
file(READ ${PINTLE_LAYERS_FILE} PINTLE_LAYERS_JSON)

# What many sources of the library include.
set(PINTLE_COMMON_HEADERS fmt/format.h algorithm atomic chrono condition_variable functional memory mutex optional span string
    thread unordered_map variant vector)

# pintle_json_list(<out> <key>...): the strings of an array in layers.json.
function(pintle_json_list out)
  set(values "")
  string(JSON count LENGTH ${PINTLE_LAYERS_JSON} ${ARGN})
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
      string(JSON value GET ${PINTLE_LAYERS_JSON} ${ARGN} ${index})
      list(APPEND values ${value})
    endforeach()
  endif()
  set(${out} ${values} PARENT_SCOPE)
endfunction()

# The original may appear later.
function(pintle_link original link)
  if(NOT IS_SYMLINK ${link})
    cmake_path(GET link PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${original} ${link} SYMBOLIC)
  endif()
endfunction()

# pintle_view(<out> <layer> <folder>): include folders of a layer; <folder> is its own, below src/.
function(pintle_view out layer folder)
  set(view ${PROJECT_BINARY_DIR}/include/${folder})
  string(JSON headers GET ${PINTLE_LAYERS_JSON} layers ${layer} headers)
  pintle_json_list(folders layers ${layer} folders)
  foreach(visible ${folders} ${folder})
    pintle_link(${PROJECT_SOURCE_DIR}/src/${visible} ${view}/${visible})
  endforeach()
  if(headers STREQUAL "public")
    set(${out} ${view} ${PROJECT_SOURCE_DIR}/include ${PINTLE_GENERATED}/include PARENT_SCOPE)
    return()
  endif()
  pintle_json_list(visible_headers headers ${headers})
  foreach(header ${visible_headers})
    set(original ${PINTLE_GENERATED}/include/pintle/${header})
    if(NOT EXISTS ${original})
      set(original ${PROJECT_SOURCE_DIR}/include/pintle/${header})
    endif()
    pintle_link(${original} ${view}/pintle/${header})
  endforeach()
  set(${out} ${view} PARENT_SCOPE)
endfunction()

# pintle_folder(<target> LAYER <layer> FOLDER <below src/> [SOURCES ...] [LINK ...]): the object library of a folder.
# Without SOURCES every .cpp of the folder belongs to it. LINK names imported targets that are only headers, or plain system
# libraries (nettle), which the final library links as well.
function(pintle_folder target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LAYER;FOLDER" "SOURCES;LINK")
  set(root ${PROJECT_SOURCE_DIR}/src/${arg_FOLDER})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${root}/*.cpp)
  endif()
  if(NOT arg_SOURCES)
    return()
  endif()
  pintle_view(view ${arg_LAYER} ${arg_FOLDER})
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${view})
  # Nobody replaces our functions one by one; without this, position-independent code cannot inline them.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_link_libraries(${target} PRIVATE pintle_options fmt::fmt ${arg_LINK})
  pintle_fast_sources(${target} HEADERS ${PINTLE_COMMON_HEADERS} SOURCES ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY PINTLE_OBJECTS ${target})
  foreach(library ${arg_LINK})
    if(NOT TARGET ${library})
      set_property(GLOBAL APPEND PROPERTY PINTLE_LINK ${library})
    endif()
  endforeach()
endfunction()

# pintle_backend(<name> [SOURCES ...] [LINK ...]): the backend in src/backends/<name>. Call it or do not: a backend whose
# headers are not there returns before it and is not registered.
function(pintle_backend name)
  pintle_folder(pintle_backend_${name} LAYER backends FOLDER backends/${name} ${ARGN})
  if(TARGET pintle_backend_${name})
    set_property(GLOBAL APPEND PROPERTY PINTLE_BACKENDS ${name})
  endif()
endfunction()

# pintle_layer(<name> [SOURCES ...] [LINK ...]): the decorator in src/layers/<name>.
function(pintle_layer name)
  pintle_folder(pintle_layer_${name} LAYER layers FOLDER layers/${name} ${ARGN})
  if(TARGET pintle_layer_${name})
    set_property(GLOBAL APPEND PROPERTY PINTLE_DECORATORS ${name})
  endif()
endfunction()
