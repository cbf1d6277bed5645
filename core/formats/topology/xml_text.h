#pragma once

#include "core/base/rooms.h"

#include <pugixml.hpp>

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Parses untrusted XML: at most a million tags, elements at most 64 deep, and no entities of
/// its own (pugixml would leave those unexpanded; a file that declares some is no topology). DOCTYPEs are
/// skipped and never followed.
/// @return the root element, which must be called `rootName`
/// @throws InputError
pugi::xml_node loadXml(pugi::xml_document& document, std::string_view text, const std::string& file,
                       const char* rootName);

/// "line 12": where that element of a document that loadXml made begins in its text.
std::string lineOf(std::string_view text, pugi::xml_node node);

/// The name of the outermost element, without parsing further; empty if it is no XML.
std::string_view xmlRootName(std::string_view text);

}  // namespace stagecraft::formats
