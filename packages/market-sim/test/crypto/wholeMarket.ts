import { assert, it, layer as withLayer } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  KoreanCoinMarkets,
  readValue,
  SourceUnavailable,
  StoredEquities
} from "@tapeline/core"
import {
  compareCoins,
  getDominance,
  getIndicators,
  getMarketOverview,
  getMovers,
  getPrice,
  getPriceAt,
  getPriceHistory,
  getScore,
  getVolatility,
  screenCoins
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, makeStoredVenue, now } from "../support/markets.ts"

const veryLowValue = -1e15
const returnPeriods = [["return_1d_pct", 1440], ["return_7d_pct", 10_080], ["return_30d_pct", 43_200]] as const

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("source tools over the simulated market", (it) => {
  it.effect("a screen shows the values of its source tools", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const fields = [
        "rsi",
        "score",
        "atr_pct",
        "range_position_pct",
        "change_24h_pct",
        "volume_24h_usd",
        "funding_rate_pct",
        "oi_change_24h_coin_pct"
      ] as const
      const filters = fields.map((field) => ({ field, op: "gt" as const, value: veryLowValue }))
      const result = yield* callTool(screenCoins, { filters, top: 100 })
      assert.strictEqual(result.matches.length, result.matched)
      const { coins } = yield* callTool(getMarketOverview, {})
      assert.deepStrictEqual(
        result.matches.map(({ coin }) => coin),
        coins.map(({ coin }) => coin).filter((coin) => result.matches.some((match) => match.coin === coin))
      )
      assert.isAbove(result.matched, coins.length / 2)
      for (const match of result.matches.filter((_, i) => i % 6 === 0)) {
        const { coin } = match
        const { change_24h_pct, price, volume_24h_usd } = yield* callTool(getPrice, { coin })
        const { as_of, atr_pct, range_position_pct, rsi } = yield* callTool(getIndicators, { coin })
        const { score } = yield* callTool(getScore, { coin })
        assert.strictEqual(result.hourly_at, as_of)
        const derivatives = yield* CoinDerivatives
        const perpetual = yield* readValue(derivatives.perpetual(coin))
        const from = perpetual.time - dayMs
        const { points } = yield* readValue(
          derivatives.perpetualHistory({ coin, from, to: from + 1, stepMs: 300_000 })
        )
        const { funding_rate_pct, oi_change_24h_coin_pct, ...rest } = match
        assert.deepStrictEqual(rest, {
          coin,
          price,
          change_24h_pct,
          volume_24h_usd,
          rsi,
          score,
          atr_pct,
          range_position_pct
        })
        assert.closeTo(funding_rate_pct!, 100 * perpetual.fundingRate!, 1e-6)
        assert.closeTo(
          oi_change_24h_coin_pct!,
          100 * (perpetual.openInterest! / points[0]!.openInterest! - 1),
          1e-4
        )
      }
      assert.deepStrictEqual(yield* callTool(screenCoins, { filters, top: 100 }), result)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("screens of the simulated market", (it) => {
  it.effect("a screen applies every filter, sorts, limits its rows and notes the limit", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const all = yield* callTool(screenCoins, {
        filters: [{ field: "rsi", op: "gt", value: 0 }, { field: "change_24h_pct", op: "gt", value: veryLowValue }],
        top: 100
      })
      const rsi = all.matches.map((match) => match.rsi!)
      const bound = [...rsi].sort((a, b) => a - b)[Math.floor(rsi.length / 2)]!
      // The limit is above the 24-hour change of the coin with the lowest RSI, so at least this coin matches.
      const lowest = all.matches.find((match) => match.rsi === Math.min(...rsi))!
      const limit = lowest.change_24h_pct! + 1
      const oversold = yield* callTool(screenCoins, {
        filters: [{ field: "rsi", op: "lt", value: bound }, { field: "change_24h_pct", op: "lte", value: limit }],
        sort: { field: "atr_pct", order: "desc" },
        top: 3
      })
      for (const { atr_pct, change_24h_pct, rsi } of oversold.matches) {
        // The tool filters by exact numbers but returns rounded numbers.
        assert.isTrue(rsi! <= bound && change_24h_pct! <= limit && atr_pct! > 0)
      }
      const atr = oversold.matches.map((match) => match.atr_pct!)
      assert.deepStrictEqual(atr, [...atr].sort((a, b) => b - a))
      assert.deepStrictEqual(Object.keys(oversold.matches[0]!).sort(), [
        "atr_pct",
        "change_24h_pct",
        "coin",
        "price",
        "rsi"
      ])
      assert.strictEqual(oversold.scanned, all.scanned)
      assert.deepStrictEqual(oversold.excluded_null, { rsi: 0, change_24h_pct: 0 })
      assert.strictEqual(oversold.notes.length, oversold.matched > 3 ? 1 : 0)
      for (
        const [op, n] of [["gt", rsi.filter((one) => one > bound).length], [
          "gte",
          rsi.filter((one) => one >= bound).length
        ]] as const
      ) {
        const { matched } = yield* callTool(screenCoins, { filters: [{ field: "rsi", op, value: bound }] })
        assert.closeTo(matched, n, 1)
      }
      const noMatches = yield* callTool(screenCoins, { filters: [{ field: "price", op: "lt", value: 0 }] })
      assert.deepInclude(noMatches, { matched: 0, hourly_at: null })
      const filters = Array.from({ length: 9 }, () => ({ field: "price", op: "gt", value: 0 }))
      for (
        const invalidFilters of [[], filters, [{ field: "nosuch", op: "gt", value: 0 }], [{ field: "rsi", op: "gt" }]]
      ) {
        assert.strictEqual(
          (yield* Effect.flip(callExpectingFailure(screenCoins, { filters: invalidFilters })))._tag,
          "InvalidArguments"
        )
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("comparisons over the simulated market", (it) => {
  it.effect("a comparison shows the values of its source tools", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { rows } = yield* callTool(compareCoins, { coins: ["sol", "USDT", "DOGE"] })
      assert.deepStrictEqual(rows.map(({ coin }) => coin), ["SOL", "USDT", "DOGE"])
      for (const row of rows) {
        const { coin } = row
        for (const [name, minutes_ago] of returnPeriods) {
          const { change_pct, price_now } = yield* callTool(getPriceAt, { coin, minutes_ago })
          assert.strictEqual(row[name], change_pct)
          assert.strictEqual(row.price, price_now)
        }
        const { candles } = yield* callTool(getPriceHistory, { coin, tf: "1d", bars: 92 })
        const closes = candles.slice(0, -1).map(({ close }) => close)
        const returns = closes.slice(1).map((close, i) => close / closes[i]! - 1)
        const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
        const spread = Math.sqrt(returns.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (returns.length - 1))
        assert.closeTo(row.sharpe_90d!, mean / spread * Math.sqrt(365), 1e-5)
        const falls = closes.map((close, i) => 100 * (close / Math.max(...closes.slice(0, i + 1)) - 1))
        assert.closeTo(row.max_drawdown_90d_pct!, Math.min(...falls), 1e-4)
        if (coin === "USDT") continue
        const { bias, score } = yield* callTool(getScore, { coin })
        assert.deepInclude(row, { bias, score })
        const perpetual = yield* readValue((yield* CoinDerivatives).perpetual(coin))
        assert.closeTo(row.funding_rate_pct!, 100 * perpetual.fundingRate!, 1e-6)
      }
      const tether = rows[1]!
      assert.deepInclude(tether, { score: null, bias: null, funding_rate_pct: null })
      assert.strictEqual(
        (yield* callExpectingFailure(compareCoins, { coins: ["BTC", "NOSUCH"] })).code,
        "unknown_symbol"
      )
    }))
})

const notConfiguredError = new SourceUnavailable({
  source: "yahoo",
  failure: "not_configured",
  reason: "no other source reports stock prices",
  retryable: false,
  variable: "TAPELINE_YAHOO"
})
const marketWithoutStocks = Layer.merge(
  layerCompleteMarket,
  Layer.effect(
    StoredEquities,
    Effect.map(StoredEquities, (stocks) => ({ ...stocks, quotes: () => Effect.fail(notConfiguredError) }))
  ).pipe(Layer.provide(layerCompleteMarket))
)

it.effect("movers of all markets are those of coins if no stock source is configured", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const all = yield* callTool(getMovers, { top: 5 })
    const coins = yield* callTool(getMovers, { market: "crypto", top: 5 })
    assert.deepStrictEqual([all.gainers, all.turnover, all.n], [coins.gainers, coins.turnover, coins.n])
    assert.isNull(all.stocks_at)
    assert.include(all.notes[0], "Only coins")
    assert.strictEqual((yield* callExpectingFailure(getMovers, { market: "stock" })).code, "source_unavailable")
  }).pipe(Effect.provide(layerEngineOver(marketWithoutStocks))))

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("markets of the simulated world", (it) => {
  it.effect("movers contain the rows of both markets, sorted", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const coins = yield* readValue((yield* KoreanCoinMarkets).tickers)
      const stocks = yield* readValue((yield* StoredEquities).quotes("KR"))
      const all = yield* callTool(getMovers, { top: 100 })
      const [crypto, stock] = [
        yield* callTool(getMovers, { market: "crypto", top: 100 }),
        yield* callTool(getMovers, { market: "stock", top: 100 })
      ]
      assert.strictEqual(all.n, crypto.n + stock.n)
      assert.strictEqual(stock.n, stocks.length)
      assert.strictEqual(crypto.n, new Set(coins.map(({ coin }) => coin)).size)
      assert.isNull(crypto.stocks_at)
      assert.isNull(stock.coins_at)
      for (const { gainers, losers, turnover } of [all, crypto, stock]) {
        const changes = gainers.map((row) => row.change_pct!)
        assert.isTrue(changes.every((change, i) => change > 0 && (i === 0 || change <= changes[i - 1]!)))
        const falls = losers.map((row) => row.change_pct!)
        assert.isTrue(falls.every((change, i) => change < 0 && (i === 0 || change >= falls[i - 1]!)))
        const sums = turnover.map((row) => row.turnover_krw!)
        assert.isTrue(sums.every((sum, i) => i === 0 || sum <= sums[i - 1]!))
      }
      for (const row of all.gainers) {
        if ("symbol" in row) {
          const quote = stocks.find(({ symbol }) => symbol === row.symbol)!
          assert.deepInclude(row, { price_krw: quote.price, exchange: quote.exchange, name: quote.name })
          assert.closeTo(row.change_pct!, quote.changePct!, 1e-4)
        } else {
          const markets = coins.filter(({ coin }) => coin === row.coin)
          const largest = markets.reduce((a, b) => b.volume24hKrw > a.volume24hKrw ? b : a)
          assert.deepInclude(row, { exchange: largest.exchange, price_krw: largest.krwPrice })
        }
      }
    }))

  it.effect("dominance follows from market capitalisations and adds up to 100", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(getDominance, {})
      const { coins } = yield* callTool(getMarketOverview, {})
      const prices = yield* CoinPrices
      const facts = yield* readValue(prices.coins)
      const stable = new Set(facts.filter(({ isStablecoin }) => isStablecoin).map(({ coin }) => coin))
      const share = (isIncluded: (coin: string) => boolean): number =>
        100 * coins.filter(({ coin }) => isIncluded(coin)).reduce((sum, one) => sum + one.market_cap_usd!, 0) /
        result.total_cap_usd
      assert.closeTo(result.btc_pct!, share((coin) => coin === "BTC"), 1e-4)
      assert.closeTo(result.eth_pct!, share((coin) => coin === "ETH"), 1e-4)
      assert.closeTo(result.stable_pct!, share((coin) => stable.has(coin)), 2e-4)
      assert.closeTo(result.btc_pct! + result.eth_pct! + result.stable_pct! + result.other_pct!, 100, 1e-9)
      const growth = (coin: string) =>
        prices.priceAt({ coin, time: now - 90 * dayMs }).pipe(
          Effect.map(({ value }) => coins.find((one) => one.coin === coin)!.price / value.price),
          Effect.catchTag("NoData", () => Effect.succeed(null))
        )
      const btc = yield* growth("BTC")
      const others = (yield* Effect.forEach(
        coins.filter(({ coin }) => coin !== "BTC" && !stable.has(coin)),
        ({ coin }) => growth(coin)
      )).filter((one) => one !== null)
      assert.strictEqual(result.altseason_n, others.length)
      assert.closeTo(result.altseason_index!, 100 * others.filter((one) => one > btc!).length / others.length, 1e-4)
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("screens over a market with missing data", (it) => {
  it.effect("unknown values match no filter and are counted in excluded_null", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(screenCoins, {
        filters: [{ field: "volume_24h_usd", op: "gt", value: veryLowValue }, { field: "rsi", op: "gt", value: 0 }],
        sort: { field: "change_24h_pct", order: "asc" }
      })
      assert.strictEqual(result.matched, 0)
      assert.strictEqual(result.excluded_null.volume_24h_usd, result.scanned)
      const sorted = yield* callTool(screenCoins, {
        filters: [{ field: "price", op: "gt", value: 0 }],
        sort: { field: "change_24h_pct", order: "asc" }
      })
      assert.isTrue(sorted.matches.every((match) => match.change_24h_pct === null))
      assert.isFalse(
        (yield* callTool(screenCoins, { filters: [{ field: "rsi", op: "gt", value: 0 }], top: 100 })).matches
          .some(({ coin }) => coin === "LTC")
      )
      const { rows } = yield* callTool(compareCoins, { coins: ["BTC", "LTC"] })
      assert.deepInclude(rows[1], { price: null, return_1d_pct: null, score: null, bias: null })
      const { change_pct } = yield* callTool(getPriceAt, { coin: "BTC", minutes_ago: 1440 })
      assert.strictEqual(rows[0]!.return_1d_pct, change_pct)
    }))
})

it.effect("cached hourly values are recomputed after a backfill", () => {
  const { backfill, layer } = makeStoredVenue("SOL")
  const filters = [{ field: "rsi", op: "gt", value: 0 }] as const
  const screenedStocks = Effect.gen(function*() {
    const { matches } = yield* callTool(screenCoins, { filters, top: 100 })
    const { close_to_close } = yield* callTool(getVolatility, { coin: "SOL" })
    return { rsi: matches.find(({ coin }) => coin === "SOL")!.rsi!, hours: close_to_close[0]!.n }
  })
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const before = yield* screenedStocks
    assert.deepStrictEqual(yield* screenedStocks, before)
    yield* backfill.writeChange
    const after = yield* screenedStocks
    assert.isAbove(after.hours, before.hours)
    assert.notStrictEqual(after.rsi, before.rsi)
    assert.strictEqual(after.rsi, (yield* callTool(getIndicators, { coin: "SOL" })).rsi)
  }).pipe(Effect.provide(layerEngineOver(layer)))
})

it.effect("concurrent screens read each coin once, and later screens read no coin", () => {
  let reads = 0
  const counting = Layer.effect(
    CoinPrices,
    Effect.map(CoinPrices, (prices) => ({
      ...prices,
      candleRange: (query: Parameters<typeof prices.candleRange>[0]) => {
        reads++
        return prices.candleRange(query)
      }
    }))
  ).pipe(Layer.provideMerge(layerCompleteMarket))
  const screen = callTool(screenCoins, { filters: [{ field: "rsi", op: "gt", value: 0 }] })
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const [first, ...others] = yield* Effect.all([screen, screen, screen], { concurrency: "unbounded" })
    for (const other of others) assert.deepStrictEqual(other, first)
    assert.strictEqual(reads, first.scanned)
    assert.deepStrictEqual(yield* screen, first)
    assert.strictEqual(reads, first.scanned)
  }).pipe(Effect.provide(layerEngineOver(counting)))
})
