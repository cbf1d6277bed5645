#pragma once

#include <QByteArray>

namespace stagecraft {

/// A file of QPdfWriter with two things put right: the page box is exactly width × height points, taken from
/// the top of the page (Qt rounds to whole points), and dates and random ids are gone, so that the same
/// figure gives the same bytes. `pageHeightPt` is the page height that Qt was given.
/// @throws std::runtime_error if the file is not laid out as QPdfWriter lays it out
QByteArray withExactPage(const QByteArray& pdf, int pageHeightPt, double widthPt, double heightPt);

}  // namespace stagecraft
