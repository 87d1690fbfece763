/** Tool calls over a year of 40 coins in the store, as the live market reads it. */
import { allScopes, type CallContext, DerivedStore, Toolbox, tools } from "@tapeline/core"
import { type Fence, MarketStore } from "@tapeline/core/market/store"
import {
  coinDocument,
  storedCoinDerivatives,
  storedCoinPrices,
  storedOrderBooks,
  storedSocialFeed
} from "@tapeline/market-live"
import { layerSimulatedMarket } from "@tapeline/server"
import { Clock, Effect, Layer, Schema } from "effect"

/** Tools of one credit whose results depend on candles and prices. */
const asked = {
  get_price: {},
  get_price_at: { minutes_ago: 3_000 },
  get_price_history: { tf: "1h", bars: 300 },
  get_indicators: { tf: "4h" },
  get_volatility: {},
  get_volume_profile: {},
  get_vwap: {},
  get_levels: {},
  get_seasonality: {},
  get_movers: null,
  get_market_overview: null,
  screen_coins: { filters: [{ field: "rsi", op: "lt", value: 60 }] }
} as const

const ofAllCoins: ReadonlyArray<string> = ["get_movers", "get_market_overview", "screen_coins"]

const context: CallContext = {
  principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes },
  language: "en",
  callId: "1",
  limitMs: 10_000,
  conversation: null,
  parts: { find: () => undefined, call: () => Effect.die(new Error("none of these calls another")) }
}

/** Writes the facts that make coins known: their details and listing times. */
export const writeFacts = (
  store: MarketStore["Service"],
  fence: Fence,
  coins: ReadonlyArray<string>,
  { listedAt, time }: { readonly listedAt: number; readonly time: number }
) =>
  store.writeDocuments({
    kind: coinDocument.kind,
    fence,
    documents: coins.map((key) =>
      coinDocument.rowOf({ key, time, source: "bench" }, {
        name: key,
        sector: "layer1",
        circulatingSupply: null,
        maxSupply: null,
        listedAt,
        delistedAt: null,
        isStablecoin: false
      })
    )
  })

/** A clock with a fixed time, except for measurements. */
const standingAt = (at: number): Clock.Clock => {
  const clock = Effect.runSync(Clock.Clock)
  return {
    currentTimeMillisUnsafe: () => at,
    currentTimeMillis: Effect.succeed(at),
    currentTimeNanosUnsafe: () => BigInt(at) * 1_000_000n,
    currentTimeNanos: Effect.succeed(BigInt(at) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

export interface ToolRead {
  readonly name: string
  /** The first answer in the process, in ms. */
  readonly first: number
  readonly sample: ReadonlyArray<number>
}

/** Measures how long each tool takes at a time, alternating between two coins. */
export const toolReads = (
  store: MarketStore["Service"],
  coins: readonly [string, string],
  at: number,
  rounds: number
): Effect.Effect<ReadonlyArray<ToolRead>> => {
  const stored = Layer.mergeAll(
    storedCoinPrices,
    storedCoinDerivatives({ wholeTapes: [] }),
    storedOrderBooks,
    storedSocialFeed
  ).pipe(Layer.provide(Layer.succeed(MarketStore, store)))
  const market = DerivedStore.layer.pipe(Layer.provideMerge(Layer.merge(layerSimulatedMarket(1), stored)))
  const picked = Toolbox.layer(tools.filter(({ specification: { name } }) => Object.hasOwn(asked, name)))
  return Effect.gen(function*() {
    const toolbox = yield* Toolbox
    const reads: Array<ToolRead> = []
    for (const [name, own] of Object.entries(asked)) {
      const { handler, specification } = toolbox.find(name)!
      const read = Schema.decodeUnknownSync(specification.parameters)
      const took: Array<number> = []
      for (let round = 0; round <= rounds; round++) {
        const args = read(ofAllCoins.includes(name) ? own ?? {} : { coin: coins[round % 2], ...own })
        const begun = performance.now()
        yield* Effect.orDie(handler(args, context))
        took.push(performance.now() - begun)
      }
      const [first, ...sample] = took
      reads.push({ name, first: first!, sample })
    }
    return reads
  }).pipe(
    Effect.provide(Layer.provideMerge(picked, market)),
    Effect.provideService(Clock.Clock, standingAt(at)),
    Effect.orDie
  )
}
