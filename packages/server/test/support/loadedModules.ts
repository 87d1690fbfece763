import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { sources, startServer, temporaryFolder } from "./process.ts"

// A URL, because Node splits the variable at the spaces of a path.
const hooks = new URL("./listModules.mjs", import.meta.url).href

/** Matches the URLs of the OpenID client's modules, which only a server with a provider loads. */
export const openIdModule = /\/node_modules\/(openid-client|oauth4webapi|jose)\/|\/packages\/openid\//

/** Starts a server from its sources. `modules` returns the URLs of all modules that it has loaded so far. */
export const startListed = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const file = join(yield* temporaryFolder, "modules")
  const listing = { LISTED_MODULES: file, NODE_OPTIONS: `--import ${hooks}` }
  const server = yield* startServer({ ...environment, ...listing }, sources)
  return { server, modules: () => existsSync(file) ? readFileSync(file, "utf8").split("\n") : [] }
})
