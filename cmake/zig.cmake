# Cross-compiles with Zig's Clang, which brings the headers and libraries of every target along:
# cmake --toolchain cmake/zig.cmake -DZIG=.../zig -DZIG_TARGET=aarch64-macos
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_TARGET)
string(REPLACE "-" ";" parts "${ZIG_TARGET}")
list(GET parts 0 CMAKE_SYSTEM_PROCESSOR)
list(GET parts 1 system)
set(system_macos Darwin)
set(system_windows Windows)
set(system_linux Linux)
set(CMAKE_SYSTEM_NAME ${system_${system}})

set(CMAKE_CXX_COMPILER ${ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET ${ZIG_TARGET})
# CMake calls `ar` and `ranlib` without arguments of their own.
foreach(tool ar ranlib)
  set(file ${CMAKE_BINARY_DIR}/zig-${tool})
  file(WRITE ${file} "#!/bin/sh\nexec '${ZIG}' ${tool} \"$@\"\n")
  file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  string(TOUPPER ${tool} name)
  set(CMAKE_${name} ${file})
endforeach()
