/**
 * What cannot be written to standard output or standard error is lost, and nothing else: a full disk below a log, or a
 * pipe that nobody reads any more, would end the process. What is written later is tried as anything else.
 */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
