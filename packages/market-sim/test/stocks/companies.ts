import { assert, layer as withLayer } from "@effect/vitest"
import { dayMs } from "@tapeline/core"
import {
  getUsAnalystRatings,
  getUsEarnings,
  getUsFundamentals,
  getUsInsiderTrades,
  getUsMarket,
  getUsStock,
  getUsStockHistory
} from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now, testWorld } from "../support/markets.ts"

const symbols = ["AAPL", "JPM", "NVDA"]
const sumOf = (values: ReadonlyArray<number | null>): number => values.reduce<number>((all, one) => all + one!, 0)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("statements and insiders", (it) => {
  it.effect("trailing twelve months are the sum of four quarters; balances add up; ratios follow from both", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const symbol of symbols) {
        const { balance, cash_flow, income, notes, ratios } = yield* callTool(getUsFundamentals, { symbol })
        assert.deepStrictEqual(notes, ratios.pe === null ? notes : [])
        for (const field of ["revenue_usd", "gross_profit_usd", "operating_income_usd", "net_income_usd"] as const) {
          assert.strictEqual(income.ttm[field], sumOf(income.quarters.map((quarter) => quarter[field])), field)
        }
        assert.closeTo(income.ttm.eps_usd!, sumOf(income.quarters.map(({ eps_usd }) => eps_usd)), 1e-9)
        for (const rows of [cash_flow.years, cash_flow.quarters, [cash_flow.ttm]]) {
          for (const row of rows) {
            assert.strictEqual(row.free_cash_flow_usd, row.operating_cash_flow_usd! - row.capital_expenditure_usd!)
          }
        }
        for (const row of [...balance.years, ...balance.quarters]) {
          assert.strictEqual(row.total_assets_usd, row.total_liabilities_usd! + row.equity_usd!)
        }
        for (const { ended, filed_at } of [...income.years, ...income.quarters]) {
          assert.isTrue(Date.parse(filed_at) > Date.parse(ended) && Date.parse(filed_at) <= now)
        }
        assert.deepStrictEqual([income.years.length, income.quarters.length], [4, 4])
        const { revenue_usd, net_income_usd } = income.ttm
        assert.closeTo(ratios.net_margin_pct!, 100 * net_income_usd! / revenue_usd!, 0.01)
        const { market_cap_usd, pb, pe } = yield* callTool(getUsStock, { symbol })
        assert.deepStrictEqual([ratios.pe, ratios.pb], [pe, pb])
        assert.closeTo(ratios.ps!, market_cap_usd! / revenue_usd!, 0.01)
      }
    }))

  it.effect("a quarter is not returned before it is filed", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { income } = yield* callTool(getUsFundamentals, { symbol: "AAPL" })
      const last = income.quarters.at(-1)!
      yield* TestClock.setTime(Date.parse(last.filed_at) - 1)
      const before = yield* callTool(getUsFundamentals, { symbol: "AAPL" })
      assert.strictEqual(before.income.quarters.at(-1)!.period, income.quarters.at(-2)!.period)
      yield* TestClock.setTime(Date.parse(last.filed_at))
      assert.strictEqual(
        (yield* callTool(getUsFundamentals, { symbol: "AAPL" })).income.quarters.at(-1)!.period,
        last.period
      )
    }))

  it.effect("net insider trading is open-market purchases less sales, over all filings", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const codes = new Set<string | null>()
      for (const symbol of [...symbols, "MSFT", "KO"]) {
        const insiders = yield* callTool(getUsInsiderTrades, { symbol, days: 365 })
        const { bought_usd, net_usd, open_market_trades, sold_usd, trades } = insiders
        const findTradesOf = (code: string) => trades.filter((trade) => trade.code === code)
        assert.strictEqual(
          net_usd,
          sumOf(findTradesOf("P").map(({ usd }) => usd)) - sumOf(findTradesOf("S").map(({ usd }) => usd))
        )
        assert.deepStrictEqual(net_usd, bought_usd! - sold_usd!)
        assert.strictEqual(open_market_trades, findTradesOf("P").length + findTradesOf("S").length)
        for (const { code, filed_at, price_usd, shares, side, usd } of trades) {
          codes.add(code)
          assert.isTrue(Date.parse(filed_at) <= now && Date.parse(filed_at) > now - 366 * dayMs)
          assert.strictEqual(usd, price_usd === null ? null : Math.round(price_usd * shares))
          assert.strictEqual(code === "P", side === "buy")
          assert.strictEqual(code === "S", side === "sell")
        }
        const month = yield* callTool(getUsInsiderTrades, { symbol, days: 30 })
        assert.deepStrictEqual(month.trades, trades.filter(({ filed_at }) => Date.parse(filed_at) > now - 30 * dayMs))
      }
      assert.isAbove(codes.size, 3)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("announcements", (it) => {
  it.effect("a surprise compares the result with its estimate, and a move equals that of the candles", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const symbol of symbols) {
        const { history, mean_abs_move_pct } = yield* callTool(getUsEarnings, { symbol })
        assert.strictEqual(history.length, 8)
        const { candles } = yield* callTool(getUsStockHistory, { symbol, bars: 600 })
        for (const { date, eps, eps_estimate, move_pct, surprise_pct } of history) {
          assert.closeTo(surprise_pct!, 100 * (eps! - eps_estimate!) / Math.abs(eps_estimate!), 1e-3)
          // A result before the opening moves the close of the same day, and a result after the close moves the close
          // of the next day.
          const at = candles.findIndex(({ time }) => time.slice(0, 10) === date)
          const moves = [at, at + 1].map((i) => 100 * (candles[i]!.close / candles[i - 1]!.close - 1))
          assert.isTrue(moves.some((move) => Math.abs(move - move_pct!) < 0.006), `${symbol} ${date} ${moves.join()}`)
        }
        const moves = history.map(({ move_pct }) => Math.abs(move_pct!))
        assert.closeTo(mean_abs_move_pct!, sumOf(moves) / 8, 1e-3)
      }
    }))

  it.effect.runIf(isFullRun)(
    "implied_move_pct matches the simulated announcement variance, also if the term structure falls",
    () =>
      Effect.gen(function*() {
        // Implied volatility falls with the maturity on one of the two days, and rises on the other.
        for (
          const [date, asked] of [["2026-09-15", ["HOOD", "BAC", "MA"]], ["2026-10-20", [
            "PLTR",
            "QCOM",
            "KO"
          ]]] as const
        ) {
          yield* TestClock.setTime(Date.parse(`${date}T15:00:00Z`))
          for (const symbol of asked) {
            const { implied_expiry, implied_move_pct, next, notes } = yield* callTool(getUsEarnings, { symbol })
            assert.deepStrictEqual(notes, [])
            assert.isTrue(implied_expiry! >= next!.date)
            // In the simulation, the price move on an announcement has six times the variance of a usual day.
            const { dailySd } = testWorld.equities.getStock(symbol)!.spec
            const simulated = 100 * dailySd * Math.sqrt(6) * Math.sqrt(2 / Math.PI)
            assert.isBelow(Math.abs(Math.log(implied_move_pct! / simulated)), 0.1, `${symbol} ${implied_move_pct}`)
          }
        }
      })
  )

  it.effect("the calendar of all stocks contains the calendar of each stock", () =>
    Effect.gen(function*() {
      // 14 October is in the earnings season.
      yield* TestClock.setTime(Date.parse("2026-10-14T15:00:00Z"))
      const all = yield* callTool(getUsEarnings, { days: 30 })
      assert.strictEqual(all.upcoming.length, 50)
      assert.match(all.notes.join(), /The first 50 of \d+ announcements/u)
      assert.isNull(all.symbol)
      const dates = all.upcoming.map(({ time }) => time!)
      assert.deepStrictEqual(dates, dates.toSorted())
      const { symbol } = all.upcoming[20]!
      const earnings = yield* callTool(getUsEarnings, { symbol, days: 30 })
      assert.deepStrictEqual(earnings.upcoming, all.upcoming.filter((one) => one.symbol === symbol))
      assert.deepStrictEqual(earnings.next, earnings.upcoming[0])
    }))
})

