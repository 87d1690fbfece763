import { runAsOf } from "@tapeline/core"
import { dayMs, type Gap, hourMs, type MarketPorts } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { stablecoins, writeDerivatives, writePerpetual } from "./collectDerivatives.ts"
import { writeEquities } from "./collectEquities.ts"
import { writeFeeds, writePosts } from "./collectFeeds.ts"
import { type Collection, endOfSeries, fiveMinutesMs, type WriteContext } from "./collecting.ts"
import { writeKorea } from "./collectKorea.ts"
import { writeCandles, writeFacts, writePrices } from "./collectPrices.ts"

const fillGap = (writing: WriteContext, coin: string, interval: Gap) =>
  Effect.all([writeCandles, writePrices, writePerpetual, writePosts].map((write) => write(writing, coin, interval, [])))

const writeAll = Effect.fnUntraced(function*(writing: WriteContext) {
  const { collection } = writing
  const { candleDays, coins, lost, now, priceDays } = collection
  yield* runAsOf(writeFacts(writing), now)
  const day = Math.floor(now / dayMs) * dayMs
  for (const coin of coins) {
    const to = endOfSeries(collection, coin)
    yield* writeCandles(writing, coin, {
      from: day - candleDays * dayMs,
      to: Math.floor(to / fiveMinutesMs) * fiveMinutesMs
    }, lost)
    yield* writePrices(writing, coin, { from: day - priceDays * dayMs, to }, lost)
    if (!stablecoins.has(coin)) yield* writeDerivatives(writing, coin)
  }
  yield* writeFeeds(writing)
  yield* writeKorea(writing)
  yield* runAsOf(Effect.orDie(writeEquities(writing)), now)
})

/** A store with a collected market, and a function that fills a gap. */
export interface CollectedStore {
  readonly layer: Layer.Layer<MarketStore>
  readonly fillGap: (coin: string, interval: Gap) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

/** Creates a separate store with a collected market. All layers that are built from the result share the store. */
export const makeCollectedStore = (
  market: Layer.Layer<MarketPorts>,
  collection: Collection,
  empty: Layer.Layer<MarketStore> = MemoryMarketStore
): CollectedStore => {
  let writing: WriteContext | undefined
  const scope = Scope.makeUnsafe()
  const load = Effect.gen(function*() {
    const store = Context.get(yield* Layer.buildWithScope(empty, scope), MarketStore)
    const leadership = yield* store.acquireLeadership({ source: "collector", holder: "test", ttlMs: hourMs })
    if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
    writing = { store, fence: leadership.fence, collection }
    yield* writeAll(writing)
    return store
  })
  const loadStore = Effect.provide(runAsOf(Effect.orDie(load), collection.until), market)
  return {
    close: Scope.close(scope, Exit.void),
    layer: Layer.effect(MarketStore, Effect.runSync(Effect.cached(loadStore))),
    fillGap: (coin, interval) =>
      Effect.suspend(() =>
        writing === undefined
          ? Effect.die(new Error("nothing was collected yet"))
          : Effect.provide(runAsOf(fillGap(writing, coin, interval), collection.until), market)
      )
  }
}
