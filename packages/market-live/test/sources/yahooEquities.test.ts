import { assert, it } from "@effect/vitest"
import {
  EquityMarkets,
  ExchangeRates,
  type MarketError,
  readValue,
  StoredEquities,
  UnknownSymbol
} from "@tapeline/core/market"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { isFullRun } from "@tapeline/testing/fullRun"
import { AutoAdvancingClock, type FakeServer, makeFakeServer, makeYahoo, makeYahooAuth } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { joinEquityMarkets, layerYahoo, makeYahooEquityMarkets, SourceHealth, Yahoo } from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

/** `now` is a Friday at 10:33 in New York. `weekend` is the day after, and `evening` is the evening of the Friday. */
const now = Date.parse("2026-11-20T15:33:20Z")
const weekend = Date.parse("2026-11-21T15:00:00Z")
const evening = Date.parse("2026-11-20T22:10:05Z")
const dayMs = 86_400_000
const all = sharedPorts
const equities = Context.get(all, EquityMarkets)
const rates = Context.get(all, ExchangeRates)
const storedEquities = Context.get(all, StoredEquities)

/** Only a few stocks per country are listed, because each quote needs one year of prices. */
const listed = { US: ["AAPL", "NVDA", "BRK.B", "RDDT"], KR: ["005930", "000660", "247540"] }

const served = Effect.gen(function*() {
  const yahooAuth = makeYahooAuth()
  const data = makeYahoo({ equities, rates, stored: storedEquities }, yahooAuth)
  const server = yield* makeFakeServer((request) =>
    Effect.flatMap(yahooAuth.handleRequest(request), (page) => page === null ? data(request) : Effect.succeed(page))
  )
  const layer = Layer.provide(
    layerYahoo({ baseUrl: server.url, siteUrl: server.url, retryPolicy: { timeoutMs: 60_000, callTimeoutMs: 90_000 } }),
    SourceHealth.layer
  )
  const port = makeYahooEquityMarkets(Context.get(yield* Layer.build(layer), Yahoo), listed)
  return { server, port }
})

const port = Layer.effect(EquityMarkets, Effect.map(served, (fixture) => fixture.port))
const whatFilingsTell = ["fundamentals", "insiderTrades", "filings"] as const
const optionalMethods = { optionalMethods: [...whatFilingsTell, "investorFlows", "ratingChanges"] } as const
const waivedDelisted = { delisted: waive("it does not keep delisted stocks") }

equityMarketsContract(
  "Yahoo",
  port,
  { now, us: "AAPL", kr: "005930", listed: "RDDT", ...waivedDelisted },
  optionalMethods
)
// The US and Korean exchanges are closed both in the evening and at the weekend.
if (isFullRun) {
  equityMarketsContract("Yahoo in the evening", port, {
    now: evening,
    us: "NVDA",
    kr: "000660",
    listed: waive("the first Yahoo suite checks a recent listing"),
    ...waivedDelisted
  }, optionalMethods)
  equityMarketsContract("Yahoo at a weekend", port, {
    now: weekend,
    us: "BRK.B",
    kr: "247540",
    listed: waive("the first Yahoo suite checks a recent listing"),
    ...waivedDelisted
  }, optionalMethods)
}

const joined = Layer.effect(
  EquityMarkets,
  Effect.map(served, ({ port: prices }) => {
    const { filings, fundamentals, insiderTrades, stock, stocks } = equities
    const us = { fundamentals, insiderTrades, stock, stocks }
    return joinEquityMarkets({ prices, us, kr: { filings, fundamentals } })
  })
)

equityMarketsContract(
  "Yahoo and the regulators",
  joined,
  { now, us: "AAPL", kr: "005930", listed: "RDDT", ...waivedDelisted },
  { optionalMethods: ["investorFlows", "ratingChanges"] }
)

type Port = EquityMarkets["Service"]

const overWire = <A>(
  use: (port: Port, server: FakeServer) => Effect.Effect<A, MarketError, Scope.Scope>,
  time = now
) =>
  Effect.scoped(Effect.flatMap(served, (fixture) => use(fixture.port, fixture.server))).pipe(
    Effect.orDie,
    Effect.provideService(Clock.Clock, new AutoAdvancingClock(time, [60_000, 90_000]))
  )

const known = <A>(read: Effect.Effect<A, MarketError>, time: number): Effect.Effect<A> =>
  Effect.provideService(Effect.orDie(read), Clock.Clock, new AutoAdvancingClock(time, []))

/** Asserts that two numbers are equal, except for the rounding of prices by the source. */
const isNear = (actual: number, right: number, part: number, at: string): void =>
  assert.isAtMost(Math.abs(actual - right), part * Math.max(1, Math.abs(right)), `${at}: ${actual}, not ${right}`)

const timeframes = ["15m", "1h", "1d", "1w"] as const

/**
 * Compares the port's candles with the simulated market. The tested times include splits of AAPL (in October of the
 * previous year) and 066570 (ten days ago), and a late opening in Korea on the 19th.
 */
