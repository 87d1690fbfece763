/**
 * Reports the memory usage to the parent process on request. A measured program loads this module with `--import`. The
 * module does not keep the process alive.
 */
process.on("message", () => process.send?.(process.memoryUsage()))
process.channel?.unref()
