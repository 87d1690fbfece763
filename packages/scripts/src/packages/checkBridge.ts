import { globSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "./pack.ts"
import { createEmptyProject, quietNpmFlags } from "./userProject.ts"

const bridgeDir = (tempDir: string): string => join(tempDir, "bridge")

/** Installs the package `@tapeline/mcp` in an empty project, and returns the other packages that npm installed. */
export const installBridge = (tempDir: string, tarballs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const project = createEmptyProject(bridgeDir(tempDir))
  const tarball = tarballs.find((path) => /tapeline-mcp-[^/]*$/.test(path))
  if (tarball === undefined) throw new Error("The tarball of @tapeline/mcp is missing")
  runCommand("npm", ["install", ...quietNpmFlags, tarball], project)
  const installed = globSync("node_modules/{@*/*,[!@.]*}/package.json", { cwd: project })
    .map((path) => path.slice("node_modules/".length, -"/package.json".length))
    .filter((name) => name !== "@tapeline/mcp")
    .sort()
  if (installed.length > 4) throw new Error(`npm installs more than four other packages: ${installed.join(", ")}`)
  return installed
}

/** A program that starts a service and the bridge program, and exchanges MCP messages with the bridge program. */
const hostProgram = `
import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerEngine, pickTools, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("an-administration-token")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["get_price"])) })),
  Layer.provideMerge(MemoryStores),
  Layer.provide(DerivedStore.layer),
  Layer.provide(SimMarket.layer({ seed: 1 }))
)

const speak = (url, key) => new Promise((resolve, reject) => {
  const [node, bin] = process.argv.slice(2)
  const env = { PATH: process.env.PATH, TAPELINE_URL: url, TAPELINE_API_KEY: key }
  const bridge = spawn(node, [bin], { env, stdio: ["pipe", "pipe", "inherit"] })
  bridge.once("exit", (code) => reject(new Error("the bridge ended with " + code)))
  const say = (message) => bridge.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "host", version: "1" } }
  const next = {
    1: () => {
      say({ method: "notifications/initialized" })
      say({ id: 2, method: "tools/list" })
    },
    2: ({ tools }) => {
      console.log(tools.length + " tools")
      say({ id: 3, method: "tools/call", params: { name: "get_price", arguments: { coin: "BTC" } } })
    },
    3: ({ structuredContent }) => {
      console.log(structuredContent.coin + " has a price: " + (structuredContent.price > 0))
      bridge.removeAllListeners("exit").once("exit", resolve).stdin.end()
    }
  }
  createInterface({ input: bridge.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line)
    next[id](result)
  })
  say({ id: 1, method: "initialize", params: client })
})

const program = Effect.gen(function*() {
  const { key } = yield* createKeyedAccount({ scopes: ["read:market"] })
  const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  yield* Effect.promise(() => speak(url, key))
})
await Effect.runPromise(program.pipe(Effect.provide(service), Effect.scoped))
`

export const checkBridgeRuns = (node: string, tempDir: string, project: string): void => {
  const bin = join(bridgeDir(tempDir), "node_modules/.bin/tapeline-mcp")
  writeFileSync(join(project, "host.js"), hostProgram)
  const output = runCommand(process.execPath, ["host.js", node, bin], project)
  if (output !== "1 tools\nBTC has a price: true\n") {
    throw new Error(`The bridge's program printed unexpected output:\n${output}`)
  }
}
