import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const published = fileURLToPath(new URL("configuration.md", import.meta.url))

/** True in the published package, false in the repository. */
export const isPublished = existsSync(published)

/**
 * The path of the page that documents all variables: next to this file in the published package, in `docs` of the
 * repository otherwise.
 */
export const configurationPage = isPublished
  ? published
  : fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url))
