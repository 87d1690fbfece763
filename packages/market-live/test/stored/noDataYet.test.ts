import { assert, it } from "@effect/vitest"
import { hourMs, KoreanCoinMarkets, type MarketRead, minuteMs, NewsFeed, StoredEquities } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  coinDocument,
  indexDocument,
  indexKey,
  krwListingDocument,
  krwListingKey,
  stockDocument,
  stockKey
} from "../../src/stored/documents.ts"
import { storedEquities, storedKoreanCoinMarkets, storedNewsFeed } from "../../src/stored/index.ts"

const now = Date.parse("2026-11-20T15:00:00.000Z")
const market = Layer.provideMerge(
  Layer.mergeAll(storedKoreanCoinMarkets, storedEquities, storedNewsFeed),
  MemoryMarketStore
)

const acquireFence = Effect.gen(function*() {
  const leadership = yield* (yield* MarketStore).acquireLeadership({ source: "test", holder: "test", ttlMs: hourMs })
  return leadership._tag === "Leads" ? leadership.fence : yield* Effect.die(new Error("another process leads"))
})

const makeHeader = (key: string) => ({ key, time: now, source: "test" })

it.effect("reports no recorded data, not an unknown symbol, before the first listing is stored", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const [store, fence, krw, equities] = yield* Effect.all([
      MarketStore,
      acquireFence,
      KoreanCoinMarkets,
      StoredEquities
    ])
    const facts = {
      name: "Bitcoin",
      sector: "layer1",
      circulatingSupply: null,
      maxSupply: null,
      listedAt: 0,
      delistedAt: null,
      isStablecoin: false
    }
    const documents = [coinDocument.encodeRow(makeHeader("BTC"), facts)]
    yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents })
    const readReason = (read: MarketRead<unknown>) =>
      Effect.map(Effect.flip(read), (error) => error._tag === "NoData" ? error.reason.key : error._tag)
    const history = (coin: string) =>
      readReason(krw.history({ coin, from: now - hourMs, to: now, stepMs: 5 * minuteMs }))
    const ofStocks = Effect.all([
      readReason(equities.indexHistory({ index: "SPX", bars: 4 })),
      readReason((yield* NewsFeed).articles({ symbol: "AAPL", from: now - hourMs, to: now }))
    ])
    assert.strictEqual(yield* history("BTC"), "none_recorded")
    assert.strictEqual(yield* history("ZZZ"), "none_recorded")
    assert.deepStrictEqual(yield* ofStocks, ["none_recorded", "none_recorded"])

    const listing = {
      coin: "ETH",
      exchange: "upbit",
      listedAt: now - hourMs,
      inferred: true,
      delistedAt: null
    } as const
    const listings = [krwListingDocument.encodeRow(makeHeader(krwListingKey(listing)), listing)]
    yield* store.writeDocuments({ kind: krwListingDocument.kind, fence, documents: listings })
    const stocks = [
      stockDocument.encodeRow(makeHeader(stockKey("US", "MSFT")), {
        name: "Microsoft",
        exchange: "NASDAQ",
        sector: "technology",
        listedAt: null,
        delistedAt: null,
        quote: null
      }),
      indexDocument.encodeRow(makeHeader(indexKey("IXIC")), { name: "Nasdaq", country: "US", quote: null })
    ]
    yield* store.writeDocuments({ kind: stockDocument.kind, fence, documents: stocks })
    assert.strictEqual(yield* history("BTC"), "none_on_krw_market")
    assert.strictEqual(yield* history("ZZZ"), "UnknownSymbol")
    assert.deepStrictEqual(yield* ofStocks, ["UnknownSymbol", "UnknownSymbol"])
  }).pipe(Effect.provide(market)))
