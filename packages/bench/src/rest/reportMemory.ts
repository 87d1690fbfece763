/** Reports the memory usage to the parent process on request, in a program that loads the module with `--import`. */
process.on("message", () => process.send?.(process.memoryUsage()))
process.channel?.unref()
