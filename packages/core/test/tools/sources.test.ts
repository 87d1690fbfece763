import { assert, describe, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  combineReadings,
  dayMs,
  ExchangeRates,
  hourMs,
  KoreanCoinMarkets,
  makeReading,
  mapReading,
  type MarketRead,
  minuteMs,
  pickTools,
  sourcesOf,
  Toolbox,
  tools
} from "@tapeline/core"
import { getDerivatives, getKimchiPremium, getKrListings, getPriceAt, getScore } from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const withTools = makeRunOnEngine(
  Toolbox.layer(
    pickTools(tools, ["get_derivatives", "get_kimchi_premium", "get_kr_listings", "get_price_at", "get_score"])
  )
)

const from = (source: string) => <A>(read: MarketRead<A>): MarketRead<A> =>
  Effect.map(read, ({ asOf, value }) => makeReading(value, source, asOf))

const quotedAt = now - 26 * hourMs

/**
 * The test market with one source per kind of data: rates of a bank, funding of an exchange, hour-old prices of an
 * archive. The test market knows no listing times.
 */
const market = (bank = { name: "bank", quotedAt }) => {
  const fixture = makeFakeMarket()
  const others = Layer.mergeAll(
    Layer.effect(
      ExchangeRates,
      Effect.map(ExchangeRates, (rates) => ({
        ...rates,
        rate: (query) =>
          query.pair === "usdt_krw"
            ? rates.rate(query)
            : Effect.map(rates.rate(query), ({ value }) =>
              makeReading({ ...value, quotedAt: bank.quotedAt }, bank.name, bank.quotedAt))
      }))
    ),
    Layer.effect(
      KoreanCoinMarkets,
      Effect.map(KoreanCoinMarkets, (markets) => ({
        ...markets,
        listings: () =>
          Effect.succeed(makeReading(
            [
              { coin: "BTC", exchange: "upbit", listedAt: now - 30 * hourMs, inferred: true, delistedAt: null },
              { coin: "BTC", exchange: "bithumb", listedAt: now - 20 * hourMs, delistedAt: null }
            ],
            "fixture",
            now
          ))
      }))
    ),
    Layer.effect(
      CoinDerivatives,
      Effect.map(CoinDerivatives, (derivatives) => ({
        ...derivatives,
        fundingPayments: (query) => from("exchange")(derivatives.fundingPayments(query)),
        watermarks: (coins) => from("exchange")(derivatives.watermarks(coins))
      }))
    ),
    Layer.effect(
      CoinPrices,
      Effect.map(CoinPrices, (prices) => ({
        ...prices,
        priceAt: (query) => query.time < now ? from("archive")(prices.priceAt(query)) : prices.priceAt(query)
      }))
    )
  )
  return { ...fixture, layer: others.pipe(Layer.provideMerge(fixture.layer)) }
}

