# How every compiled package of the repository turns its .pyx files into extension modules.
#
# A package's CMakeLists.txt names the siblings it uses; everything else follows from where a file lies.
# src/flambeau_x/a/b.pyx becomes the module flambeau_x.a.b; a file a/hot/b.pyx is built once per CPU level, as
# flambeau_x.a.hot_v2.b and so on. All of them lie in one shared object, flambeau_x._compiled, which finds them
# (compiled.c.in). Cython directives are given here and nowhere else, so that FLAMBEAU_CHECKED reaches every file.
#
# sdists carry a copy of this file, of translate.py and of compiled.c.in (sdist.force-include in the packages'
# pyproject.toml).

option(FLAMBEAU_CHECKED "Bounds, None and initialization checks in Cython code" OFF)
option(FLAMBEAU_SANITIZE "Build with AddressSanitizer and what UndefinedBehaviorSanitizer finds in numbers and addresses" OFF)
# A wheel that leaves this machine needs "all"; tests reach the levels that are built.
set(FLAMBEAU_LEVELS "" CACHE STRING
    "Levels of x86-64 to build hot kernels for: all, native (the highest that this processor runs), or some of v2;v3;v4")

find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
include(CheckCCompilerFlag)

set(_flambeau_checks False)
if(FLAMBEAU_CHECKED)
  set(_flambeau_checks True)
endif()
set(_flambeau_directives
    --directive boundscheck=${_flambeau_checks} --directive nonecheck=${_flambeau_checks}
    --directive initializedcheck=${_flambeau_checks} --directive wraparound=False --directive cdivision=True)
set(_flambeau_translate "${CMAKE_CURRENT_LIST_DIR}/translate.py")
set(_flambeau_compiled "${CMAKE_CURRENT_LIST_DIR}/compiled.c.in")

set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(FLAMBEAU_SANITIZE)
  # Not alignment: tensors may lie at odd addresses (frombuffer), which every processor that there are wheels for reads.
  set(_flambeau_sanitizers address,bool,bounds,integer-divide-by-zero,shift,signed-integer-overflow,unreachable)
  add_compile_options(-fsanitize=${_flambeau_sanitizers} -fno-omit-frame-pointer -g1 -O1)
  add_link_options(-fsanitize=${_flambeau_sanitizers})
endif()

# The levels of the x86-64 instruction set, where the compiler knows them. The check fails for other processors and for
# compilers without -march: `hot_base` is then the only build of a hot kernel.
check_c_compiler_flag(-march=x86-64-v4 FLAMBEAU_X86_LEVELS)

# The highest level that this processor runs, in `result`.
function(_flambeau_native_level result)
  include(CheckCSourceRuns)
  set(needs_v4 avx512f avx512bw avx512cd avx512dq avx512vl)
  set(needs_v3 avx2 fma f16c)
  foreach(level v4 v3)
    list(TRANSFORM needs_${level} REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")" OUTPUT_VARIABLE tests)
    list(JOIN tests " && " condition)
    check_c_source_runs("int main(void) { return !(${condition}); }" FLAMBEAU_RUNS_${level})
    if(FLAMBEAU_RUNS_${level})
      set(${result} ${level} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} v2 PARENT_SCOPE)
endfunction()

if(NOT FLAMBEAU_X86_LEVELS)
  set(_flambeau_hot_levels base)
elseif(FLAMBEAU_LEVELS STREQUAL "all" OR CMAKE_CROSSCOMPILING)
  set(_flambeau_hot_levels v2 v3 v4)
elseif(FLAMBEAU_LEVELS MATCHES "^(native)?$")
  _flambeau_native_level(_flambeau_hot_levels)
elseif(FLAMBEAU_LEVELS MATCHES "^v[234](;v[234])*$")
  set(_flambeau_hot_levels ${FLAMBEAU_LEVELS})
else()
  message(FATAL_ERROR "FLAMBEAU_LEVELS must be all, native or a list such as v3;v4, not ${FLAMBEAU_LEVELS}")
endif()
message(STATUS "Hot kernels are built for: ${_flambeau_hot_levels}")
check_c_compiler_flag("-fno-math-errno -fno-trapping-math" FLAMBEAU_MATH_FLAGS)
# Clang halves vectors of 512 bits by itself, and with them the registers that a tile of a product has.
check_c_compiler_flag(-mprefer-vector-width=512 FLAMBEAU_WIDE_VECTORS)

