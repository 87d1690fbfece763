import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const published = fileURLToPath(new URL("configuration.md", import.meta.url))

/** Whether this is the published package, and not the repository. */
export const isPublished = existsSync(published)

/** The page of all variables: next to this file in the published package, and in `docs` of the repository. */
export const configurationPage = isPublished
  ? published
  : fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url))