const grades = ["strong_buy", "buy", "hold", "sell", "strong_sell"] as const

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("analysts and the market", (it) => {
  it.effect("a consensus follows from its counts; changes of all stocks contain those of each stock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const symbol of symbols) {
        const { changes, consensus, target } = yield* callTool(getUsAnalystRatings, { symbol })
        const { counts, grade, n, score } = consensus!
        assert.strictEqual(n, sumOf(Object.values(counts)))
        assert.closeTo(score, sumOf(grades.map((one, i) => (i + 1) * counts[one])) / n, 0.005)
        assert.isAtMost(Math.abs(grades.indexOf(grade) + 1 - score), 0.505)
        const { price } = yield* callTool(getUsStock, { symbol })
        assert.closeTo(target!.upside_pct, 100 * (target!.mean / price - 1), 1e-3)
        assert.isTrue(target!.low <= target!.mean && target!.mean <= target!.high)
        for (const { action, from, to } of changes) {
          const better = grades.indexOf(to) - grades.indexOf(from!)
          assert.strictEqual(action, better < 0 ? "upgrade" : better > 0 ? "downgrade" : "reiterate")
        }
      }
      const all = yield* callTool(getUsAnalystRatings, {})
      assert.deepStrictEqual([all.symbol, all.consensus, all.target, all.changes.length], [null, null, null, 40])
      for (const change of all.changes.slice(-5)) {
        const ratings = yield* callTool(getUsAnalystRatings, { symbol: change.symbol })
        assert.isTrue(ratings.changes.some((one) => JSON.stringify(one) === JSON.stringify(change)))
      }
    }))

  it.effect("index changes are from the previous close; the VIX is separate and has a percentile", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { breadth, futures, indices, session, vix } = yield* callTool(getUsMarket, {})
      assert.deepStrictEqual(indices.map(({ index }) => index), ["SPX", "NDX", "DJI", "RUT"])
      for (const { change_pct, previous_close, value } of [...indices, ...futures, vix!]) {
        assert.closeTo(change_pct, 100 * (value / previous_close - 1), 1e-4)
      }
      assert.strictEqual(session, "regular")
      const { advancing, advancing_pct, declining } = breadth
      assert.closeTo(advancing_pct!, 100 * advancing / (advancing + declining), 1e-4)
      assert.deepStrictEqual([vix!.n, vix!.percentile! >= 0 && vix!.percentile! <= 100], [60, true])
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("companies over a venue with missing data", (it) => {
  it.effect("figures, estimates, targets and trade types that no source reports are null and noted", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { income, notes, ratios } = yield* callTool(getUsFundamentals, { symbol: "AAPL" })
      assert.isNull(income.ttm.gross_profit_usd)
      assert.isNull(ratios.gross_margin_pct)
      assert.isNotNull(income.ttm.revenue_usd)
      assert.include(notes[0]!, "gross_profit_usd, total_liabilities_usd")
      const earnings = yield* callTool(getUsEarnings, { symbol: "AAPL" })
      assert.deepStrictEqual([earnings.next!.time, earnings.next!.eps_estimate], [null, null])
      assert.isAbove(earnings.implied_move_pct!, 0)
      const ratings = yield* callTool(getUsAnalystRatings, { symbol: "AAPL" })
      assert.isNull(ratings.target)
      assert.strictEqual(ratings.notes.length, 2)
      const insiders = yield* callTool(getUsInsiderTrades, { symbol: "AAPL", days: 365 })
      assert.isAbove(insiders.trades.length, 0)
      assert.deepStrictEqual([insiders.net_usd, insiders.bought_usd], [null, null])
      assert.match(insiders.notes.join(), /does not report the kinds/u)
    }))
})