# Where the .pxd files and C headers of a sibling package are: beside this package in a checkout, else installed.
function(_flambeau_sibling_root name result)
  set(root "${CMAKE_CURRENT_SOURCE_DIR}/../${name}/src")
  if(NOT IS_DIRECTORY "${root}/flambeau_${name}")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c
              "import importlib.util as u, pathlib as p; print(p.Path(u.find_spec('flambeau_${name}').origin).parents[1])"
      OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)
      message(FATAL_ERROR "building this package needs flambeau-${name}: pip install flambeau-${name}")
    endif()
  endif()
  cmake_path(SET root NORMALIZE "${root}")
  set(${result} "${root}" PARENT_SCOPE)
endfunction()

# One module from one source. level: the CPU level of a hot kernel; empty otherwise, which is v2 where there are levels.
function(_flambeau_module source level)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET source STEM name)
  set(march)
  if(level)
    string(REGEX REPLACE "hot$" "hot_${level}" folder "${folder}")
    if(FLAMBEAU_MATH_FLAGS)
      set(march -fno-math-errno -fno-trapping-math)
    endif()
  elseif(FLAMBEAU_X86_LEVELS)
    set(level v2)
  endif()
  if(FLAMBEAU_X86_LEVELS)
    list(APPEND march -march=x86-64-${level})
    if(level STREQUAL "v4" AND FLAMBEAU_WIDE_VECTORS)
      list(APPEND march -mprefer-vector-width=512)
    endif()
  endif()
  if(source MATCHES "[.]py$")
    list(APPEND march -O1)  # calls of Python's objects: -O3 takes the compiler more than twice as long
  endif()

  string(REPLACE "/" "." module "${folder}/${name}")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/c/${module}.c")
  list(GET _flambeau_hot_levels 0 first)
  string(REPLACE ".hot_${level}." ".hot_${first}." twin "${module}")
  if(module STREQUAL twin)
    set_property(GLOBAL APPEND PROPERTY _flambeau_jobs "${CMAKE_CURRENT_SOURCE_DIR}/src/${source}|${module}|${generated}")
    set_property(GLOBAL APPEND PROPERTY _flambeau_generated "${generated}")
  else()  # the same C for every level, but for the module's name; Cython takes longer than the compiler
    set(translated "${CMAKE_CURRENT_BINARY_DIR}/c/${twin}.c")
    add_custom_command(
      OUTPUT "${generated}"
      COMMAND "${Python_EXECUTABLE}" -c
              "import pathlib, sys; source, target, old, new = sys.argv[1:]; \
pathlib.Path(target).write_text(pathlib.Path(source).read_text().replace(old, new))"
              "${translated}" "${generated}" hot_${first} hot_${level}
      DEPENDS "${translated}"
      COMMENT "Naming ${module}"
      VERBATIM)
  endif()
  # Names such as PyInit_softmax are not unique in a package.
  string(REPLACE "." "__" initializer "init_${module}")
  set_property(GLOBAL APPEND PROPERTY _flambeau_modules "${module}|${source}")
  add_library(${module} OBJECT "${generated}")
  target_link_libraries(${module} PRIVATE Python::Module)
  target_include_directories(${module} PRIVATE ${_flambeau_c_includes})
  target_compile_options(${module} PRIVATE ${march})
  target_compile_definitions(${module} PRIVATE ${_flambeau_definitions} CYTHON_NO_PYINIT_EXPORT
                             PyInit_${name}=${initializer})
endfunction()

