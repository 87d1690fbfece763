import { durationMs, type Interval } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { coinDocument } from "@tapeline/market-live"
import { layerPostgres, PgMarketStore } from "@tapeline/postgres"
import { Effect, Layer } from "effect"

const stepMs = durationMs["5m"]

/** Records coins that were listed in 2018, and five-minute candles of a single interval, as a collector does. */
export const recordCandles = (url: string, coins: ReadonlyArray<string>, { from, to }: Interval): Effect.Effect<void> =>
  Effect.gen(function*() {
    const store = yield* MarketStore
    const source = "test"
    const leadership = yield* store.acquireLeadership({ source, holder: "test", ttlMs: 60_000 })
    if (leadership._tag === "Follows") return yield* Effect.die(new Error("another process records in this database"))
    const { fence } = leadership
    const listedAt = Date.UTC(2018, 0, 1)
    const documents = coins.map((key) =>
      coinDocument.encodeRow({ key, time: from, source }, {
        name: key,
        sector: "layer1",
        circulatingSupply: null,
        maxSupply: null,
        listedAt,
        delistedAt: null,
        isStablecoin: false
      })
    )
    yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents })
    const priceAt = (coin: number, time: number) => 100 * (1 + coin) * Math.exp(0.05 * Math.sin(time / 4e7 + coin))
    const rows = (coin: number) =>
      Array.from({ length: (to - from) / stepMs }, (_, i) => {
        const time = from + i * stepMs
        const [open, close] = [priceAt(coin, time), priceAt(coin, time + stepMs)]
        const ends = { open, close, high: Math.max(open, close), low: Math.min(open, close) }
        return { time, ...ends, volume: 10, quoteVolume: 10 * close, takerBuyVolume: 5 }
      })
    yield* store.writePoints({
      kind: pointsKinds.candles,
      fence,
      series: coins.map((subject, i) => ({ subject, source, rows: rows(i), covers: [{ from, to }] }))
    })
    yield* store.resignLeadership(fence)
  }).pipe(
    Effect.provide(Layer.provide(PgMarketStore, layerPostgres({ url, maxConnections: 1 }))),
    Effect.orDie
  )