describe("the source and age of a result", () => {
  it.effect("names every source, and is as old as the oldest one", () =>
    withTools(
      Effect.gen(function*() {
        const premium = yield* callTool(getKimchiPremium, { coin: "BTC" })
        assert.strictEqual(premium.source, "bank, fixture")
        assert.strictEqual(Date.parse(premium.as_of), quotedAt)
        assert.strictEqual(premium.rows[0]!.reliability, "medium")
        assert.isTrue(premium.notes.some((note) => note.includes("interbank market is closed")))
        const premiums = yield* callTool(getKimchiPremium, {})
        assert.deepStrictEqual([premiums.source, premiums.as_of], [premium.source, premium.as_of])
        const score = yield* callTool(getScore, { coin: "ETH" })
        assert.strictEqual(score.source, "exchange, fixture")
        assert.deepStrictEqual(yield* callTool(getScore, { coin: "ETH" }), score)
      }),
      { market: market() }
    ))

  it.effect("notes a daily reference rate, not a closed interbank market", () =>
    withTools(
      Effect.gen(function*() {
        const premium = yield* callTool(getKimchiPremium, { coin: "BTC" })
        assert.strictEqual(premium.source, "ecb, fixture")
        assert.strictEqual(premium.rows[0]!.reliability, "medium")
        const rateNote = "is the daily reference rate of 2026-"
        for (const notes of [premium.notes, (yield* callTool(getKrListings, {})).notes]) {
          assert.lengthOf(notes.filter((note) => note.includes(rateNote)), 1)
          assert.isFalse(notes.some((note) => note.includes("interbank")))
        }
      }),
      { market: market({ name: "ecb", quotedAt: now - hourMs }) }
    ))

  it.effect("notes that listed_at is the first trade if the exchange does not report the listing time", () =>
    withTools(
      Effect.gen(function*() {
        const { notes } = yield* callTool(getKrListings, {})
        assert.include(
          notes,
          "The exchange does not report the opening time, so listed_at is the time of the first trade: BTC on upbit."
        )
      }),
      { market: market() }
    ))

  it.effect("names a listing without a premium by coin and exchange", () =>
    withTools(
      Effect.gen(function*() {
        const { listings, notes } = yield* callTool(getKrListings, {})
        assert.deepStrictEqual(listings.map((row) => [row.exchange, row.premium_now_pct === null]), [
          ["bithumb", true],
          ["upbit", false]
        ])
        assert.include(notes, "No current premium because one side is closed or not quoted: BTC on bithumb.")
      }),
      { market: market() }
    ))

  it.effect("includes listings of the requested exchange only", () =>
    withTools(
      Effect.gen(function*() {
        for (const exchange of ["upbit", "bithumb"] as const) {
          const { listings, notes } = yield* callTool(getKrListings, { exchange })
          assert.deepStrictEqual(listings.map((row) => row.exchange), [exchange])
          assert.notInclude(notes.join(), exchange === "upbit" ? "bithumb" : "upbit")
        }
      }),
      { market: market() }
    ))

  it.effect("is current although a price of the past is part of it", () =>
    withTools(
      Effect.gen(function*() {
        const { as_of, source, time } = yield* callTool(getPriceAt, { coin: "BTC", minutes_ago: 1_440 })
        assert.strictEqual(source, "archive, fixture")
        assert.strictEqual(Date.parse(as_of), now)
        assert.strictEqual(Date.parse(time), now - dayMs)
      }),
      { market: market() }
    ))
})

describe("readings", () => {
  const a = makeReading(1, "a", 10)
  const b = makeReading(2, ["c", "b", "c"], 7)

  it("name each source once, in order", () => {
    assert.deepStrictEqual(b.sources, ["b", "c"])
    assert.deepStrictEqual(sourcesOf([b, a, b]), ["a", "b", "c"])
  })

  it("combine all sources, and are as old as the oldest", () => {
    assert.deepStrictEqual(combineReadings("both", [a, b]), { value: "both", sources: ["a", "b", "c"], asOf: 7 })
    assert.deepStrictEqual(mapReading(a, (value) => value + 1), makeReading(2, "a", 10))
  })
})

describe("venues of a perpetual's parts", () => {
  const minutes5 = 5 * minuteMs
  const parts = (payments: ReadonlyArray<string>, taker: string) => {
    const fixture = makeFakeMarket()
    const derivatives = Layer.effect(
      CoinDerivatives,
      Effect.map(CoinDerivatives, (derivatives) => ({
        ...derivatives,
        fundingPayments: (query) =>
          Effect.map(derivatives.fundingPayments(query), ({ asOf, value }) => makeReading(value, payments, asOf)),
        takerFlow: ({ from, to }) => {
          const times = Array.from({ length: (to - from) / minutes5 }, (_, i) => from + i * minutes5)
          const points = times.map((time) => ({ time, buyUsd: 1, sellUsd: 3 }))
          return Effect.succeed(makeReading({ points, gaps: [] }, taker, to))
        }
      }))
    )
    return { ...fixture, layer: derivatives.pipe(Layer.provideMerge(fixture.layer)) }
  }
  const derivativesOf = (payments: ReadonlyArray<string>, taker: string) =>
    withTools(callTool(getDerivatives, { coin: "BTC" }), { market: parts(payments, taker) })

  it.effect("names the venue of taker flow if it differs from the perpetual's source", () =>
    Effect.gen(function*() {
      const fixtureDerivatives = yield* derivativesOf(["fixture"], "fixture")
      assert.deepStrictEqual([fixtureDerivatives.funding_venue, fixtureDerivatives.taker_venues], ["fixture", [
        "fixture"
      ]])
      const other = yield* derivativesOf(["fixture"], "bybit")
      assert.deepStrictEqual([other.taker_venues, other.taker_buy_ratio], [["bybit"], 0.25])
    }))

  it.effect("notes payments of a venue other than that of the funding rate", () =>
    Effect.gen(function*() {
      const note = "funding_z and funding_percentile_90d compare the rate with payments of fixture, okx."
      assert.notInclude((yield* derivativesOf(["fixture"], "fixture")).notes, note)
      assert.include((yield* derivativesOf(["fixture", "okx"], "fixture")).notes, note)
    }))
})
