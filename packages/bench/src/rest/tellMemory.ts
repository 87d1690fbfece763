/**
 * Preloaded into a program with `--import`. Reports the memory usage to the parent on request, and does not keep the
 * process alive.
 */
process.on("message", () => process.send?.(process.memoryUsage()))
process.channel?.unref()
