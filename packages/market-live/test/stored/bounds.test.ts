import { assert, it } from "@effect/vitest"
import { CoinPrices, dayMs, hourMs, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { coinDocument } from "../../src/stored/documents.ts"
import { storedCoinPrices } from "../../src/stored/index.ts"

const now = Date.parse("2026-11-20T15:00:00.000Z")
const coins = Array.from({ length: 14 }, (_, i) => `C${i}`)
const market = Layer.provideMerge(storedCoinPrices, MemoryMarketStore)

/** Minute prices of 14 coins over 13 days, which exceed the size limit of one read. */
const layerWritten = Effect.gen(function*() {
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: "test", holder: "test", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return assert.fail("another process leads")
  const facts = {
    sector: "layer1",
    circulatingSupply: null,
    maxSupply: null,
    listedAt: Date.UTC(2017, 0),
    delistedAt: null,
    isStablecoin: false
  }
  const documents = coins.map((key) =>
    coinDocument.encodeRow({ key, time: now, source: "test" }, { ...facts, name: key })
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence: leadership.fence, documents })
  const from = now - 13 * dayMs
  const rows = Array.from({ length: 13 * 24 * 60 }, (_, i) => ({ time: from + i * minuteMs, price: 1 }))
  for (const subject of coins) {
    yield* store.writePoints({
      kind: pointsKinds.prices,
      fence: leadership.fence,
      series: [{ subject, source: "test", rows, covers: [{ from, to: now }] }]
    })
  }
})

it.effect("fails with advice, not a defect, if a read exceeds the maximum size", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    yield* layerWritten
    const prices = yield* CoinPrices
    const failures = [
      yield* Effect.flip(prices.minutes({ coins, after: now - 13 * dayMs, until: now })),
      yield* Effect.flip(prices.candleRange({ coin: "C0", timeframe: "15m", from: now - 8 * 365 * dayMs, to: now }))
    ]
    for (const failure of failures) {
      if (!(failure instanceof SourceUnavailable)) return assert.fail(`the error is ${failure._tag}`)
      assert.isFalse(failure.retryable)
      assert.match(failure.reason, /request a shorter interval/u)
      assert.deepStrictEqual(failure.toolFailure.callerMessage, { key: "source_missing_room" })
    }
    const { value } = yield* prices.minutes({ coins, after: now - 12 * dayMs, until: now })
    assert.strictEqual(value.get("C0")?.points.length, 12 * 24 * 60 - 1)
  }).pipe(Effect.provide(market)))
