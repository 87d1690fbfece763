/** Calls every tool of the catalogue over HTTP on the simulated market, with API keys and credits. */
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer as withLayer } from "@effect/vitest"
import { layerCharts } from "@tapeline/charts"
import { DerivedStore, layerEngine, makeCatalogue, specifications, Toolbox, tools } from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import { discardResponses } from "@tapeline/document/validateResponses"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { seededRandom } from "@tapeline/quant"
import { layerSandbox } from "@tapeline/sandbox"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { createExampleRecords } from "@tapeline/testing/journal/exampleRecords"
import { seed } from "@tapeline/testing/seed"
import { Effect, Exit, Layer, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { layerSimulatedMarket } from "../src/market/layerSimulatedMarket.ts"
import { makeJunkBody } from "./support/junkBodies.ts"
import { largestArguments } from "./support/largestArguments.ts"
import { sendRequest } from "./support/service.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")
const plans = {
  generous: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
}

const engine = layerEngine({ toolbox: Toolbox.layer(tools), plans }).pipe(
  Layer.provideMerge(Layer.provide(layerNewsSearch, LocalEmbeddings)),
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryStores,
      layerCharts,
      layerSandbox({ sandboxes: 2 }),
      DerivedStore.layer.pipe(Layer.provideMerge(layerSimulatedMarket(7)))
    )
  )
)
const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-this-test")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provideMerge(engine),
  // The clock is set before periodic work starts, because the engine would otherwise catch up on all the time since
  // 1970.
  Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
)

const Answer = Schema.fromJsonString(Schema.Struct({
  tool: Schema.String,
  credits_used: Schema.Number,
  credits_left: Schema.Number,
  took_ms: Schema.Number,
  data: Schema.Unknown
}))

const heapMb = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return Math.round((heapUsed + arrayBuffers) / 1e5) / 10
}
const readAnswer = Schema.decodeUnknownSync(Answer)
const ErrorData = Schema.Struct({
  error: Schema.Struct({ code: Schema.String, message: Schema.String, retryable: Schema.Boolean })
})
const isFailed = Schema.is(ErrorData)
const CreditsBody = Schema.fromJsonString(
  Schema.Struct({ credits: Schema.Struct({ used: Schema.Number, reserved: Schema.Number }) })
)
const decodeErrorData = Schema.decodeUnknownSync(CreditsBody)

const sendRequestTo = Effect.fnUntraced(function*(key: string, method: string, path: string, body?: object | string) {
  const { address } = yield* HttpServer.HttpServer
  return yield* sendRequest(
    { address: HttpServer.formatAddress(address) },
    method,
    path,
    body === undefined ? { key } : { key, body }
  )
})
const called = (key: string, name: string, body: object | string) =>
  sendRequestTo(key, "POST", `/v1/tools/${name}`, body)

const enrolled = createKeyedAccount({
  plan: "generous",
  scopes: ["read:market", "read:personal", "write:personal", "agent:chat"]
})
/**
 * Returns the example arguments of a tool. If the tool uses the caller's own records, the arguments contain ids of
 * existing records.
 */
const forOwn = (key: string, name: string, body: object) =>
  createExampleRecords(
    name,
    body,
    (name, args) => Effect.map(called(key, name, args), ({ text }) => readAnswer(text).data)
  )
const usageOf = (key: string) =>
  Effect.map(sendRequestTo(key, "GET", "/v1/usage"), ({ text }) => decodeErrorData(text).credits)

const catalogue = new Map(makeCatalogue(specifications).map((entry) => [entry.name, entry]))
const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
/**
 * Returns the example without its optional arguments. If the tool requires one of several arguments, returns the whole
 * example.
 */
const withDefaults = ({ example, name, parameters }: typeof specifications[number]): object => {
  const required = listOf(catalogue.get(name)!.parameters["required"])
  const requiredArguments = Object.fromEntries(Object.entries(example).filter(([key]) => required.includes(key)))
  return Exit.isSuccess(Schema.decodeUnknownExit(parameters)(requiredArguments)) ? requiredArguments : example
}

/**
 * Without a coin, `get_hit_rate` and `get_signal_outcomes` derive months of signals of every coin. Therefore only the
 * full run omits the coin.
 */
const isSlowByDefault = (name: string): boolean => name === "get_hit_rate" || name === "get_signal_outcomes"