# The shared object of a package, of all modules so far.
function(_flambeau_shared_object package)
  get_property(pairs GLOBAL PROPERTY _flambeau_modules)
  set(modules)
  set(declarations)
  set(rows)
  set(objects)
  foreach(pair IN LISTS pairs)
    string(REGEX MATCH "^(.*)[|]${package}/(.*)$" pair "${pair}")
    set(module "${CMAKE_MATCH_1}")
    set(source "${CMAKE_MATCH_2}")
    list(APPEND modules "${module}")
    string(REPLACE "." "__" initializer "init_${module}")
    string(APPEND declarations "PyObject *${initializer}(void);\n")
    string(APPEND rows "    {\"${module}\", ${initializer}, \"${source}\"},\n")
    list(APPEND objects "$<TARGET_OBJECTS:${module}>")
  endforeach()
  set(folders ${modules})
  list(FILTER folders INCLUDE REGEX "[.]hot_[^.]*[.][^.]*$")
  list(TRANSFORM folders REPLACE "[.][^.]*$" "")
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    string(APPEND rows "    {\"${folder}\", NULL, NULL},\n")
  endforeach()
  configure_file("${_flambeau_compiled}" "${CMAKE_CURRENT_BINARY_DIR}/c/${package}._compiled.c" @ONLY)

  set(target ${package}._compiled)
  python_add_library(${target} MODULE WITH_SOABI "${CMAKE_CURRENT_BINARY_DIR}/c/${target}.c" ${objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME _compiled)
  if(UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
  if(SKBUILD_STATE STREQUAL "editable")
    # Beside the sources: `cmake --build` is then all that a change needs.
    target_compile_definitions(${target} PRIVATE FLAMBEAU_SOURCES)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/src/${package}")
  else()
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/lib/${package}")
    install(TARGETS ${target} LIBRARY DESTINATION ${package})
  endif()
endfunction()

# Builds every .pyx of src/<package>.
#
#   flambeau_cython_modules(flambeau_nn SIBLINGS tensor autograd [NUMPY] [COMPILED modules/linear.py ...])
#
# SIBLINGS are the packages whose .pxd files or C headers are used; NUMPY gives the sources NumPy's C API. COMPILED are
# Python files that are compiled too: Python then prefers the module beside the file.
function(flambeau_cython_modules package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NUMPY" "" "SIBLINGS;COMPILED")
  set(_flambeau_cython_includes --include "${CMAKE_CURRENT_SOURCE_DIR}/src")
  set(_flambeau_c_includes "${CMAKE_CURRENT_SOURCE_DIR}/src/${package}/include")
  set(_flambeau_definitions)
  foreach(sibling IN LISTS arg_SIBLINGS)
    _flambeau_sibling_root(${sibling} root)
    list(APPEND _flambeau_cython_includes --include "${root}")
    list(APPEND _flambeau_c_includes "${root}/flambeau_${sibling}/include")
  endforeach()
  if(arg_NUMPY)
    find_package(Python REQUIRED COMPONENTS Interpreter Development.Module NumPy)
    list(APPEND _flambeau_c_includes ${Python_NumPy_INCLUDE_DIRS})
    list(APPEND _flambeau_definitions NPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION NPY_TARGET_VERSION=NPY_2_0_API_VERSION)
  endif()

  file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/src" CONFIGURE_DEPENDS
       "${CMAKE_CURRENT_SOURCE_DIR}/src/${package}/*.pyx")
  list(TRANSFORM arg_COMPILED PREPEND "${package}/")
  list(APPEND sources ${arg_COMPILED})
  foreach(source IN LISTS sources)
    if(source MATCHES "/hot/[^/]*$")
      foreach(level IN LISTS _flambeau_hot_levels)
        _flambeau_module("${source}" ${level})
      endforeach()
    else()
      _flambeau_module("${source}" "")
    endif()
  endforeach()

  _flambeau_shared_object(${package})

  get_property(jobs GLOBAL PROPERTY _flambeau_jobs)
  get_property(generated GLOBAL PROPERTY _flambeau_generated)
  list(JOIN jobs "\n" lines)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/c/jobs.txt" CONTENT "${lines}\n" @ONLY)
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/src/" OUTPUT_VARIABLE paths)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND "${Python_EXECUTABLE}" "${_flambeau_translate}" c/jobs.txt --depfile c/all.dep ${_flambeau_directives}
            ${_flambeau_cython_includes}
    DEPENDS ${paths} "${_flambeau_translate}" "${CMAKE_CURRENT_BINARY_DIR}/c/jobs.txt"
    DEPFILE "${CMAKE_CURRENT_BINARY_DIR}/c/all.dep"
    COMMENT "Cython"
    USES_TERMINAL  # it says how far it is
    VERBATIM)

  if(NOT SKBUILD_STATE STREQUAL "editable")
    return()
  endif()
  # A shared object of one module, which earlier builds made.
  file(GLOB_RECURSE built "${CMAKE_CURRENT_SOURCE_DIR}/src/${package}/*.${Python_SOABI}${CMAKE_SHARED_MODULE_SUFFIX}")
  list(FILTER built EXCLUDE REGEX "/${package}/_compiled[.]")
  if(built)
    file(REMOVE ${built})
  endif()
endfunction()
