// Creates the database template of embedded databases when the package is installed. If the template cannot be created,
// for example because Node is too old, only the first start takes some seconds longer.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major > 22 || (major === 22 && minor >= 19)) {
  try {
    await import("./template.ts")
  } catch (error) {
    console.warn(`No template of the embedded database was made, and first starts take longer: ${String(error)}`)
  }
}
