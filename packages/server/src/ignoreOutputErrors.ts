/**
 * Ignores write errors on standard output and standard error, so that only the unwritten text is lost. Without the
 * handlers, a log on a full disk or a pipe without a reader would end the process. Later writes to the output are
 * attempted as usual.
 */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
