import { NodeHttpServer } from "@effect/platform-node"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { DerivedStore, layerEngine, pickTools, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { version } from "@tapeline/mcp"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"

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
const runtime = ManagedRuntime.make(service)
afterAll(() => runtime.dispose())

const Program = Schema.Struct({
  command: Schema.Literal("npx"),
  args: Schema.Array(Schema.String),
  env: Schema.Record(Schema.String, Schema.String)
})
const Address = Schema.Struct({ url: Schema.String, headers: Schema.Record(Schema.String, Schema.String) })
const Configuration = Schema.fromJsonString(
  Schema.Struct({ mcpServers: Schema.Record(Schema.String, Schema.Union([Program, Address])) })
)

/** Returns the program of this repository that `npx -y <package> ...` runs, with its arguments. */
const program = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, name, ...rest] = args
  const entry = fileURLToPath(import.meta.resolve(name!))
  return [join(dirname(entry), "bin/main.ts"), ...rest]
}

it("configures a host that calls a tool through each of its servers", async () => {
  const text = readFileSync(join(import.meta.dirname, "../mcp.json"), "utf8")
  const url = HttpServer.formatAddress((await runtime.runPromise(HttpServer.HttpServer)).address)
  const { key } = await runtime.runPromise(createKeyedAccount({ scopes: ["read:market"] }))
  // A user also replaces the example URL and the example key.
  const filled = text.replaceAll("http://127.0.0.1:8787", url).replaceAll("tl_live_...", key)
  const { mcpServers } = Schema.decodeSync(Configuration)(filled)
  const prices = Object.entries(mcpServers).map(async ([name, server]) => {
    const client = new Client({ name: "host", version: "1.0.0" })
    await client.connect(
      "url" in server
        ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
        : new StdioClientTransport({
          command: process.execPath,
          args: [...program(server.args)],
          env: { PATH: process.env["PATH"] ?? "", ...server.env }
        })
    )
    expect(client.getServerVersion()).toMatchObject({ name: "tapeline", version })
    const names = (await client.listTools()).tools.map((tool) => tool.name)
    const price = names.includes("get_price")
      ? await client.callTool({ name: "get_price", arguments: { coin: "BTC" } })
      : await client.callTool({ name: "call_tool", arguments: { name: "get_price", arguments: { coin: "BTC" } } })
    await client.close()
    expect(price.structuredContent).toMatchObject({ coin: "BTC" })
    return [name, names]
  })
  expect(Object.fromEntries(await Promise.all(prices))).toEqual({
    tapeline: ["get_price"],
    "tapeline-in-three-tools": ["find_tools", "describe_tools", "call_tool"],
    "tapeline-by-address": ["get_price"]
  })
}, 60_000)
