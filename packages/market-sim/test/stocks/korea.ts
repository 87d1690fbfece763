import { assert, layer as withLayer } from "@effect/vitest"
import { dayMs, ExchangeRates, hourMs, readValue, StoredEquities } from "@tapeline/core"
import {
  getKimchiPremium,
  getKrDisclosures,
  getKrInvestorFlows,
  getKrListings,
  getKrMarket,
  getKrStock,
  getMovers
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

const sumValues = (values: ReadonlyArray<number | null>): number => values.reduce<number>((sum, one) => sum + one!, 0)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("Korean investor flows", (it) => {
  it.effect("flows add up to 0 in every session, and flows of the market are the sum of its stocks", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const market = yield* callTool(getKrInvestorFlows, { days: 60 })
      const one = yield* callTool(getKrInvestorFlows, { symbol: "005930", days: 60 })
      for (const { points, totals } of [market, one]) {
        assert.strictEqual(points.length, 60)
        for (const { foreign, institution, other, retail } of points) {
          assert.strictEqual(foreign! + institution! + other! + retail!, 0)
          assert.isTrue([foreign, institution, other, retail].every(Number.isInteger))
        }
        assert.strictEqual(totals.foreign, sumValues(points.map(({ foreign }) => foreign)))
        assert.strictEqual(totals.foreign! + totals.institution! + totals.retail! + totals.other!, 0)
      }
      assert.deepStrictEqual([market.symbol, one.symbol, one.name], [null, "005930", "Samsung Electronics"])
      const { turnover } = yield* callTool(getMovers, { market: "stock", top: 100 })
      let foreignTotal = 0
      for (const row of turnover) {
        if (!("symbol" in row)) continue
        const { points } = yield* callTool(getKrInvestorFlows, { symbol: row.symbol, days: 1 })
        foreignTotal += points[0]!.foreign!
      }
      assert.strictEqual(foreignTotal, market.points.at(-1)!.foreign)
      const signs = one.points.map((point) => Math.sign(point.foreign!))
      const streakStart = signs.length - 1 - signs.findLastIndex((sign) => sign !== signs.at(-1))
      assert.strictEqual(one.foreign_streak, streakStart * signs.at(-1)!)
    }))

  it.effect("flows are provisional on the evening of a session, and missing during the session", () =>
    Effect.gen(function*() {
      const last = Effect.fnUntraced(function*(time: string) {
        yield* TestClock.setTime(Date.parse(time))
        const { points } = yield* callTool(getKrInvestorFlows, { symbol: "005930", days: 2 })
        return points.at(-1)!
      })
      assert.deepInclude(yield* last("2026-11-20T06:00:00Z"), { date: "2026-11-19", provisional: false })
      const evening = yield* last("2026-11-20T07:00:00Z")
      assert.deepInclude(evening, { date: "2026-11-20", provisional: true })
      assert.deepStrictEqual(yield* last("2026-11-20T10:00:00Z"), { ...evening, provisional: false })
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("the Korean market and its filings", (it) => {
  it.effect("breadth, sectors and foreign buying follow from the stocks, and usd_krw from the exchange rate", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const market = yield* callTool(getKrMarket, {})
      const quotes = yield* readValue((yield* StoredEquities).quotes("KR"))
      const moved = (sign: number) => quotes.filter(({ changePct }) => Math.sign(changePct!) === sign).length
      const breadth = market.breadth!
      assert.deepStrictEqual([breadth.advancing, breadth.declining, breadth.unchanged], [moved(1), moved(-1), moved(0)])
      assert.closeTo(breadth.advancing_pct!, 100 * moved(1) / (moved(1) + moved(-1)), 1e-4)
      for (const { change_pct, sector } of market.sectors) {
        const members = quotes.filter((quote) => quote.sector === sector)
        const before = members.reduce(
          (sum, { marketCap, previousClose, price }) => sum + marketCap! * previousClose! / price,
          0
        )
        assert.closeTo(
          change_pct,
          100 * (sumValues(members.map(({ marketCap }) => marketCap)) / before - 1),
          1e-3,
          sector
        )
      }
      // After the close, the total equals the flows of the session in `get_kr_investor_flows`.
      const { points } = yield* callTool(getKrInvestorFlows, { days: 1 })
      assert.closeTo(market.foreign_net_krw!, points[0]!.foreign!, quotes.length)
      const rates = yield* ExchangeRates
      const [rate, before] = [
        yield* readValue(rates.rate({ pair: "usd_krw" })),
        yield* readValue(rates.rate({ pair: "usd_krw", time: now - dayMs }))
      ]
      assert.closeTo(market.usd_krw!.rate, rate.rate, 1e-9)
      assert.closeTo(market.usd_krw!.change_24h_pct!, 100 * (rate.rate / before.rate - 1), 1e-4)
      for (const index of [market.kospi!, market.kosdaq!]) {
        assert.closeTo(index.change_pct, 100 * (index.value / index.previous_close - 1), 1e-4)
      }
      assert.strictEqual(market.session, "closed")
    }))

  it.effect("disclosures of a company are the same as among all, newest first, and none is in the future", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const all = yield* callTool(getKrDisclosures, { top: 100 })
      assert.strictEqual(all.filings.length, 100)
      const times = all.filings.map(({ time }) => time!)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      assert.isTrue(times.every((time) => Date.parse(time) <= now))
      const { symbol } = all.filings[7]!
      const disclosures = yield* callTool(getKrDisclosures, { symbol, top: 1 })
      assert.deepStrictEqual(disclosures.filings, all.filings.filter((filing) => filing.symbol === symbol).slice(0, 1))
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("premiums of listings", (it) => {
  it.effect("the premium of a listing equals that of get_kimchi_premium, now and along its path", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { listings } = yield* callTool(getKrListings, {})
      assert.strictEqual(listings.length, 10)
      const { rows } = yield* callTool(getKimchiPremium, { scan_all: true, top: 100 })
      let compared = 0
      for (const { coin, exchange, hours_since, listed_at, premium_now_pct, premium_path } of listings) {
        assert.closeTo(hours_since, (now - Date.parse(listed_at)) / hourMs, 0.01)
        const row = rows.find((one) => one.coin === coin && one.exchange === exchange)
        if (row === undefined) continue
        assert.strictEqual(premium_now_pct, row.premium_pct)
        assert.strictEqual(row.is_new_listing, hours_since < 48)
        const { history } = yield* callTool(getKimchiPremium, { coin })
        for (const { premium_pct, time } of premium_path) {
          const point = history!.find((one) => one.time === time)
          if (point === undefined) continue
          assert.strictEqual(premium_pct, point.premium_pct)
          compared++
        }
      }
      assert.isAbove(compared, 6)
      const pastListings = yield* callTool(getKrListings, { at: new Date(now - 3 * dayMs).toISOString() })
      assert.isFalse(pastListings.listings.some(({ listed_at }) => Date.parse(listed_at) > now - 3 * dayMs))
    }))

  it.effect("a premium's percentile is over the last 30 days of its market", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { rows: [row] } = yield* callTool(getKimchiPremium, { coin: "BTC" })
      assert.strictEqual(row!.percentile_n, 181)
      let below = 0
      const last = Math.floor(now / (4 * hourMs)) * 4 * hourMs
      for (let i = 0; i <= 180; i++) {
        // A history of two days contains twelve of these points, so the test requests only every twelfth time.
        const at = new Date(last - i * 4 * hourMs).toISOString()
        if (i % 12 !== 0 && i !== 180) continue
        const { history } = yield* callTool(getKimchiPremium, { coin: "BTC", at })
        const day = history!.filter(({ time }) => Date.parse(time) % (4 * hourMs) === 0)
        const counted = i === 180 ? day.slice(-1) : day.slice(-12)
        below += counted.filter(({ premium_pct }) => premium_pct < row!.premium_pct!).length
      }
      assert.closeTo(row!.premium_percentile!, 100 * below / 181, 1e-3)
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("Korean tools over a venue with gaps", (it) => {
  it.effect("values that no source reports are null and noted; a missing source names its setting", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const stock = yield* callTool(getKrStock, { symbol: "005930" })
      assert.isNull(stock.foreign_share_pct)
      assert.isTrue(stock.notes.some((note) => note.includes("foreign_share_pct")))
      const market = yield* callTool(getKrMarket, {})
      assert.isNull(market.foreign_net_krw)
      assert.deepStrictEqual(market.notes, ["Not reported by any source: foreign_net_krw."])
      const failure = yield* callExpectingFailure(getKrInvestorFlows, {})
      assert.deepInclude(failure, { code: "source_unavailable", retryable: false })
      assert.include(failure.message, "KRX_KEY")
      const { filings, notes } = yield* callTool(getKrDisclosures, {})
      assert.isTrue(filings.every(({ time }) => time === null))
      assert.isTrue(notes.some((note) => note.includes("only the date")))
    }))
})
