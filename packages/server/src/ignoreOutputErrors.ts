/**
 * Ignores write errors on standard output and standard error. A log on a full disk, or a pipe without a reader, would
 * otherwise end the process.
 */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
