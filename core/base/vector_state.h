#pragma once

namespace stagecraft::base {

/// Tells the processor that the upper halves of its vector registers hold nothing. Qt leaves them in use when
/// it paints, and threads begin with those of the thread that starts them; until they are free, what is
/// compiled for SSE, as all of this program, waits for them: a simulation takes a fifth longer (edit_bench).
/// Costs nothing to speak of; does nothing on processors without such halves.
void freeUpperVectors();

}  // namespace stagecraft::base