const compare = (symbol: string, time: number, bars: number, until?: number) =>
  overWire((port) =>
    Effect.gen(function*() {
      for (const timeframe of timeframes) {
        for (const adjusted of [true, false]) {
          const query = { symbol, timeframe, bars, adjusted, ...(until === undefined ? {} : { until }) }
          const history = yield* readValue(port.history(query))
          const right = yield* known(readValue(equities.history(query)), time)
          const name = `${symbol} ${timeframe} ${adjusted ? "adjusted" : "as traded"}`
          const framed = (candle: typeof history.candles[number]) => [candle.time, candle.closed]
          assert.deepStrictEqual(history.candles.map(framed), right.candles.map(framed), name)
          for (const [i, candle] of history.candles.entries()) {
            const at = right.candles[i]!
            // The tolerance for adjusted prices is larger, because the simulated market adjusts prices before it rounds
            // them to ticks.
            const part = adjusted ? 2e-3 : 1e-9
            for (const field of ["open", "high", "low", "close"] as const) isNear(candle[field], at[field], part, name)
            isNear(candle.volume, at.volume, 1e-6, name)
          }
          assert.deepStrictEqual(history.splits, right.splits, name)
          assert.deepStrictEqual(
            history.dividends.map((dividend) => dividend.time),
            right.dividends.map((dividend) => dividend.time)
          )
          for (const [i, { amount }] of history.dividends.entries()) {
            isNear(amount, right.dividends[i]!.amount, 1e-6, name)
          }
        }
      }
    }), time)

it.live("returns the simulated market's history through splits, dividends and late openings", () =>
  Effect.andThen(compare("AAPL", now, 70), compare("066570", Date.parse("2026-11-20T05:00:00Z"), 120)))

it.live("returns history through a holiday and a half day, with no bar across them", () =>
  Effect.gen(function*() {
    const afterHalfDay = Date.parse("2026-11-27T19:00:00Z")
    yield* compare("NVDA", afterHalfDay, 30)
    yield* overWire((port) =>
      Effect.gen(function*() {
        const { asOf, value } = yield* port.history({ symbol: "NVDA", timeframe: "1h", bars: 5 })
        assert.strictEqual(asOf, Date.parse("2026-11-27T18:00:00Z"))
        assert.deepStrictEqual(value.candles.map(({ time }) => new Date(time).toISOString().slice(5, 16)), [
          // The market was closed on Thursday (Thanksgiving), and closed at 13:00 on Friday.
          "11-25T20:30",
          "11-27T14:30",
          "11-27T15:30",
          "11-27T16:30",
          "11-27T17:30"
        ])
      }), afterHalfDay)
  }))

it.live("returns only bars that ended before a past instant, and no data beyond the source's reach", () =>
  overWire((port) =>
    Effect.gen(function*() {
      const until = Date.parse("2026-11-18T16:20:00Z")
      const { candles } = yield* readValue(port.history({ symbol: "AAPL", timeframe: "15m", bars: 3, until }))
      const right = yield* readValue(equities.history({ symbol: "AAPL", timeframe: "15m", bars: 4, until }))
      assert.deepStrictEqual(candles.map(({ time }) => time), right.candles.slice(0, 3).map(({ time }) => time))
      assert.isTrue(candles.every(({ closed }) => closed))
      const before = { symbol: "AAPL", timeframe: "15m", bars: 3, until: now - 80 * dayMs } as const
      assert.strictEqual((yield* Effect.flip(port.history(before)))._tag, "NoData")
    }).pipe(Effect.orDie)
  ))

it.live("returns the simulated market's quotes, facts, announcements and ratings", () =>
  Effect.forEach([now, evening], (time) =>
    overWire((port) =>
      Effect.gen(function*() {
        for (const symbol of ["AAPL", "BRK.B", "005930"]) {
          const stock = yield* readValue(port.stock(symbol))
          const facts = yield* known(readValue(equities.stock(symbol)), time)
          assert.deepStrictEqual(stock, facts)
          const quote = yield* readValue(port.quote(symbol))
          const right = yield* known(readValue(equities.quote(symbol)), time)
          // Yahoo reports neither the turnover nor the share of foreign owners.
          const expectedDay = { ...right, turnover: null, foreignSharePct: null, volume: Math.round(right.volume) }
          for (const [field, value] of Object.entries(quote)) {
            // The type cast is safe, because the fields are the keys of a quote.
            const at = expectedDay[field as keyof typeof expectedDay]
            if (typeof value === "number" && typeof at === "number") {
              isNear(value, at, field === "pe" || field === "pb" ? 6e-3 : 1e-6, field)
            } else assert.deepStrictEqual(value, at, field)
          }
        }
        const ratings = yield* port.ratings("AAPL")
        const graded = yield* known(readValue(equities.ratings("AAPL")), time)
        const seconds = (ms: number) => Math.floor(ms / 1_000) * 1_000
        assert.deepStrictEqual(ratings.value, {
          ...graded,
          changes: graded.changes.map((change) => ({ ...change, time: seconds(change.time) }))
        })
        const report = yield* readValue(port.earnings({ symbol: "AAPL", days: 90 }))
        const due = yield* known(readValue(equities.earnings({ symbol: "AAPL", days: 90 })), time)
        assert.deepStrictEqual(report.upcoming, due.upcoming.slice(0, 1))
        assert.deepStrictEqual(
          report.history,
          due.history.slice(-4).map((event) => ({ ...event, time: null, when: null, movePct: null }))
        )
      }), time), { discard: true }))

