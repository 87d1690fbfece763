import { layerCharts } from "@tapeline/charts"
import {
  allScopes,
  DerivedStore,
  layerEngine,
  runAsOf,
  specifications,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import { defaultSeed, SimMarket } from "@tapeline/market-sim"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { createExampleRecords } from "@tapeline/testing/journal/exampleRecords"
import { Effect, Layer } from "effect"
import { questionTime } from "./questions/document.ts"

export interface ToolExchange {
  readonly arguments: object
  readonly answer: unknown
}

const engine = layerEngine({
  toolbox: Toolbox.layer(tools),
  plans: { reader: { monthly_credits: 10_000, keys: 100, requests_per_minute: 1_000, answers_per_day: 1 } }
}).pipe(
  Layer.provideMerge(MemoryStores),
  Layer.provide([layerCharts, layerSandbox({ sandboxes: 1 }), Layer.provide(layerNewsSearch, LocalEmbeddings)]),
  Layer.provide(DerivedStore.layer),
  Layer.provide(SimMarket.layer({ seed: defaultSeed }))
)

const maxTextLength = 240
/** The number of items of a list that a documentation page shows before an ellipsis. */
const maxItems = 3
const ellipsis = "..."

/** Shortens long texts and lists in a result for a documentation page. */
export const shorten = (value: unknown): unknown => {
  if (typeof value === "string") {
    // The URL of a chart image contains a random name, so the name is replaced.
    const text = value.replace(/\/v1\/charts\/[a-z0-5]{32}/u, `/v1/charts/${ellipsis}`)
    return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}${ellipsis}` : text
  }
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== "object" || item === null)
    const maxShown = isFlat ? maxItems : 1
    return value.length <= maxShown ? value.map(shorten) : [...value.slice(0, maxShown).map(shorten), ellipsis]
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shorten(field)]))
}

const sampleRecords: ReadonlyArray<readonly [tool: string, args: object]> = [
  ["set_risk_profile", { account_usd: 10_000, risk_pct: 1 }],
  ["set_position", { coin: "BTC", side: "long", size_usd: 1_000, entry: 90_000, stop: 85_000, leverage: 3 }],
  ["update_watchlist", { add: ["ETH"] }],
  [
    "create_task",
    {
      title: "BTC above 120000",
      kind: "watch",
      spec: { metric: "price", symbol: "BTC", op: "cross_above", value: 120_000 }
    }
  ]
]

/** Calls each tool with its example arguments. Returns the arguments and the shortened result, by tool name. */
export const collectToolExchanges: Effect.Effect<ReadonlyMap<string, ToolExchange>> = Effect.gen(function*() {
  const caller = yield* ToolCaller
  const exchanges = new Map<string, ToolExchange>()
  for (const { example, name, scope } of specifications) {
    const { principal } = yield* createKeyedAccount({ plan: "reader", scopes: allScopes })
    const call = (tool: string, args: object) =>
      Effect.map(caller.call({ principal, name: tool, arguments: args }), ({ envelope }) => envelope.data)
    if (scope === "read:personal") yield* Effect.forEach(sampleRecords, ([tool, args]) => call(tool, args))
    const args = yield* createExampleRecords(name, example, call)
    const { envelope, failure } = yield* caller.call({ principal, name, arguments: args })
    if (failure !== null) return yield* Effect.die(new Error(`${name}: ${failure.message}`))
    exchanges.set(name, { arguments: args, answer: shorten(envelope.data) })
  }
  return exchanges
}).pipe(
  Effect.provide(engine),
  Effect.orDie,
  (program) => runAsOf(program, Date.parse(questionTime))
)
