/**
 * Ignores write errors on standard output and standard error. Without the handlers, a log on a full disk or a pipe
 * without a reader would end the process.
 */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
