# For packages built by CMake (scikit-build-core):
#
#     find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
#     find_package(flambeau_cext REQUIRED)
#     flambeau_add_extension(_kernels SOURCES kernels.c FUNCTIONS leaky leaky_backward)
#
# makes the target `_kernels`, a Python module. FUNCTIONS are the C or C++ functions to be called from Python, whose
# bindings are generated; without it the sources define PyInit__kernels. With STABLE_ABI (which needs the component
# Development.SABIModule) one binary serves every Python from 3.11 on. The target flambeau::headers has the include
# folders alone.

if(NOT Python_EXECUTABLE)
  message(FATAL_ERROR "find_package(Python COMPONENTS Interpreter Development.Module) comes before "
                      "find_package(flambeau_cext)")
endif()

execute_process(
  COMMAND "${Python_EXECUTABLE}" -m flambeau_cext include-paths
  OUTPUT_VARIABLE _flambeau_include_paths OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" _flambeau_include_paths "${_flambeau_include_paths}")

if(NOT TARGET flambeau::headers)
  add_library(flambeau::headers INTERFACE IMPORTED)
  target_include_directories(flambeau::headers SYSTEM INTERFACE ${_flambeau_include_paths})
endif()

function(flambeau_add_extension name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STABLE_ABI" "" "SOURCES;FUNCTIONS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "flambeau_add_extension(${name}): SOURCES are missing")
  endif()
  set(bindings)
  if(arg_FUNCTIONS)
    set(suffix .c)
    set(sources)
    foreach(source IN LISTS arg_SOURCES)
      cmake_path(ABSOLUTE_PATH source)
      list(APPEND sources "${source}")
      if(NOT source MATCHES "\\.c$")
        set(suffix .cpp)
      endif()
    endforeach()
    list(TRANSFORM arg_FUNCTIONS PREPEND --function= OUTPUT_VARIABLE functions)
    set(bindings "${CMAKE_CURRENT_BINARY_DIR}/${name}_bindings${suffix}")
    add_custom_command(
      OUTPUT "${bindings}"
      COMMAND "${Python_EXECUTABLE}" -m flambeau_cext bindings ${name} ${sources} ${functions} --output "${bindings}"
              "-I$<JOIN:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,;-I>"
      DEPENDS ${sources} VERBATIM COMMAND_EXPAND_LISTS)
  endif()
  if(arg_STABLE_ABI)
    Python_add_library(${name} MODULE USE_SABI 3.11 WITH_SOABI ${arg_SOURCES} ${bindings})
  else()
    Python_add_library(${name} MODULE WITH_SOABI ${arg_SOURCES} ${bindings})
  endif()
  target_link_libraries(${name} PRIVATE flambeau::headers)
  target_compile_definitions(${name} PRIVATE TORCH_EXTENSION_NAME=${name})
  target_compile_features(${name} PRIVATE c_std_99 cxx_std_17)
  set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
endfunction()
