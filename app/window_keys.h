#pragma once

class QWidget;

namespace stagecraft {

/// Esc and Ctrl+W close a tool window, unless what has the focus in it wants the key itself.
void closeByKeys(QWidget& window);

}  // namespace stagecraft
