import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const publishedPage = fileURLToPath(new URL("configuration.md", import.meta.url))

export const isPublished = existsSync(publishedPage)

/**
 * The path of the page that documents all environment variables: next to this file in the published package, or in
 * `docs` of the repository.
 */
export const configurationPage = isPublished
  ? publishedPage
  : fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url))
