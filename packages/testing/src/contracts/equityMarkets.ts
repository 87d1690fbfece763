import { assert } from "@effect/vitest"
import {
  dayMs,
  type EarningsEvent,
  EquityMarkets,
  hourMs,
  lastSession,
  localDay,
  minuteMs,
  sessionOf,
  sessionState
} from "@tapeline/core/market"
import { Effect } from "effect"
import { assertFundamentals, assertInvestorFlow } from "../market/fundamentalsChecks.ts"
import {
  assertAscending,
  assertDescending,
  assertFiniteNumbers,
  assertPossibleCandle,
  assertSortedNames,
  type CaseOrWaiver,
  intervalEnd,
  lastItem,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertChain } from "../market/optionChainChecks.ts"
import { assertIndexQuote, assertQuote, assertStock, getNewestQuoteTime } from "../market/stockChecks.ts"

/** The facts about a venue that the contract tests of `EquityMarkets` need. */
export interface EquityVenue extends VenueTime {
  /** A US stock with options, with insider trades in the last year, and with records of several years. */
  readonly us: string
  readonly kr: string
  /** A stock with a known listing time, for which the venue has data from the listing on. */
  readonly listed: CaseOrWaiver<string>
  readonly delisted: CaseOrWaiver<string>
}

type Service = EquityMarkets["Service"]

const assertDate = (date: string): void => assert.match(date, /^\d{4}-\d{2}-\d{2}$/u)
const formatLocalDate = (country: "US" | "KR", time: number): string =>
  new Date(localDay(country, time) * dayMs).toISOString().slice(0, 10)

const readQuote = (equities: Service, symbol: string) => readDatedValue(equities.quote(symbol), getNewestQuoteTime)

/**
 * Reads a price history and checks its bars. Every bar must lie in a session and have possible prices, and only the
 * last bar may be open.
 */
const readHistory = (equities: Service, query: Parameters<Service["history"]>[0], country: "US" | "KR", now: number) =>
  Effect.gen(function*() {
    const effect = equities.history(query)
    const history = yield* readDatedValue(
      effect,
      ({ candles }) => ({ from: Math.min(now, lastItem(candles).time + 1), to: now })
    )
    const { candles, dividends, splits } = history
    assert.strictEqual(history.adjusted, query.adjusted ?? true)
    assert.isAtMost(candles.length, query.bars)
    for (const times of [candles, splits, dividends]) assertAscending(times.map(({ time }) => time))
    for (const [i, candle] of candles.entries()) {
      assertPossibleCandle(candle)
      if (i < candles.length - 1) assert.isTrue(candle.closed)
      const session = sessionOf(country, localDay(country, candle.time))!
      assert.isTrue(candle.time >= session.openAt && candle.time < session.closeAt)
      if (query.timeframe === "1d" || query.timeframe === "1w") assert.strictEqual(candle.time, session.openAt)
    }
    assert.isTrue(splits.every(({ ratio }) => ratio > 0 && ratio !== 1))
    assert.isTrue(dividends.every(({ amount }) => amount > 0))
    return history
  })

const assertAnnouncement = (event: EarningsEvent, now: number): void => {
  const { date, eps, movePct, time, when } = event
  assertFiniteNumbers(event)
  assertDate(date)
  assert.strictEqual(time === null, when === null)
  if (time === null) return
  assert.strictEqual(date, formatLocalDate("US", time))
  const session = sessionOf("US", localDay("US", time))
  if (session !== undefined) {
    const expected = time < session.openAt ? "before_open" : time < session.closeAt ? "in_session" : "after_close"
    assert.strictEqual(when, expected)
  }
  if (time > now) assert.deepStrictEqual([eps, movePct], [null, null])
}

