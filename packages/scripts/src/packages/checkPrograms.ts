import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../manifest.ts"
import { clientProgram } from "./checkTypes.ts"
import { runCommand } from "./pack.ts"

/** A Node version of the oldest supported release line. */
const olderNodeVersion = "22.23.3"

export const installOlderNode = (tempDir: string): string => {
  const folder = join(tempDir, "older-node")
  mkdirSync(folder)
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "older-node", private: true, allowScripts: { node: true } })
  )
  runCommand("npm", [
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts=false",
    "--loglevel=error",
    `node@${olderNodeVersion}`
  ], folder)
  return join(folder, "node_modules/node/bin/node")
}

/**
 * Imports every entry with a Node binary, and returns the version of Node. Contract suites are imported only in a test
 * file, because they need Vitest.
 */
export const checkImports = (node: string, project: string, specifiers: ReadonlyArray<string>): string => {
  writeFileSync(
    join(project, "all.test.ts"),
    `import { counts } from "./all.ts"\nimport { expect, it } from "vitest"\n` +
      `it("imports every entry", () => expect(Object.keys(counts).length).toBe(${specifiers.length}))\n`
  )
  const version = runCommand(node, ["--version"], project).trim()
  const runtimeSpecifiers = specifiers.filter((specifier) => !specifier.startsWith("@tapeline/testing/contracts/"))
  writeFileSync(join(project, "all.js"), runtimeSpecifiers.map((specifier) => `import "${specifier}"`).join("\n"))
  runCommand(node, ["all.js"], project)
  runCommand(node, ["node_modules/vitest/vitest.mjs", "run", "all.test.ts", "--reporter=dot"], project)
  return version
}

/** A program whose worker threads and charts must find their modules and fonts in the published packages. */
const threadsProgram = `
import { layerCharts } from "@tapeline/charts"
import { DerivedStore } from "@tapeline/core"
import { ChartRenderer, CodeSandbox } from "@tapeline/core/analysis"
import { layerSandbox } from "@tapeline/sandbox"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { Effect, Layer } from "effect"
import { makeTestChart } from "./testChart.ts"

const market = DerivedStore.layer.pipe(
  Layer.provideMerge(layerSimulatedMarket(1)),
  Layer.provide(layerComputePool({ workers: 1, modules: [simulatedReadsModule] }))
)
const hitRates = Effect.flatMap(DerivedStore, (derived) => derived.hitRates({ coin: "BTC" }))
console.log((await Effect.runPromise(Effect.provide(hitRates, market))).value.horizons.length, "horizons")

const code = "quant.sma([1, 2, 3], 2).at(-1)"
const script = { code, inputs: {}, limitMs: 3000, owner: 1, functions: {} }
const ran = Effect.flatMap(CodeSandbox, ({ run }) => run(script))
console.log(await Effect.runPromise(Effect.provide(ran, layerSandbox())), "in the sandbox")

const drawn = Effect.flatMap(ChartRenderer, ({ render }) => render(makeTestChart()))
console.log((await Effect.runPromise(Effect.provide(drawn, layerCharts))).png.length > 10_000, "for a chart")
`

/** A program that starts a service, and runs the example client of the documentation in the same process. */
const httpProgram = `
import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerAgent, layerEngine, layerFibreRunner, pickTools, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"

const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("an-administration-token")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provideMerge(Layer.provide(layerAgent({ runner: layerFibreRunner }), OfflineAnalyst)),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["get_price"])) })),
  Layer.provideMerge(MemoryStores),
  Layer.provide(DerivedStore.layer),
  Layer.provide(SimMarket.layer({ seed: 1 }))
)
const program = Effect.gen(function*() {
  process.env["TAPELINE_API_KEY"] = (yield* createKeyedAccount()).key
  process.env["TAPELINE_URL"] = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  yield* Effect.promise(() => import("./${clientProgram}"))
})
await Effect.runPromise(program.pipe(Effect.provide(service), Effect.scoped))
`

/** Runs programs that embed the service, and checks their outputs. */
export const checkPrograms = (project: string): void => {
  const output = runCommand(process.execPath, ["main.ts"], project)
  if (!output.includes("USD (simulated), 1999 credits left")) {
    throw new Error(`The program that embeds the engine printed unexpected output:\n${output}`)
  }
  const help = runCommand(process.execPath, ["node_modules/@tapeline/server/main.js", "--help"], project)
  const configurationPage = /^All variables: (.+)$/m.exec(help)?.[1]
  if (configurationPage === undefined || !existsSync(configurationPage)) {
    throw new Error(`The server's help refers to a page that is missing:\n${help}`)
  }
  writeFileSync(join(project, "threads.ts"), threadsProgram)
  cpSync(join(root, "packages/charts/test/testChart.ts"), join(project, "testChart.ts"))
  const threadsOutput = runCommand(process.execPath, ["threads.ts"], project)
  if (!["3 horizons", "2.5 in the sandbox", "true for a chart"].every((line) => threadsOutput.includes(line))) {
    throw new Error(`The program with threads printed unexpected output:\n${threadsOutput}`)
  }
  writeFileSync(join(project, "service.ts"), httpProgram)
  const httpOutput = runCommand(process.execPath, ["service.ts"], project)
  for (
    const line of [
      /^BTC \d+ USD, 59999 credits left$/m,
      /^unknown_symbol, retryable: false$/m,
      /^charged once: true$/m,
      /^finished, 20 credits\ntrue, in conversation \d+$/m,
      /^30 of \d+: affordable$/m,
      /^user: How is BTC doing\?\nassistant: /m,
      /^SOL has a price: true, and an answer: true$/m,
      /^invalid_arguments: .*[가-힣]/m
    ]
  ) {
    if (!line.test(httpOutput)) throw new Error(`The client did not print a line that matches ${line}:\n${httpOutput}`)
  }
  cpSync(join(root, "examples/replace-a-port"), join(project, "replace-a-port"), {
    recursive: true,
    filter: (path) => !/node_modules|\/dist|package\.json|tsconfig/.test(path)
  })
  runCommand(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "replace-a-port", "--reporter=dot"], project)
}
