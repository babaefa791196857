# kw_embed_text(HEADER NAMESPACE CONSTANT FILE): generated/HEADER in the build folder holds the text of FILE (from the root) as a
# std::string_view, so that programs need no file beside them.
function(kw_embed_text header namespace constant file)
  set(path ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${path} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/${header} CONTENT
"// Generated from ${file}.
#pragma once
#include <string_view>
namespace ${namespace} {
inline constexpr std::string_view ${constant} = R\"kwtext(@text@)kwtext\";
} // namespace ${namespace}
" @ONLY)
endfunction()
