import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const publishedPage = fileURLToPath(new URL("configuration.md", import.meta.url))

/** True in the published package, false in the repository. */
export const isPublished = existsSync(publishedPage)

/**
 * The path of the page that documents all variables: next to this file in the published package, in `docs` of the
 * repository otherwise.
 */
export const configurationPage = isPublished
  ? publishedPage
  : fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url))
