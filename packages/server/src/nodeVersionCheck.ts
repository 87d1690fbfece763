/**
 * Ends the process if the version of Node is too old, before a program imports code that an old version of Node does
 * not support.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`Tapeline needs Node 22.19 or later; this is Node ${process.versions.node}.\n`)
  process.exit(1)
}
