// At the installation: makes the template with which embedded databases begin. Where it cannot, because Node is too old
// or nothing may be written, nothing is lost but the first start's seconds.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major > 22 || (major === 22 && minor >= 19)) {
  try {
    await import("./template.ts")
  } catch (error) {
    console.warn(`No template of the embedded database was made, and first starts take longer: ${String(error)}`)
  }
}
