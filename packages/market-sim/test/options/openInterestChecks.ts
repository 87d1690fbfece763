import { assert } from "@effect/vitest"
import { hourMs, ImpliedVolatilities, OptionsVenue, readValue } from "@tapeline/core"
import {
  getIvMetrics,
  getOptionFlow,
  getOptionsPositioning,
  getPriceHistory,
  getVolSurface
} from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { assertNear, computeBlackPrice, computeSlope, normalCdf, type OptionKind, yearMs } from "./referenceFormulas.ts"
import { type CoinCheck, now, readWholeChain } from "./wholeChain.ts"

export const openInterestChecks: ReadonlyArray<CoinCheck> = [
  [
    "positioning follows from the chain: open interest, max pain, ratios, gamma, flip and walls",
    (coin) =>
      Effect.gen(function*() {
        const { expiry, forward, rows, spot } = yield* readWholeChain(coin)
        const positioning = yield* callTool(getOptionsPositioning, { coin, expiry })
        const sides = rows.flatMap(({ call, put, strike }) => [
          { strike, sign: 1, ...call! },
          { strike, sign: -1, ...put! }
        ])
        const oi = (sign: number) => sides.filter((side) => side.sign === sign).reduce((sum, side) => sum + side.oi!, 0)
        const volume = (sign: number) =>
          sides.filter((side) => side.sign === sign).reduce((sum, side) => sum + side.volume_24h!, 0)
        assertNear(positioning.oi_total, oi(1) + oi(-1), 1e-9, "interest")
        assertNear(
          positioning.oi_total,
          positioning.oi_by_strike.reduce((sum, row) => sum + row.call_oi + row.put_oi, 0),
          1e-9,
          "by strike"
        )
        assertNear(positioning.put_call_ratio_oi, oi(-1) / oi(1), 1e-5, "put/call ratio of open interest")
        assertNear(positioning.put_call_ratio_volume, volume(-1) / volume(1), 1e-5, "put/call ratio of volume")
        const computePain = (at: number) =>
          positioning.oi_by_strike.reduce((sum, { call_oi, put_oi, strike }) =>
            sum + call_oi * Math.max(0, at - strike) + put_oi * Math.max(0, strike - at), 0)
        const strike = positioning.max_pain[0]!.strike!
        assert.isTrue(rows.every((row) =>
          computePain(row.strike) >= computePain(strike) * (1 - 1e-12)
        ))
        // If several strikes have the same payout, max pain is the strike nearest to the forward price.
        const distance = (at: number) => Math.abs(at - forward)
        assert.isTrue(rows.every((row) =>
          distance(row.strike) >= distance(strike) || computePain(row.strike) > computePain(strike) * (1 - 1e-12)
        ))
        // The gamma refers to the forward price, which changes by the same percentage as the spot price.
        const gex = ({ gamma, oi, sign }: typeof sides[number]) =>
          sign * gamma! * oi! * forward ** 2 * 0.01
        assertNear(
          positioning.gex_usd_per_1pct,
          sides.reduce((sum, side) =>
            sum + gex(side), 0),
          1e-4,
          "gamma exposure"
        )
        const findLargest = (sign: number) =>
          sides.filter((side) => side.sign === sign).reduce((a, b) => sign * gex(b) > sign * gex(a) ? b : a)
        assert.deepStrictEqual([positioning.call_wall, positioning.put_wall], [
          findLargest(1).strike,
          findLargest(-1).strike
        ])
        const all = yield* callTool(getOptionsPositioning, { coin })
        for (const answer of [positioning, all]) {
          const sum = answer.gex_by_strike.reduce((total, row) => total + row.gex_usd, 0)
          assert.strictEqual(sum, answer.gex_usd_per_1pct)
          const middle = answer.gamma_profile[10]!
          assertNear(middle.spot, spot, 1e-6, "the middle")
          assert.isAtMost(Math.abs(middle.gex_usd - sum), answer.gex_by_strike.length)
          const crossings = answer.gamma_profile.slice(1).map((right, i) => [answer.gamma_profile[i]!, right] as const)
            .filter(([left, right]) => left.gex_usd * right.gex_usd < 0)
          if (crossings.length === 0) continue
          const distance = Math.min(
            ...crossings.map(([left, right]) => Math.min(Math.abs(left.spot - spot), Math.abs(right.spot - spot)))
          )
          const flip = answer.gamma_flip!
          assert.isAtLeast(Math.abs(flip - spot), distance - 0.02 * spot)
          assert.isTrue(crossings.some(([left, right]) => flip >= left.spot && flip <= right.spot))
        }
        assert.strictEqual(all.max_pain.find((row) => row.expiry === expiry)!.strike, strike)
        assert.strictEqual(all.max_pain.length, all.max_pain.filter((row) => row.strike !== null).length)
        assert.isBelow(JSON.stringify(all).length, 12_000)
      })
  ],
  [
    "vanna and charm are the change of dealers' delta per volatility point and per day",
    (coin) =>
      Effect.gen(function*() {
        const { expires_at, expiry, forward, rows } = yield* readWholeChain(coin)
        const positioning = yield* callTool(getOptionsPositioning, { coin, expiry })
        const years = (Date.parse(expires_at) - now) / yearMs
        const delta = (f: number, strike: number, t: number, sigma: number, type: OptionKind) =>
          computeSlope((x) => computeBlackPrice(x, strike, t, sigma, type), f, 1e-4 * f)
        let [vanna, charm, size] = [0, 0, 0]
        for (const { call, put, strike } of rows) {
          for (const [type, side, sign] of [["call", call!, 1], ["put", put!, -1]] as const) {
            const sigma = side.iv_pct! / 100
            const usd = sign * side.oi! * forward
            vanna += usd * computeSlope((s) => delta(forward, strike, years, s, type), sigma, 1e-3 * sigma) / 100
            charm -= usd * computeSlope((t) => delta(forward, strike, t, sigma, type), years, 1e-3 * years) / 365
            size += Math.abs(usd) * 0.01
          }
        }
        assert.isAtMost(Math.abs(positioning.vanna! - vanna), 1e-3 * size)
        assert.isAtMost(Math.abs(positioning.charm! - charm), 1e-3 * size)
        assert.notStrictEqual(positioning.vanna, 0)
      })
  ],
  [
    "IV metrics equal the surface, which is linear in total variance between expiries",
    (coin) =>
      Effect.gen(function*() {
        const metrics = yield* callTool(getIvMetrics, { coin })
        const surface = yield* callTool(getVolSurface, { coin })
        assert.deepStrictEqual(
          metrics.term_structure.map((row) => [row.expiry, row.atm_iv_pct, row.skew_25d, row.butterfly_25d]),
          surface.by_expiry.map((row) => [row.expiry, row.atm, row.rr25, row.bf25])
        )
        const month = surface.constant_maturity[1]!
        assert.deepStrictEqual(
          [metrics.atm_iv_pct["30d"], metrics.skew_25d, metrics.butterfly_25d],
          [month.atm, month.rr25, month.bf25]
        )
        assert.deepStrictEqual([month.atm_percentile, month.n], [metrics.iv_percentile, metrics.history!.n])
        for (
          const [days, atm] of [[7, metrics.atm_iv_pct["7d"]], [30, month.atm], [
            90,
            metrics.atm_iv_pct["90d"]
          ]] as const
        ) {
          const far = surface.by_expiry.findIndex((row) => row.days >= days)
          const [left, right] = [surface.by_expiry[far - 1]!, surface.by_expiry[far]!]
          const [w0, w1] = [left.atm! ** 2 * left.days, right.atm! ** 2 * right.days]
          const w = w0 + (w1 - w0) * (days - left.days) / (right.days - left.days)
          assertNear(atm, Math.sqrt(w / days), 1e-5, `${days} days`)
        }
        assert.isTrue(surface.arbitrage_free)
        const chain = yield* readWholeChain(coin)
        const row = surface.by_expiry.find((row) => row.expiry === chain.expiry)!
        const { a, b, m, rho, sigma } = row.svi!
        let fitted = 0
        for (const { call, put, strike } of chain.rows) {
          const outOfTheMoney = strike >= chain.forward ? call! : put!
          if (outOfTheMoney.bid === null) continue
          const k = Math.log(strike / chain.forward)
          const w = a + b * (rho * (k - m) + Math.hypot(k - m, sigma))
          assertNear(outOfTheMoney.iv_pct, 100 * Math.sqrt(w / (chain.days / 365)), 1e-3, `SVI at ${strike}`)
          fitted++
        }
        assert.strictEqual(fitted, row.n)
        // The values of each row must match the row's SVI parameters, even if the strikes are far apart.
        for (const { atm, bf25, days, expiry, rr25, svi } of surface.by_expiry) {
          if (svi === null) continue
          const iv = (k: number) =>
            100 * Math.sqrt((svi.a + svi.b * (svi.rho * (k - svi.m) + Math.hypot(k - svi.m, svi.sigma))) / (days / 365))
          assertNear(atm, iv(0), 1e-5, `${expiry} at the money`)
          if (rr25 === null) continue
          const reach = 3 * atm! / 100 * Math.sqrt(days / 365)
          const [call25, put25] = [0.25, 0.75].map((delta) => {
            const grid = Array.from({ length: 20_001 }, (_, i) => reach * (i / 10_000 - 1))
            return iv(
              grid.find((k) => {
                const v = iv(k) / 100 * Math.sqrt(days / 365)
                return normalCdf(-k / v + v / 2) <= delta
              })!
            )
          })
          assert.isAtMost(Math.abs(rr25 - (call25! - put25!)), 0.01, `${expiry} skew`)
          assert.isAtMost(Math.abs(bf25! - ((call25! + put25!) / 2 - atm!)), 0.01, `${expiry} butterfly`)
        }
      })
  ],
  [
    "IV rank and percentile follow from the year's records, and realised volatility from the candles",
    (coin) =>
      Effect.gen(function*() {
        const metrics = yield* callTool(getIvMetrics, { coin })
        const { points } = yield* readValue((yield* ImpliedVolatilities).history({ coin, maturityDays: 30, days: 365 }))
        const ivs = points.map(({ ivPct }) => ivPct)
        const iv = metrics.history!.current_pct
        assert.strictEqual(iv, metrics.atm_iv_pct["30d"])
        assert.isAtMost(Math.abs(metrics.iv_percentile! - 100 * ivs.filter((one) => one < iv).length / ivs.length), 0.3)
        const [minIv, maxIv] = [Math.min(iv, ...ivs), Math.max(iv, ...ivs)]
        assert.isAtMost(Math.abs(metrics.iv_rank! - 100 * (iv - minIv) / (maxIv - minIv)), 0.01)
        const { candles } = yield* callTool(getPriceHistory, { coin, tf: "1h", bars: 722 })
        const closes = candles.filter(({ closed }) => closed !== false).slice(-721).map(({ close }) => close)
        const returns = closes.slice(1).map((close, i) => Math.log(close / closes[i]!))
        const mean = returns.reduce((sum, r) => sum + r, 0) / returns.length
        const variance = returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (returns.length - 1)
        assertNear(metrics.realised_30d_pct, 100 * Math.sqrt(variance * 365 * 24), 1e-5, "realised")
        assertNear(metrics.iv_minus_rv, iv - metrics.realised_30d_pct!, 1e-9, "difference")
      })
  ],
  ["option flow adds up over all trades, with the sign of the taker's side", (coin) =>
    Effect.gen(function*() {
      const flow = yield* callTool(getOptionFlow, { coin, hours: 2, top: 100 })
      const trades = yield* readValue((yield* OptionsVenue).trades({ coin, from: now - 2 * hourMs, to: now + 1 }))
      assert.strictEqual(flow.n, trades.length)
      assert.isAbove(flow.n, 5)
      const premium = (type: OptionKind, side?: string) =>
        trades.filter((trade) => trade.type === type && (side === undefined || trade.side === side))
          .reduce((sum, trade) => sum + trade.premiumUsd, 0)
      assert.isAtMost(Math.abs(flow.calls.bought_usd - premium("call", "buy")), 1)
      assert.isAtMost(Math.abs(flow.puts.sold_usd - premium("put", "sell")), 1)
      assert.strictEqual(
        flow.premium_usd,
        flow.calls.bought_usd + flow.calls.sold_usd + flow.puts.bought_usd + flow.puts.sold_usd
      )
      assertNear(flow.call_put_premium_ratio, premium("call") / premium("put"), 1e-5, "ratio")
      let [delta, vega] = [0, 0]
      for (const { expiryAt, ivPct, side, size, spot, strike, time, type } of trades) {
        const years = (expiryAt - time) / yearMs
        const signedSize = side === "buy" ? size : -size
        delta += signedSize * spot *
          computeSlope((x) => computeBlackPrice(x, strike, years, ivPct / 100, type), spot, 1e-4 * spot)
        vega += signedSize * computeSlope((s) => computeBlackPrice(spot, strike, years, s, type), ivPct / 100, 1e-4) /
          100
      }
      assertNear(flow.net_delta_usd, delta, 1e-3, "delta")
      assertNear(flow.net_vega_usd, vega, 1e-2, "vega")
      const listed = flow.trades.map(({ premium_usd }) => premium_usd)
      assert.deepStrictEqual(listed, listed.toSorted((a, b) => b - a))
      const thirdRow = listed[2]!
      const large = yield* callTool(getOptionFlow, { coin, hours: 2, min_premium_usd: thirdRow })
      assert.isTrue(large.trades.length >= 3 && large.trades.every(({ premium_usd }) => premium_usd >= thirdRow))
      assert.deepStrictEqual([large.n, large.net_delta_usd], [flow.n, flow.net_delta_usd])
    })]
]