it.live("derives forwards and volatilities of options close to the simulated ones", () =>
  overWire((port) =>
    Effect.gen(function*() {
      const chain = yield* readValue(port.options({ symbol: "NVDA" }))
      const right = yield* known(readValue(equities.options({ symbol: "NVDA" })), now)
      assert.deepStrictEqual(
        [chain.spot, chain.multiplier, chain.time],
        [right.spot, right.multiplier, right.time]
      )
      assert.deepStrictEqual(
        chain.expiries.map(({ expiryAt }) => expiryAt),
        right.expiries.map(({ expiryAt }) => expiryAt)
      )
      for (const [i, expiry] of chain.expiries.entries()) {
        const other = right.expiries[i]!
        isNear(expiry.forward!, other.forward!, 0.01, "forward")
        isNear(expiry.discount!, other.discount!, 0.01, "discount")
        for (const [j, quote] of expiry.quotes.entries()) {
          const { ask, bid, instrument, openInterest, strike } = other.quotes[j]!
          assert.deepStrictEqual(
            [quote.instrument, quote.strike, quote.bid, quote.ask, quote.openInterest],
            [instrument, strike, bid, ask, openInterest]
          )
        }
        const money = expiry.quotes.findIndex(({ strike, type }) => type === "call" && strike >= other.forward!)
        isNear(expiry.quotes[money]!.ivPct!, other.quotes[money]!.ivPct!, 0.05, "volatility")
      }
    })
  ))

it.live("rejects a stock that is quoted in pence, and sends no request for an invalid ticker", () =>
  overWire((port, server) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(port.quote("SHEL")))._tag, "UnknownSymbol")
      const before = server.requests.length
      for (const symbol of ["", "../x", "AAPL?x=1", "^GSPC", "KRW=X", "삼성전자", "A".repeat(200)]) {
        assert.strictEqual((yield* Effect.flip(port.stock(symbol)))._tag, "UnknownSymbol", symbol)
      }
      assert.lengthOf(server.requests, before)
    }).pipe(Effect.orDie)
  ))

/** Returns the environment variable that the error of a failed read names, or the tag of the error if it names none. */
const variableOf = <A>(read: Effect.Effect<A, MarketError>) =>
  Effect.map(
    Effect.flip(Effect.asVoid(read)),
    (error) => error._tag === "SourceUnavailable" && error.failure === "not_configured" ? error.variable : error._tag
  )

it.effect("names the missing setting, and returns regulators' data without prices", () =>
  Effect.gen(function*() {
    const { fundamentals, insiderTrades, stock, stocks } = equities
    const emptyMarkets = joinEquityMarkets({ prices: null, us: null, kr: null })
    for (
      const read of [emptyMarkets.stock("AAPL"), emptyMarkets.quote("AAPL"), emptyMarkets.options({ symbol: "AAPL" })]
    ) {
      assert.strictEqual(yield* variableOf<unknown>(read), "TAPELINE_YAHOO")
    }
    assert.strictEqual(yield* variableOf(emptyMarkets.fundamentals("AAPL")), "TAPELINE_EDGAR_CONTACT")
    assert.strictEqual(
      yield* variableOf(emptyMarkets.insiderTrades({ symbol: "AAPL", days: 9 })),
      "TAPELINE_EDGAR_CONTACT"
    )
    assert.isUndefined(yield* variableOf(emptyMarkets.fundamentals("005930")))
    assert.strictEqual(yield* variableOf(emptyMarkets.filings({ limit: 3 })), "TAPELINE_OPENDART_KEY")
    assert.strictEqual(yield* variableOf(emptyMarkets.stock("삼성전자")), "UnknownSymbol")

    const filed = joinEquityMarkets({ prices: null, us: { fundamentals, insiderTrades, stock, stocks }, kr: null })
    const withClock = Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, []))
    assert.strictEqual((yield* withClock(readValue(filed.stock("AAPL")))).symbol, "AAPL")
    assert.isAbove((yield* withClock(readValue(filed.stocks("US")))).length, 3)
    assert.strictEqual((yield* withClock(readValue(filed.fundamentals("AAPL")))).symbol, "AAPL")
    assert.strictEqual(yield* withClock(variableOf(filed.quote("AAPL"))), "TAPELINE_YAHOO")
    // Without prices, statements are still available.
    const unpriced = joinEquityMarkets({
      prices: { ...equities, quote: (symbol) => Effect.fail(new UnknownSymbol({ symbol })) },
      us: { fundamentals, insiderTrades, stock, stocks },
      kr: null
    })
    assert.strictEqual((yield* withClock(readValue(unpriced.fundamentals("AAPL")))).symbol, "AAPL")
    assert.strictEqual(yield* withClock(variableOf(filed.filings({ symbol: "AAPL", limit: 1 }))), "NoData")
  }).pipe(Effect.orDie))