/** Sends `times` invalid bodies to a tool, and counts the outcomes. `salt` selects the invalid bodies. */
const testRejections = Effect.fnUntraced(function*(
  key: string,
  { credits, example, name, parameters }: typeof specifications[number],
  times: number,
  salt = 0
) {
  const random = seededRandom(name.length * 1_000 + name.charCodeAt(4) + salt * 1_000_000)
  const pickBelow = (below: number): number => Math.floor(random() * below)
  const names = Object.keys(parameters.fields)
  const met = { answered: 0, failed: 0, refused: 0, charged: 0 }
  for (let i = 0; i < times; i++) {
    const body = makeJunkBody(example, names, pickBelow)
    const { status, text } = yield* called(key, name, body)
    const responseText = `${body.slice(0, 500)} -> ${status} ${text.slice(0, 500)}`
    assert.include([200, 400], status, responseText)
    // A rejection may quote the caller's text, but a successful result must not contain `NaN` or `Infinity`.
    if (status === 400) {
      met.refused++
      continue
    }
    const { credits_used, data } = readAnswer(text)
    assert.notMatch(text, /:(-?Infinity|NaN)\b/u, responseText)
    assert.strictEqual(credits_used, isFailed(data) ? 0 : credits, responseText)
    met[isFailed(data) ? "failed" : "answered"]++
    met.charged += credits_used
  }
  return met
})

const roundOfJunk = Effect.fnUntraced(function*(key: string, salt: number) {
  for (const specification of specifications) {
    yield* testRejections(key, specification, 100, salt)
    discardResponses()
  }
  return heapMb()
})

/** The usual run calls every sixth tool, beginning with this index. The full run calls all tools. */
const visitCase = seed % 6

withLayer(service, { timeout: 60_000 })("every tool over HTTP", (it) => {
  for (const specification of specifications.filter((_, i) => isFullRun || i % 6 === visitCase)) {
    const { credits, example, name, result } = specification
    const decode = Schema.decodeUnknownSync(result, { errors: "all", onExcessProperty: "error" })

    it.effect(`${name} returns results of its schema, at its price, for its example and its defaults`, () =>
      Effect.gen(function*() {
        const { key } = yield* enrolled
        const bodies = [
          yield* forOwn(key, name, example),
          yield* forOwn(key, name, isFullRun || !isSlowByDefault(name) ? withDefaults(specification) : example)
        ]
        const { used } = yield* usageOf(key)
        const sizes: Array<number> = []
        for (const body of bodies) {
          const { status, text } = yield* called(key, name, body)
          assert.strictEqual(status, 200, text)
          const { credits_used, data, tool } = readAnswer(text)
          assert.deepStrictEqual([tool, credits_used], [name, credits], text.slice(0, 300))
          decode(data)
          sizes.push(Buffer.byteLength(JSON.stringify(data)))
        }
        assert.isBelow(sizes[0]!, 256 * 1024)
        assert.isAtMost(sizes[1]!, 12_000)
        assert.deepStrictEqual(yield* usageOf(key), { used: used + 2 * credits, reserved: 0 })
      }))

    it.effect(`${name} rejects or answers invalid bodies, and charges only for answers`, () =>
      Effect.gen(function*() {
        const { key } = yield* enrolled
        const met = yield* testRejections(key, specification, isFullRun ? 100 : 5)
        assert.deepStrictEqual(yield* usageOf(key), { used: met.charged, reserved: 0 })
      }), { timeout: 600_000 })
  }

  if (!isFullRun) return
  it.effect("no result exceeds 256 KiB, even with the largest arguments", () =>
    Effect.gen(function*() {
      const { key } = yield* enrolled
      for (const { example, name } of specifications) {
        const body = yield* forOwn(key, name, largestArguments(name, example, catalogue.get(name)!.parameters))
        const { status, text } = yield* called(key, name, body)
        assert.strictEqual(status, 200, `${name} ${text.slice(0, 300)}`)
        const { data } = readAnswer(text)
        assert.isFalse(isFailed(data), `${name} ${text.slice(0, 300)}`)
        const bytes = Buffer.byteLength(JSON.stringify(data))
        assert.isAtMost(bytes, 256 * 1024, name)
        if (bytes > 100_000) yield* Effect.sync(() => console.log(`${name}: ${bytes} bytes at most`))
      }
    }), { timeout: 600_000 })

  it.effect("invalid bodies leak no memory", () =>
    Effect.gen(function*() {
      const { key } = yield* enrolled
      // The first rounds fill the caches, and a memory leak grows in every round.
      const sizes: Array<number> = [yield* roundOfJunk(key, 0)]
      do {
        assert.isBelow(sizes.length, 6, `MB after each round: ${sizes.join(", ")}`)
        sizes.push(yield* roundOfJunk(key, sizes.length))
      } while (sizes.at(-1)! > sizes.at(-2)! + 10)
    }), { timeout: 600_000 })
})
