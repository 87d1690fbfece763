import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { inject } from "vitest"
import { startServer, temporaryFolder } from "./process.ts"

// The value is a URL and not a path, because Node splits the environment variable at spaces.
const hooksUrl = new URL("./listModules.mjs", import.meta.url).href

/** Matches the URLs of the OpenID client's modules, which only a server with a provider loads. */
export const openIdModule = /\/node_modules\/(openid-client|oauth4webapi|jose)\/|\/packages\/openid\//

/** Returns the source files of a bundled file, from the comments that the bundler writes into it. */
const readBundledSources = (url: string): ReadonlyArray<string> =>
  Array.from(readFileSync(fileURLToPath(url), "utf8").matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ([, path]) => `/${path}`)

/**
 * Starts a server that reports its loaded modules. `modules` returns the URLs of all modules that are loaded so far,
 * including bundled source files.
 */
export const startListingModules = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const file = join(yield* temporaryFolder, "modules")
  const listingEnvironment = { LISTED_MODULES: file, NODE_OPTIONS: `--import ${hooksUrl}` }
  const server = yield* startServer({ ...environment, ...listingEnvironment })
  const bundle = pathToFileURL(dirname(inject("serverProgram"))).href
  const modules = () =>
    (existsSync(file) ? readFileSync(file, "utf8").split("\n") : [])
      .flatMap((url) => url.startsWith(bundle) ? readBundledSources(url) : [url])
  return { server, modules }
})
