import { assert, layer as withLayer } from "@effect/vitest"
import { dayMs, newYorkOffset, nthWeekday } from "@tapeline/core"
import { getUsOptions, getUsStock, getUsStockHistory } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

type ChainResult = Effect.Success<ReturnType<typeof readWholeChain>>
const readWholeChain = (symbol: string, expiry: string) =>
  callTool(getUsOptions, { symbol, expiry, strikes_around: 200 })

const computePayout = ({ chain }: ChainResult, price: number): number =>
  chain.reduce(
    (sum, { call, put, strike }) =>
      sum + (call?.oi ?? 0) * Math.max(0, price - strike) + (put?.oi ?? 0) * Math.max(0, strike - price),
    0
  )

/** Returns the implied volatility of a side at a delta, interpolated between the two nearest strikes. */
const interpolateIv = ({ chain }: ChainResult, side: "call" | "put", delta: number): number => {
  const rows = chain.flatMap((row) => row[side]?.delta == null || row[side].iv_pct === null ? [] : [row[side]])
  const i = rows.findIndex((one, j) => j > 0 && (one.delta! - delta) * (rows[j - 1]!.delta! - delta) <= 0)
  const [a, b] = [rows[i - 1]!, rows[i]!]
  const part = (delta - a.delta!) / (b.delta! - a.delta!)
  return a.iv_pct! + part * (b.iv_pct! - a.iv_pct!)
}

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("options of US stocks", (it) => {
  it.effect.runIf(isFullRun)(
    "open interest, max pain, ratios and gamma follow from the chains of all expiries",
    () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        for (const symbol of ["COIN"]) {
          const { expiries, gex_usd_per_1pct, put_call_ratio, put_call_ratio_volume, spot } = yield* callTool(
            getUsOptions,
            {
              symbol
            }
          )
          const openInterestByType = { call: 0, put: 0 }
          const traded = { call: 0, put: 0 }
          let gex = 0
          for (const expiry of expiries) {
            const one = yield* readWholeChain(symbol, expiry)
            assert.strictEqual(one.chain.length, one.strikes_listed)
            const strikes = one.chain.map(({ strike }) => strike)
            const minPayout = Math.min(...strikes.map((strike) => computePayout(one, strike)))
            const tiedStrikes = strikes.filter((strike) => computePayout(one, strike) <= minPayout * (1 + 1e-12))
              .sort((a, b) => Math.abs(a - one.forward!) - Math.abs(b - one.forward!))
            assert.strictEqual(one.max_pain, tiedStrikes[0] ?? null)
            for (const row of one.chain) {
              for (const side of ["call", "put"] as const) {
                const { gamma = null, oi = 0, volume_24h = 0 } = row[side] ?? {}
                openInterestByType[side] += oi!
                traded[side] += volume_24h!
                gex += (side === "call" ? 1 : -1) * (gamma ?? 0) * oi! * one.forward! ** 2 * 0.01
              }
            }
          }
          assert.closeTo(put_call_ratio!, openInterestByType.put / openInterestByType.call, 1e-6)
          assert.closeTo(put_call_ratio_volume!, traded.put / traded.call, 1e-6)
          // The gammas in the chain are discounted. For far expiries, the discount is a few percent.
          assert.closeTo(gex_usd_per_1pct! / spot, gex / spot, 0.05 * Math.abs(gex / spot) + 20_000)
        }
      })
  )

  it.effect.runIf(isFullRun)(
    "the gamma flip lies where the profile changes sign, and the skew has the sign of the wings",
    () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        let flips = 0
        for (const symbol of ["AAPL", "MSFT", "NVDA", "TSLA"]) {
          const result = yield* callTool(getUsOptions, { symbol })
          const { gamma_flip, gamma_profile, gex_usd_per_1pct, skew_25d } = result
          assert.strictEqual(gamma_profile.length, 21)
          assert.closeTo(gamma_profile[10]!.gex_usd, gex_usd_per_1pct!, 200)
          if (gamma_flip !== null) {
            flips++
            const above = gamma_profile.findIndex(({ spot }) => spot >= gamma_flip)
            const [low, high] = [gamma_profile[above - 1]!.gex_usd, gamma_profile[above]!.gex_usd]
            assert.isAtMost(Math.sign(low) * Math.sign(high), 0, symbol)
          }
          const one = yield* readWholeChain(symbol, result.expiry)
          const skew = interpolateIv(one, "call", 0.25) - interpolateIv(one, "put", -0.25)
          assert.strictEqual(Math.sign(skew), Math.sign(skew_25d!), symbol)
          assert.closeTo(skew, skew_25d!, 3, symbol)
        }
        assert.isAbove(flips, 0)
      })
  )
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("volatilities of US stocks", (it) => {
  it.effect("30-day IV is linear in variance between expiries; expected move and percentile follow formulas", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(getUsOptions, { symbol: "AAPL" })
      const all = yield* Effect.forEach(result.expiries.slice(0, 7), (expiry) => readWholeChain("AAPL", expiry))
      const known = all.filter(({ atm_iv_pct }) => atm_iv_pct !== null)
      const after = known.findIndex(({ days }) => days >= 30)
      const [a, b] = [known[after - 1]!, known[after]!]
      const variance = ({ atm_iv_pct, days }: ChainResult) => (atm_iv_pct! / 100) ** 2 * days
      const total = variance(a) + (variance(b) - variance(a)) * (30 - a.days) / (b.days - a.days)
      assert.closeTo(result.iv30_pct!, 100 * Math.sqrt(total / 30), 1e-3)
      // Computes the mean absolute move of a log-normal price whose mean is the forward price, as a midpoint sum over
      // the density.
      const v = result.atm_iv_pct! / 100 * Math.sqrt(result.days / 365)
      let move = 0
      for (let z = -8; z < 8; z += 0.001) {
        move += 0.001 * Math.exp(-((z + 0.0005) ** 2) / 2) / Math.sqrt(2 * Math.PI) *
          Math.abs(Math.expm1(v * (z + 0.0005) - v * v / 2))
      }
      assert.closeTo(result.expected_move_pct!, 100 * move, 1e-3)
      const { candles } = yield* callTool(getUsStockHistory, { symbol: "AAPL", bars: 274, adjust: "all" })
      const closes = candles.filter((candle) => !("closed" in candle)).map(({ close }) => close)
      const volatilities = closes.flatMap((_, end) => {
        if (end < 21) return []
        const returns = closes.slice(end - 20, end + 1).map((close, i) => Math.log(close / closes[end - 21 + i]!))
        const mean = returns.reduce((sum, r) => sum + r, 0) / 21
        return [100 * Math.sqrt(252 * returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 20)]
      })
      assert.closeTo(result.realised_30d_pct!, volatilities.at(-1)!, 1e-3)
      const below = volatilities.slice(-252).filter((volatility) => volatility < result.iv30_pct!).length
      assert.deepStrictEqual(result.percentile_n, Math.min(252, volatilities.length))
      assert.notProperty(result, "iv30_percentile")
      assert.closeTo(result.iv30_percentile_of_realised!, 100 * below / result.percentile_n, 1e-3)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("expiries of US stocks", (it) => {
  it.effect("the default expiry is the third Friday nearest to 30 days; quotes keep the last close's time", () =>
    Effect.gen(function*() {
      for (const at of ["2026-11-20T15:33:00Z", "2026-03-02T16:00:00Z", "2026-06-10T19:00:00Z"]) {
        yield* TestClock.setTime(Date.parse(at))
        const { days, expires_at, expiries, expiry } = yield* callTool(getUsOptions, { symbol: "KO" })
        const date = new Date(expiry)
        assert.strictEqual(
          Date.parse(expiry) / dayMs,
          // The third Friday of June 2026 is Juneteenth, a holiday, so the expiry is a day earlier.
          nthWeekday(date.getUTCFullYear(), date.getUTCMonth() + 1, 5, 3) - (expiry === "2026-06-18" ? 1 : 0)
        )
        assert.isTrue(days > 12 && days < 48)
        assert.strictEqual(
          Date.parse(expires_at),
          Date.parse(expiry) + (16 + newYorkOffset(Date.parse(expiry) / dayMs)) * 3_600_000
        )
        assert.include(expiries, expiry)
      }
      yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00Z"))
      const saturday = yield* callTool(getUsOptions, { symbol: "KO" })
      const { price, price_time } = yield* callTool(getUsStock, { symbol: "KO" })
      assert.deepStrictEqual([saturday.spot, saturday.as_of], [price, price_time])
      const expiryError = yield* callExpectingFailure(getUsOptions, { symbol: "KO", expiry: "2026-11-25" })
      assert.strictEqual(expiryError.code, "no_data")
      assert.include(expiryError.message, "listed: 2026-11-27")
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("US stock options over a venue with gaps", (it) => {
  it.effect("an expiry without a forward has rows, but null greeks, max pain and expected move, with notes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { expiries } = yield* callTool(getUsOptions, { symbol: "AAPL" })
      const first = yield* callTool(getUsOptions, { symbol: "AAPL", expiry: expiries[0]! })
      assert.deepStrictEqual([first.forward, first.max_pain, first.expected_move_pct, first.atm_iv_pct], [
        null,
        null,
        null,
        null
      ])
      assert.isTrue(first.chain.every(({ call, put }) => call?.delta === null && put?.delta === null))
      assert.isAbove(first.notes.length, 2)
      assert.isNotNull(first.iv30_pct)
    }))
})
