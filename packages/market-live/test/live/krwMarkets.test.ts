import { assert, it } from "@effect/vitest"
import { dayMs, hourMs, KoreanCoinMarkets } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { getKimchiPremium, getMovers } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { callHandler } from "@tapeline/testing/toolCalls"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MarketHealth } from "../../src/index.ts"
import { withSourceHealth } from "../../src/live/withSourceHealth.ts"
import { krwListingDocument, krwListingKey, krwMarketKey, krwTickerDocument } from "../../src/stored/documents.ts"
import { hasKrwMarketData, storedKoreanCoinMarkets } from "../../src/stored/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T15:00:00.000Z")

/** Another process leads both exchanges and reports no fault. */
const health = Layer.succeed(MarketHealth, {
  register: () => Effect.void,
  report: Effect.succeed({
    sources: [],
    collectorsBySource: ["upbit", "bithumb"].map((
      source
    ) => ({ source, lead: "follows", holder: "other", collectors: [] } as const))
  })
})

const live = withSourceHealth(KoreanCoinMarkets, storedKoreanCoinMarkets, ["upbit", "bithumb"], {
  hasEverReported: hasKrwMarketData
})
  .pipe(
    Layer.provide(health),
    Layer.provideMerge(MemoryMarketStore)
  )
const ports = sharedPorts

const readMarket = Effect.gen(function*() {
  const korea = yield* KoreanCoinMarkets
  const market = Layer.succeedContext(Context.add(ports, KoreanCoinMarkets, korea))
  return yield* Effect.all([
    Effect.flip(callHandler(getKimchiPremium, {})),
    Effect.flip(callHandler(getMovers, { market: "crypto" }))
  ]).pipe(Effect.provide(Layer.provide(toolsOf([getKimchiPremium, getMovers]), market)))
})

const fenced = Effect.gen(function*() {
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: "upbit", holder: "test", ttlMs: hourMs })
  return {
    store,
    fence: leadership._tag === "Leads" ? leadership.fence : yield* Effect.die(new Error("another process leads"))
  }
})

it.effect("reports a source fault, not closed markets, before KRW markets were collected once", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const fault = yield* Effect.flip((yield* KoreanCoinMarkets).tickers)
    assert.deepInclude(fault, {
      _tag: "SourceUnavailable",
      source: "upbit",
      reason: "no data has been collected yet",
      retryable: true
    })
    for (const error of yield* readMarket) {
      assert.deepInclude(error, { code: "source_unavailable", retryable: true })
      assert.include(JSON.stringify(error), `"upbit"`)
    }
  }).pipe(Effect.provide(live)))

const closedListing = {
  coin: "BTC",
  exchange: "upbit",
  inferred: true,
  listedAt: now - 90 * dayMs,
  delistedAt: now - 9 * dayMs
} as const
const documentFields = { time: now - 9 * dayMs, source: "upbit" }
const pastReads = {
  "a closed market": Effect.flatMap(fenced, ({ fence, store }) =>
    store.writeDocuments({
      kind: krwListingDocument.kind,
      fence,
      documents: [krwListingDocument.encodeRow({ key: krwListingKey(closedListing), ...documentFields }, closedListing)]
    })),
  "an old ticker": Effect.flatMap(fenced, ({ fence, store }) =>
    store.writeDocuments({
      kind: krwTickerDocument.kind,
      fence,
      documents: [
        krwTickerDocument.encodeRow({ key: krwMarketKey("upbit", "BTC"), ...documentFields }, {
          time: documentFields.time,
          krwPrice: 1e8,
          usdtPrice: null,
          volume24hKrw: 1e9,
          warned: false
        })
      ]
    })),
  "old prices": Effect.flatMap(fenced, ({ fence, store }) =>
    store.writePoints({
      kind: pointsKinds.krwMarkets,
      fence,
      series: [{
        subject: krwMarketKey("upbit", "BTC"),
        source: "upbit",
        rows: [{ time: documentFields.time, krwPrice: 1e8, usdtPrice: null, change24hPct: null, volume24hKrw: null }],
        covers: [{ from: documentFields.time, to: documentFields.time + hourMs }]
      }]
    }))
}

for (const [name, write] of Object.entries(pastReads)) {
  it.effect(`reports that no KRW market is open if the store has ${name}`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      yield* write
      for (const error of yield* readMarket) {
        assert.deepInclude(error, { code: "no_data", retryable: false })
        assert.include(JSON.stringify(error), "none_krw_market_open")
      }
    }).pipe(Effect.provide(Layer.fresh(live))))
}
