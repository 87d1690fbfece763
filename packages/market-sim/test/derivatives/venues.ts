import { assert, layer as withLayer } from "@effect/vitest"
import { CoinDerivatives, dayMs, hourMs, makeReading, readValue, type VenueFunding } from "@tapeline/core"
import { getBasis, getDerivatives, getFundingComparison } from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"
import { setTime, sumOf } from "./support.ts"

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })(
  "basis and venues of the simulated market",
  (it) => {
    it.effect("the basis follows from the returned prices, and the curve's structure from its rows", () =>
      Effect.gen(function*() {
        yield* setTime(now)
        const result = yield* callTool(getBasis, { coin: "ETH" })
        assert.closeTo(result.perp_basis_pct!, 100 * (result.mark_price! / result.index_price! - 1), 1e-6)
        assert.isAbove(result.futures.length, 2)
        for (const { annualised_pct, basis_pct, days, expiry, index_price, price } of result.futures) {
          assert.closeTo(basis_pct, 100 * (price / index_price - 1), 1e-6)
          assert.closeTo(days, (Date.parse(expiry) - now) / dayMs, 1e-3)
          assert.closeTo(annualised_pct!, (basis_pct / days) * 365, 1e-4)
        }
        const signs = new Set(result.futures.map(({ basis_pct }) => Math.sign(basis_pct)))
        assert.strictEqual(result.structure, signs.size > 1 ? "mixed" : signs.has(1) ? "contango" : "backwardation")
        const { points } = yield* readValue(
          (yield* CoinDerivatives).perpetualHistory({
            coin: "ETH",
            from: Date.parse(result.as_of) - 30 * dayMs,
            to: Date.parse(result.as_of),
            stepMs: 4 * hourMs
          })
        )
        assert.strictEqual(result.perp_basis_percentile_n, points.length)
        const lower = points.filter(({ indexPrice, markPrice }) =>
          100 * (markPrice! / indexPrice! - 1) < result.perp_basis_pct! - 1e-6
        )
        assert.closeTo(result.perp_basis_percentile_30d!, (100 * lower.length) / points.length, 1)
        const singleVenueBasis = yield* callTool(getBasis, { coin: "DOGE" })
        assert.deepStrictEqual([singleVenueBasis.futures, singleVenueBasis.structure], [[], null])
        assert.isTrue(singleVenueBasis.notes.some((note) => note.startsWith("No dated futures")))
      }))

    it.effect("the funding spread follows from the rows, each annualised by its own interval", () =>
      Effect.gen(function*() {
        yield* setTime(now)
        for (const coin of ["BTC", "DOGE"]) {
          const result = yield* callTool(getFundingComparison, { coin })
          assert.isAbove(result.venues.length, 2)
          assert.isAbove(new Set(result.venues.map(({ interval_hours }) => interval_hours)).size, 1)
          for (const { annualised_pct, funding_rate_pct, interval_hours, next_time, rate_8h_pct } of result.venues) {
            assert.closeTo(annualised_pct, ((funding_rate_pct * 24) / interval_hours) * 365, 1e-4)
            assert.closeTo(rate_8h_pct, (funding_rate_pct * 8) / interval_hours, 1e-6)
            assert.isTrue(Date.parse(next_time!) > now && Date.parse(next_time!) <= now + interval_hours * hourMs)
          }
          const yearly = result.venues.map(({ annualised_pct }) => annualised_pct)
          assert.closeTo(result.spread_annualised_pct!, Math.max(...yearly) - Math.min(...yearly), 1e-9)
          const getAnnualisedPct = (name: string | null): number =>
            result.venues.find(({ venue }) => venue === name)!.annualised_pct
          assert.closeTo(
            result.spread_annualised_pct!,
            getAnnualisedPct(result.short_venue) - getAnnualisedPct(result.long_venue),
            1e-9
          )
          const weights = sumOf(result.venues, ({ open_interest_usd }) => open_interest_usd!)
          const weighted = sumOf(result.venues, (row) => row.annualised_pct * row.open_interest_usd!)
          assert.closeTo(result.weighted_annualised_pct!, weighted / weights, 1e-4)
          const derivativesResult = yield* callTool(getDerivatives, { coin })
          assert.closeTo(weights / derivativesResult.open_interest_usd!, 1, 1e-6)
          // The tool lists all venues for the open interest, and only one venue for the other values.
          assert.deepStrictEqual(derivativesResult.taker_venues, [derivativesResult.funding_venue!])
          assert.deepStrictEqual(derivativesResult.open_interest_venues, result.venues.map(({ venue }) => venue).sort())
          const paying = result.venues.find(({ venue }) => venue === derivativesResult.funding_venue)!
          assert.strictEqual(paying.funding_rate_pct, derivativesResult.funding_rate_pct)
          assert.strictEqual(paying.time, derivativesResult.as_of)
          assert.strictEqual(paying.interval_hours, derivativesResult.funding_interval_hours)
        }
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("the basis near an expiry", (it) => {
  it.effect("the annualised basis has a warning one hour before expiry; after expiry the next future is first", () =>
    Effect.gen(function*() {
      const expiry = Date.UTC(2026, 10, 27, 8)
      yield* setTime(expiry - hourMs)
      const before = yield* callTool(getBasis, { coin: "BTC" })
      const { annualised_pct, basis_pct, days } = before.futures[0]!
      assert.strictEqual(days, 0.0417)
      assert.closeTo(annualised_pct!, (basis_pct / days) * 365, 1e-4)
      assert.isTrue(before.notes.some((note) => note.startsWith("An annualised basis within a day of expiry")))
      yield* setTime(expiry)
      const after = yield* callTool(getBasis, { coin: "BTC" })
      assert.strictEqual(after.futures[0]!.instrument, before.futures[1]!.instrument)
      assert.deepStrictEqual(after.notes, [])
    }))
})

const layerWithVenues = (venues: ReadonlyArray<VenueFunding>) => {
  const layerChangedFunding = Layer.effect(
    CoinDerivatives,
    Effect.map(
      CoinDerivatives,
      (derivatives) =>
        CoinDerivatives.of({ ...derivatives, fundingByVenue: () => Effect.succeed(makeReading(venues, "made", now)) })
    )
  ).pipe(Layer.provide(layerCompleteMarket))
  return Effect.provide(Layer.fresh(layerEngineOver(Layer.merge(layerCompleteMarket, layerChangedFunding))))
}
const makeVenue = (venue: string, fundingRate: number, intervalHours: number, time = now): VenueFunding => ({
  venue,
  time,
  fundingRate,
  intervalHours,
  nextFundingAt: null
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("hand-written venues", (it) => {
  it.effect("one venue has no spread, a lagging venue is named, and no venue fails with no_data", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const one = yield* callTool(getFundingComparison, { coin: "BTC" }).pipe(
        layerWithVenues([makeVenue("a", 0.0001, 8)])
      )
      assert.deepInclude(one, { long_venue: null, short_venue: null, spread_annualised_pct: null })
      assert.isTrue(one.notes.some((note) => note.startsWith("Only one venue")))
      // A rate of 0.01 % is 10.95 % a year if paid every 8 hours, and 87.6 % a year if paid every hour.
      const three = yield* callTool(getFundingComparison, { coin: "BTC" }).pipe(
        layerWithVenues([
          makeVenue("a", 0.0001, 8),
          makeVenue("b", 0.0001, 1, now - hourMs),
          makeVenue("c", -0.0001, 4)
        ])
      )
      assert.deepStrictEqual(three.venues.map(({ annualised_pct, venue }) => [venue, annualised_pct]), [
        ["b", 87.6],
        ["a", 10.95],
        ["c", -21.9]
      ])
      assert.deepInclude(three, { long_venue: "c", short_venue: "b", spread_annualised_pct: 109.5 })
      assert.isTrue(three.notes.includes("Rates older than 10 minutes: b."))
      assert.strictEqual(
        (yield* callExpectingFailure(getFundingComparison, { coin: "BTC" }).pipe(layerWithVenues([]))).code,
        "no_data"
      )
    }))
})