/** Defines the contract tests of `EquityMarkets`. */
export const equityMarketsContract = marketSuite<EquityMarkets, Service, EquityVenue>(EquityMarkets, [
  [
    "lists the stocks of a country once, by symbol, each equal to a single read",
    (equities, { kr, now, us }) =>
      Effect.gen(function*() {
        for (const [country, symbol] of [["US", us], ["KR", kr]] as const) {
          const stocks = yield* readDatedValue(equities.stocks(country), (_, now) => requestInterval(now))
          assertSortedNames(stocks.map((stock) => stock.symbol))
          for (const stock of stocks) {
            assertStock(stock, now)
            assert.strictEqual(stock.country, country)
          }
          const single = yield* readDatedValue(equities.stock(symbol), (_, now) => requestInterval(now))
          assert.deepStrictEqual(single, stocks.find((stock) => stock.symbol === symbol))
          assert.isNull(single.delistedAt)
        }
      })
  ],
  [
    "a quote's change, market capitalisation, ratios and range follow from its price",
    (equities, { kr, now, us }) =>
      Effect.gen(function*() {
        for (const symbol of [us, kr]) {
          const { country, exchange, sharesOutstanding } = yield* readValue(equities.stock(symbol))
          const quote = yield* readQuote(equities, symbol)
          assert.deepStrictEqual([quote.symbol, quote.exchange], [symbol, exchange])
          assertQuote(quote, now, sharesOutstanding)
          // A large company's stock trades within 30 minutes after the exchange opens.
          const { openAt } = lastSession(country, now - 30 * minuteMs)
          assert.isAtLeast(quote.time, openAt)
          // A missing figure is null, not 0, because a large company has earnings, book value and foreign owners.
          for (const figure of [quote.eps, quote.bookValue, quote.foreignSharePct]) assert.notStrictEqual(figure, 0)
        }
      })
  ],
  ["history ends at the newest price, with and without adjustment", (equities, { now, us }) =>
    Effect.gen(function*() {
      const quote = yield* readQuote(equities, us)
      for (const timeframe of ["15m", "1h", "1d", "1w"] as const) {
        for (const adjusted of [true, false]) {
          const { candles } = yield* readHistory(equities, { symbol: us, timeframe, bars: 60, adjusted }, "US", now)
          const { close } = candles.at(-1)!
          // Daily and weekly bars close at the official closing price, which may differ from the last trade before the
          // close.
          if (timeframe === "1d" || timeframe === "1w") assert.strictEqual(close, quote.price)
          else assert.closeTo(close / quote.price, 1, 0.02)
        }
      }
      const daily = { symbol: us, timeframe: "1d", bars: 2, adjusted: false } as const
      const { candles: [before], splits } = yield* readHistory(equities, daily, "US", now)
      if (quote.previousClose !== null && splits.length === 0) {
        assert.closeTo(before!.close / quote.previousClose, 1, 0.005)
      }
    })],
  [
    "the market has indices, sectors and breadth; only Korea has foreign net buying",
    (equities, { now }) =>
      Effect.gen(function*() {
        for (const country of ["US", "KR"] as const) {
          const market = yield* readDatedValue(
            equities.market(country),
            ({ futures, time }) => Math.max(time, ...futures.map((future) => future.time))
          )
          assertFiniteNumbers(market)
          const { breadth, foreignNetKrw, indices, sectors, session, time } = market
          assert.strictEqual(market.country, country)
          assert.isTrue(time <= now && time > lastSession(country, now).openAt - 14 * dayMs)
          assert.strictEqual(session === "regular", sessionState(country, now) === "regular")
          const counts = Object.values(breadth)
          assert.isTrue(counts.every((count) => Number.isInteger(count) && count >= 0))
          assert.isAbove(breadth.advancing + breadth.declining, 0)
          assert.isAbove(indices.length, 0)
          for (const quote of [...indices, ...market.futures]) {
            assertIndexQuote(quote, now)
            assert.strictEqual(quote.country, country)
          }
          assert.isAbove(sectors.length, 0)
          assertDescending(sectors.map(({ changePct }) => changePct))
          assert.strictEqual(new Set(sectors.map(({ sector }) => sector)).size, sectors.length)
          if (country === "US") assert.isNull(foreignNetKrw)
          else assert.notStrictEqual(foreignNetKrw, 0)
        }
      })
  ],
  ["statements add up, and only reported ones are returned", (equities, { kr, now, us }) =>
    Effect.gen(function*() {
      for (const [symbol, currency] of [[us, "USD"], [kr, "KRW"]] as const) {
        const effect = equities.fundamentals(symbol)
        const fundamentals = yield* readDatedValue(effect, ({ quarters, years }, now) => ({
          from: Math.max(...[...quarters, ...years].map(({ reportedAt }) => reportedAt)),
          to: now
        }))
        assertFundamentals(fundamentals, now)
        assert.deepStrictEqual([fundamentals.symbol, fundamentals.currency], [symbol, currency])
        const { pe, price } = yield* readQuote(equities, symbol)
        const statedPe = fundamentals.ratios.pe
        if (pe !== null && statedPe !== null) assert.isBelow(Math.abs(Math.log(statedPe / pe)), 0.05, `at ${price}`)
      }
    })],
  ["upcoming announcements have no result, and past ones have one", (equities, { now, us }) =>
    Effect.gen(function*() {
      const effect = equities.earnings({ symbol: us, days: 60 })
      const { history, upcoming } = yield* readDatedValue(effect, (_, now) => requestInterval(now))
      for (const event of [...history, ...upcoming]) assertAnnouncement(event, now)
      assertSortedNames([...history, ...upcoming].map(({ date }) => date))
      assert.isTrue(upcoming.every(({ eps }) => eps === null))
      assert.isAtMost(history.length, 8)
      assert.isTrue(history.some(({ eps }) => eps !== null && eps !== 0))
      const upcomingOfAll = yield* readDatedValue(equities.earnings({ days: 14 }), (_, now) => requestInterval(now))
      assert.deepStrictEqual(upcomingOfAll.history, [])
      for (const event of upcomingOfAll.upcoming) assertAnnouncement(event, now)
    })],
  [
    "analyst ratings have a range of targets near the price, or no target",
    (equities, { now, us }) =>
      Effect.gen(function*() {
        const { changes, counts, target } = yield* readDatedValue(equities.ratings(us), ({ time }) => time)
        const quote = yield* readQuote(equities, us)
        assertAscending(changes.map(({ time }) => time), "events")
        assert.isTrue(changes.every(({ time }) => time <= now && time > now - 181 * dayMs))
        const grades = Object.values(counts)
        assert.isTrue(grades.every((count) => Number.isInteger(count) && count >= 0))
        assert.isTrue(grades.some((count) => count > 0))
        const targets = changes.flatMap((change) => change.target === null ? [] : [change.target])
        if (target !== null) {
          assert.isTrue(target.low <= target.mean && target.mean <= target.high)
          targets.push(target.low, target.high)
        }
        for (const one of targets) assert.isBelow(Math.abs(Math.log(one / quote.price)), Math.log(10))
      })
  ],
  ["insider trades are sorted by their filing time, which is past", (equities, { now, us }) =>
    Effect.gen(function*() {
      const effect = equities.insiderTrades({ symbol: us, days: 365 })
      const trades = yield* readDatedValue(effect, (all, now) => newestTime(all.map(({ filedAt }) => filedAt), now))
      assert.isAbove(trades.length, 0)
      assertAscending(trades.map(({ filedAt }) => filedAt), "events")
      for (const trade of trades) {
        assertFiniteNumbers(trade)
        assert.isAtMost(trade.time, trade.filedAt)
        assert.isTrue(trade.filedAt <= now && trade.filedAt > now - 366 * dayMs)
        assert.isAbove(trade.shares, 0)
        if (trade.price !== null) assert.isAbove(trade.price, 0)
      }
    })],
  [
    "rating changes of all stocks equal those of each stock, newest last",
    (equities, { now }) =>
      Effect.gen(function*() {
        const changes = yield* readDatedValue(
          equities.ratingChanges({ limit: 10 }),
          (all, now) => newestTime(all.map(({ time }) => time), now)
        )
        assert.isAtMost(changes.length, 10)
        assertAscending(changes.map(({ time }) => time), "events")
        for (const { symbol, ...change } of changes) {
          assertFiniteNumbers({ symbol, ...change })
          assert.isTrue(change.time <= now && change.time > now - 30 * dayMs)
          assert.strictEqual((yield* readValue(equities.stock(symbol))).country, "US")
          const ownRatings = yield* readValue(equities.ratings(symbol))
          assert.deepInclude(ownRatings.changes, change)
        }
        const fewerChanges = yield* readValue(equities.ratingChanges({ limit: 3 }))
        assert.deepStrictEqual(fewerChanges, changes.slice(-3))
      })
  ],
  [
    "filings have a date, a time if it is known, and are sorted newest last",
    (equities, { kr, now }) =>
      Effect.gen(function*() {
        const effect = equities.filings({ symbol: kr, limit: 20 })
        const filings = yield* readDatedValue(effect, (all, now) => {
          const { date, time } = lastItem(all)
          const midnight = Date.parse(`${date}T00:00:00+09:00`)
          return time ?? { from: midnight, to: Math.min(now, midnight + dayMs) }
        })
        assert.isAtMost(filings.length, 20)
        for (const [i, filing] of filings.entries()) {
          const { date, symbol, time, title, url } = filing
          assertFiniteNumbers(filing)
          assertDate(date)
          assert.strictEqual(symbol, kr)
          assert.isTrue(title.trim() !== "" && URL.canParse(url))
          if (time !== null) {
            assert.isAtMost(time, now)
            assert.strictEqual(date, formatLocalDate("KR", time))
          }
          if (i > 0) assert.isTrue(date >= filings[i - 1]!.date)
        }
      })
  ],
  [
    "Korean flows add up to 0 over the four investor types",
    (equities, { kr, now }) =>
      Effect.gen(function*() {
        for (const query of [{ symbol: kr, days: 10 }, { days: 3 }]) {
          const flows = yield* readDatedValue(
            equities.investorFlows(query),
            (all, now) => intervalEnd(lastItem(all).time, lastSession("KR", lastItem(all).time).closeAt, now)
          )
          assert.isTrue(flows.length > 0 && flows.length <= query.days)
          assertAscending(flows.map(({ time }) => time))
          for (const flow of flows) {
            assertFiniteNumbers(flow)
            assert.isBelow(flow.time, now)
            assert.strictEqual(flow.time, sessionOf("KR", localDay("KR", flow.time))!.openAt)
            assertInvestorFlow(flow)
            // The exchange can correct only the flow of the current day, so only that flow may be provisional.
            if (flow.provisional) assert.strictEqual(localDay("KR", flow.time), localDay("KR", now))
          }
        }
      })
  ],
  [
    "options of a US stock are an American-style chain that does not change while the exchange is closed",
    (equities, { now, us }) =>
      Effect.gen(function*() {
        const chain = yield* readDatedValue(equities.options({ symbol: us }), ({ time }) => time)
        assertChain(chain)
        assert.strictEqual(chain.underlying, us)
        assert.isTrue(chain.expiries.every(({ exercise }) => exercise === "american"))
        // Options on funds trade for 15 minutes longer than the exchange is open.
        assert.isAtMost(chain.time, Math.min(now, lastSession("US", now).closeAt + 20 * minuteMs))
        const { price } = yield* readQuote(equities, us)
        assert.isBelow(Math.abs(chain.spot / price - 1), 0.05)
        const { expiryAt } = chain.expiries[0]!
        const single = yield* readValue(equities.options({ symbol: us, expiryAt }))
        assert.deepStrictEqual(single.expiries, [chain.expiries[0]!])
      })
  ],
  makeWaivableCheck(
    "history begins at the listing, and fails with NoData before it",
    ({ listed }) => listed,
    (equities, symbol) =>
      Effect.gen(function*() {
        const { country, listedAt } = yield* readValue(equities.stock(symbol))
        assert.isNotNull(listedAt)
        const day = { symbol, timeframe: "1d", bars: 5, until: listedAt + 12 * hourMs } as const
        const { candles } = yield* readHistory(equities, day, country, day.until)
        assert.strictEqual(candles.length, 1)
        assert.isAtLeast(candles[0]!.time, listedAt)
        assert.strictEqual(yield* readErrorTag(equities.history({ ...day, until: listedAt - 1 })), "NoData")
      })
  ),
  makeWaivableCheck(
    "a delisted stock keeps its facts and history, and has no quote",
    ({ delisted }) => delisted,
    (equities, symbol, { now }) =>
      Effect.gen(function*() {
        const { country, delistedAt } = yield* readValue(equities.stock(symbol))
        assert.isNotNull(delistedAt)
        const stocks = yield* readValue(equities.stocks(country))
        assert.isTrue(stocks.some((stock) => stock.symbol === symbol))
        const { candles } = yield* readHistory(equities, { symbol, timeframe: "1d", bars: 5 }, country, now)
        assert.isBelow(candles.at(-1)!.time, delistedAt)
        assert.isTrue(candles.every(({ closed }) => closed))
        assert.strictEqual(yield* readErrorTag(equities.quote(symbol)), "NoData")
        if (country === "US") assert.strictEqual(yield* readErrorTag(equities.options({ symbol })), "NoData")
      })
  ),
  [
    "fails with UnknownSymbol for unknown stocks, and with NoData for the other country",
    (equities, { kr, now, us }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* readErrorTag(equities.quote(unlistedName)), "UnknownSymbol")
        assert.strictEqual(
          yield* readErrorTag(equities.history({ symbol: unlistedName, timeframe: "1d", bars: 1 })),
          "UnknownSymbol"
        )
        assert.strictEqual(yield* readErrorTag(equities.options({ symbol: kr })), "NoData")
        assert.strictEqual(yield* readErrorTag(equities.options({ symbol: us, expiryAt: now + dayMs + 1 })), "NoData")
        assert.strictEqual(yield* readErrorTag(equities.filings({ symbol: us, limit: 1 })), "NoData")
        assert.strictEqual(yield* readErrorTag(equities.investorFlows({ symbol: us, days: 1 })), "NoData")
      })
  ]
])
