#pragma once

namespace stagecraft::base {

/// Has the allocator give freed memory back to the system, for a program that runs for long; to be called
/// before there are threads. Left alone glibc keeps up to 64 MiB free at the end of each thread's share of
/// the heap once a large block has been freed, and makes eight such shares for each core. Elsewhere than with
/// glibc it does nothing.
void returnFreedMemory();

/// Has the allocator keep what was freed, for a command that ends soon: searches take and free tables of some
/// MiB thousands of times, and what goes back to the system is to be cleared before it comes again.
void keepFreedMemory();

}  // namespace stagecraft::base
