/**
 * Loaded before a program (`--import`): tells its parent what it keeps in memory, whenever it is asked, and keeps no
 * process up.
 */
process.on("message", () => process.send?.(process.memoryUsage()))
process.channel?.unref()
