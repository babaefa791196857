# The one place that says how a target of this project is built.
#
#   kw_library(NAME SOURCES… [DEPENDS…] [PRIVATE_DEPENDS…] [QT])   a static library, alias kw::NAME
#   kw_program(NAME SOURCES… [DEPENDS…] [QT])                      an executable in bin/
#   kw_test(NAME SOURCES… [DEPENDS…] [LABELS…] [DISPLAY])          a Qt Test program, run by ctest; DISPLAY: under Xvfb where there is one
#   kw_fuzz(NAME SOURCES… [DEPENDS…])                              a libFuzzer program with seeds in tests/fuzz/corpus/NAME; preset fuzz
#
# Libraries are included from the repository root: #include "engine/base/result.h".

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(KW_CCACHE ccache)
if(KW_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers carry time macros and defines that ccache must be told to accept.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${KW_CCACHE})
endif()

add_library(kw_options INTERFACE)
target_include_directories(kw_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(kw_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
  -Werror -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
if(KW_SANITIZE)
  target_compile_options(kw_options INTERFACE -fsanitize=${KW_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(kw_options INTERFACE -fsanitize=${KW_SANITIZE})
endif()

if(KW_BUILD_FUZZ)
  target_compile_options(kw_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(kw_qt_options INTERFACE)
# QT_NO_KEYWORDS is not among these: the headers of QScintilla use the keywords.
target_compile_definitions(kw_qt_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_USE_QSTRINGBUILDER)

# One precompiled header for everything without Qt; a target with its own flags builds its own copy.
add_library(kw_pch_source OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(kw_pch_source PRIVATE kw_options fmt::fmt-header-only)
target_precompile_headers(kw_pch_source PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)

function(kw_library name)
  cmake_parse_arguments(A "QT" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(kw_${name} STATIC ${A_SOURCES})
  add_library(kw::${name} ALIAS kw_${name})
  target_link_libraries(kw_${name} PUBLIC kw_options fmt::fmt-header-only ${A_DEPENDS} PRIVATE ${A_PRIVATE_DEPENDS})
  if(A_QT)
    set_target_properties(kw_${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(kw_${name} PUBLIC kw_qt_options Qt6::Core)
  else()
    target_precompile_headers(kw_${name} REUSE_FROM kw_pch_source)
  endif()
endfunction()

function(kw_program name)
  cmake_parse_arguments(A "QT" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE kw_options fmt::fmt-header-only ${A_DEPENDS})
  if(A_QT)
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE kw_qt_options)
  endif()
endfunction()

function(kw_test name)
  cmake_parse_arguments(A "DISPLAY" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE kw_options fmt::fmt-header-only Qt6::Test ${A_DEPENDS})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  find_program(KW_XVFB_RUN xvfb-run)
  if(A_DISPLAY AND KW_XVFB_RUN)
    add_test(NAME ${name} COMMAND ${KW_XVFB_RUN} -a -s "-screen 0 1920x1200x24" $<TARGET_FILE:${name}>)
    set(platform xcb)
  else()
    add_test(NAME ${name} COMMAND ${name})
    set(platform offscreen)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}"
    ENVIRONMENT "QT_QPA_PLATFORM=${platform}")
endfunction()

# ctest gives each target KW_FUZZ_SECONDS; what it finds beside the seeds stays in the build folder.
set(KW_FUZZ_SECONDS 20 CACHE STRING "How long ctest runs each fuzz target")
function(kw_fuzz name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target fuzz_${name})
  add_executable(${target} ${A_SOURCES})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(${target} PRIVATE kw_options fmt::fmt-header-only ${A_DEPENDS})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${target})
  set(found ${CMAKE_BINARY_DIR}/fuzz/found/${name})
  file(MAKE_DIRECTORY ${found})
  add_test(NAME ${target} COMMAND ${target} -max_total_time=${KW_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    ${found} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  math(EXPR limit "${KW_FUZZ_SECONDS} + 60")
  set_tests_properties(${target} PROPERTIES TIMEOUT ${limit} LABELS fuzz)
endfunction()
