/**
 * Stands first among the imports of the programs, so that a Node that is too old is told so before anything that it
 * does not know is run.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`Tapeline needs Node 22.19 or later, and this is Node ${process.versions.node}.\n`)
  process.exit(1)
}
