import { assert, it } from "@effect/vitest"
import { Compute } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  ImpliedVolatilities,
  makeReading,
  type OptionChain,
  OptionsVenue,
  type OptionTrade,
  type SourceUnavailable
} from "@tapeline/core/market"
import { optionsVenueContract } from "@tapeline/testing/contracts/optionsVenue"
import { isFullRun } from "@tapeline/testing/fullRun"
import { AutoAdvancingClock, type FakeServer, makeDeribit, makeDeribitHistory, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import {
  atTheMoneyOf,
  Deribit,
  deribitBook,
  DeribitHistory,
  layerDeribit,
  layerDeribitHistory,
  layerDeribitOptions,
  recordedMaturities,
  SourceHealth
} from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const all = sharedPorts
const options = Context.get(all, OptionsVenue)
const prices = Context.get(all, CoinPrices)
const volatilities = Context.get(all, ImpliedVolatilities)
const derivatives = Context.get(all, CoinDerivatives)
const ports = { options, volatilities, derivatives }

const clockAt = () => new AutoAdvancingClock(now, [10_000, 25_000])
const atNow = <A, E>(read: Effect.Effect<A, E>) =>
  Effect.runSync(Effect.provideService(Effect.orDie(read), Clock.Clock, clockAt()))

/** A few options and trades of the simulated market, computed only once. */
const smallVenue: OptionsVenue["Service"] = (() => {
  const { value: fullChain } = atNow(options.chain({ coin: "SOL" }))
  const chain: OptionChain = {
    ...fullChain,
    expiries: fullChain.expiries.slice(3, 5).map((expiry) => ({
      ...expiry,
      quotes: expiry.quotes.slice(20, 24)
    }))
  }
  const { value: trades } = atNow(options.trades({ coin: "SOL", from: now - dayMs + 1, to: now + 1, limit: 4 }))
  return {
    ...options,
    chain: () => Effect.succeed(makeReading(chain, "simulated", now)),
    trades: () => Effect.succeed(makeReading(trades, "simulated", now))
  }
})()

const sol = deribitBook("SOL")!
const btc = deribitBook("BTC")!
const lastDay = { from: now - dayMs + hourMs, to: now + 1, limit: 1_000 }
const ask = <A, E>(f: (venue: Deribit["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(Deribit, f)
const errorsInBody = {
  "too many requests": [{ jsonrpc: "2.0", error: { code: 10_028, message: "too_many_requests" } }, "rate_limited"],
  "an unavailable service": [
    { jsonrpc: "2.0", error: { code: 13_028, message: "temporarily_unavailable" } },
    "unreachable"
  ],
  "an invalid request": [
    { jsonrpc: "2.0", error: { code: -32_602, message: "Invalid params" } },
    "malformed"
  ]
} as const

faultSuite<Deribit>({
  source: "deribit",
  handleRequest: makeDeribit({ ...ports, options: smallVenue }),
  now,
  layer: (baseUrl, retryPolicy) => layerDeribit({ baseUrl, retryPolicy }),
  requests: [
    {
      name: "volatility index",
      send: ask((venue) => venue.volatilityIndex({ coin: "BTC", from: now - 3 * hourMs, to: now }))
    },
    {
      name: "options",
      send: ask((venue) =>
        Effect.map(venue.chain(sol), (answer) => ({
          ...answer,
          value: answer.value?.expiries.flatMap(({ quotes }) => quotes)
        }))
      ),
      skipsMalformed: true,
      // The adapter ignores the first row, because the row belongs to another coin.
      position: "last",
      optionalLeaves: ["bid_price", "ask_price", "mark_price", "mark_iv", "open_interest", "volume"].map((key) =>
        `result.${key}`
      )
    },
    {
      name: "option trades",
      send: ask((venue) => venue.trades({ book: sol, ...lastDay })),
      optionalLeaves: ["result.trades.iv"]
    },
    // The adapter skips a future without a mark price, and always skips a perpetual.
    {
      name: "futures",
      send: ask((venue) => venue.futures(btc)),
      optionalLeaves: ["result.mark_price"],
      position: "first",
      skipsMalformed: true
    }
  ],
  errorsInBody
})

faultSuite<DeribitHistory>({
  source: "deribit",
  handleRequest: makeDeribitHistory(smallVenue),
  now,
  layer: (baseUrl, retryPolicy) => layerDeribitHistory({ baseUrl, retryPolicy }),
  requests: [{
    name: "archived trades",
    send: Effect.flatMap(
      DeribitHistory,
      (archive) => archive.trades({ book: sol, ...lastDay, from: now - 2 * dayMs })
    ),
    optionalLeaves: ["result.trades.iv"]
  }],
  errorsInBody
})

const served = Layer.unwrap(Effect.gen(function*() {
  const venue = yield* makeFakeServer(makeDeribit(ports))
  const archive = yield* makeFakeServer(makeDeribitHistory(options))
  return layerDeribitOptions.pipe(
    Layer.provide([layerDeribit({ baseUrl: venue.url }), layerDeribitHistory({ baseUrl: archive.url })]),
    Layer.provide([SourceHealth.layer, Layer.succeed(CoinPrices, prices)])
  )
}))

for (const coin of ["ETH", "SOL"]) {
  optionsVenueContract(`Deribit's options on ${coin}`, served, { now, coin, coinWithoutOptions: "DOGE" })
}

interface DeribitFixture {
  readonly venue: Deribit["Service"]
  readonly port: OptionsVenue["Service"]
  readonly server: FakeServer
  readonly archive: FakeServer
}

const overWire = <A>(
  use: (fixture: DeribitFixture) => Effect.Effect<A, SourceUnavailable, Scope.Scope>,
  from: typeof ports = ports
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeDeribit(from))
    const archive = yield* makeFakeServer(makeDeribitHistory(from.options))
    const sources = Layer.mergeAll(
      layerDeribit({ baseUrl: server.url }),
      layerDeribitHistory({ baseUrl: archive.url })
    ).pipe(Layer.provide(SourceHealth.layer))
    const context = yield* Layer.build(
      Layer.provideMerge(layerDeribitOptions, Layer.merge(sources, Layer.succeed(CoinPrices, prices)))
    )
    return yield* use({
      venue: Context.get(context, Deribit),
      port: Context.get(context, OptionsVenue),
      server,
      archive
    })
  })).pipe(Effect.provideService(Clock.Clock, clockAt()))

/** Asserts that two option chains are equal, except for digits that the venue does not send. */
const isNear = (actual: OptionChain, right: OptionChain): void => {
  assert.deepStrictEqual([actual.time, actual.underlying], [right.time, right.underlying])
  assert.closeTo(actual.spot, right.spot, 1e-4)
  assert.deepStrictEqual(
    actual.expiries.map(({ expiryAt }) => expiryAt),
    right.expiries.map(({ expiryAt }) => expiryAt)
  )
  for (const [i, { discount, exercise, forward, quotes }] of actual.expiries.entries()) {
    const expiry = right.expiries[i]!
    assert.deepStrictEqual([discount, exercise, quotes.length], [1, "european", expiry.quotes.length])
    assert.closeTo(forward!, expiry.forward!, 1e-4)
    const digit = (name: string, a: number | null, b: number | null, within: number) => {
      if (a === null || b === null) return assert.strictEqual(a, b, name)
      assert.closeTo(a, b, within, name)
    }
    for (const [j, quote] of quotes.entries()) {
      const other = expiry.quotes[j]!
      assert.deepStrictEqual([quote.type, quote.strike], [other.type, other.strike])
      for (const key of ["bid", "ask", "mark"] as const) {
        digit(`${quote.instrument} ${key}`, quote[key], other[key], 2e-8 * right.spot + 1e-4)
      }
      digit(`${quote.instrument} volatility`, quote.ivPct, other.ivPct, 0.0051)
      digit(`${quote.instrument} open interest`, quote.openInterest, other.openInterest, 1e-4)
      digit(`${quote.instrument} volume`, quote.volume24h, other.volume24h, 1e-4)
    }
  }
}

it.live("returns chains as the simulated market has them, each from one response", () =>
  overWire(({ port, server }) =>
    Effect.gen(function*() {
      const { value: right } = yield* Effect.orDie(options.chain({ coin: "BTC" }))
      const chainReading = yield* port.chain({ coin: "BTC" })
      isNear(chainReading.value, right)
      assert.deepStrictEqual([chainReading.sources, chainReading.asOf], [["deribit"], now])
      const { value: linear } = yield* port.chain({ coin: "SOL" })
      isNear(linear, (yield* Effect.orDie(options.chain({ coin: "SOL" }))).value)
      assert.strictEqual(linear.multiplier, 10)
      assert.match(linear.expiries[0]!.quotes[0]!.instrument, /^SOL_USDC-\d/u)
      yield* port.chain({ coin: "SOL" })
      assert.deepStrictEqual(server.requests.map(({ path, query }) => `${path}?${query.toString()}`), [
        "/api/v2/public/get_book_summary_by_currency?currency=BTC&kind=option",
        "/api/v2/public/get_book_summary_by_currency?currency=USDC&kind=option"
      ])
    }).pipe(Effect.orDie)
  ))

it.live.runIf(isFullRun)(
  "derives the simulated market's at-the-money volatilities for every coin",
  () =>
    overWire(({ venue }) =>
      Effect.gen(function*() {
        const compute = yield* Compute
        for (const coin of ["BTC", "ETH", "SOL"]) {
          const { value: chain } = yield* venue.chain(deribitBook(coin)!)
          const right = yield* atTheMoneyOf(compute, (yield* Effect.orDie(options.chain({ coin }))).value)
          const atTheMoney = yield* atTheMoneyOf(compute, chain!)
          assert.deepStrictEqual(atTheMoney.map(({ maturityDays }) => maturityDays), recordedMaturities)
          for (const [i, { ivPct }] of atTheMoney.entries()) assert.closeTo(ivPct, right[i]!.ivPct, 0.02)
          assert.deepStrictEqual(yield* atTheMoneyOf(compute, chain!, [0.01, 4_000]), [])
        }
      }).pipe(Effect.orDie)
    )
)

it.live("returns dated futures and the hourly volatility index as the simulated market has them", () =>
  overWire(({ server, venue }) =>
    Effect.gen(function*() {
      const { value: futures } = yield* Effect.orDie(derivatives.futures("BTC"))
      const { value } = yield* venue.futures(btc)
      assert.deepStrictEqual(
        value.map(({ indexPrice: _, ...rest }) => rest),
        futures.map((future) => ({
          instrument: future.instrument,
          time: now,
          expiryAt: future.expiryAt,
          price: future.price
        }))
      )
      for (const [i, { indexPrice }] of value.entries()) assert.closeTo(indexPrice, futures[i]!.indexPrice, 1e-4)
      assert.deepStrictEqual((yield* venue.futures(sol)).value, [])

      const from = now - 60 * dayMs
      const { value: points } = yield* venue.volatilityIndex({ coin: "ETH", from, to: now })
      assert.lengthOf(points, 60 * 24)
      assert.strictEqual(points.at(-1)!.time, Math.floor(now / hourMs) * hourMs)
      assert.strictEqual(server.requests.filter(({ path }) => path.endsWith("index_data")).length, 2)
      const byTime = new Map(points.map(({ ivPct, time }) => [time, ivPct]))
      const history = yield* Effect.orDie(volatilities.history({ coin: "ETH", maturityDays: 30, days: 50 }))
      for (const { ivPct, time } of history.value.points) assert.closeTo(byTime.get(time)!, ivPct, 0.0051)
    })
  ))

it.live("returns trades of the last day from the venue and older ones from its archive, each once", () =>
  overWire(({ archive, port, server }) =>
    Effect.gen(function*() {
      for (const coin of ["BTC", "SOL"]) {
        const query = { coin, from: now - 40 * hourMs, to: now, limit: 5_000 }
        const { value: right } = yield* Effect.orDie(options.trades(query))
        const { value } = yield* port.trades(query)
        assert.isAbove(value.length, 300)
        const withoutQuoteCoin = ({ instrument, ivPct: _, ...rest }: OptionTrade) => ({
          ...rest,
          instrument: instrument.replace("_USDC", "").replace("d", ".")
        })
        assert.deepStrictEqual(value.map(withoutQuoteCoin), right.map(withoutQuoteCoin))
        for (const [i, { ivPct }] of value.entries()) assert.closeTo(ivPct, right[i]!.ivPct, 0.0051)
        const newest = yield* port.trades({ ...query, limit: 7 })
        assert.deepStrictEqual(newest.value, value.slice(-7))
        assert.strictEqual(newest.asOf, value.at(-1)!.time)
      }
      assert.isTrue(server.requests.every(({ query }) => Number(query.get("start_timestamp")) >= now - dayMs))
      assert.lengthOf(archive.requests, 2)
      assert.deepStrictEqual((yield* port.trades({ coin: "BTC", from: now, to: now })).value, [])
    }).pipe(Effect.orDie)
  ))

it.live("reads the next page if a page ends within an instant or has no trade of the coin", () =>
  overWire(({ archive, port, server }) =>
    Effect.gen(function*() {
      const trade = (id: string, time: number, name: string) => ({
        trade_id: id,
        timestamp: time,
        instrument_name: name,
        direction: "buy",
        price: 2,
        amount: 10,
        index_price: 150,
        iv: 60
      })
      const pages = [
        [trade("f", now - 5, "BTC_USDC-25DEC26-90000-C"), trade("e", now - 6, "XRP_USDC-25DEC26-0d625-P")],
        [trade("d", now - 7, "SOL_USDC-25DEC26-150-C"), trade("c", now - 9, "SOL_USDC-25DEC26-160-P")],
        [trade("c", now - 9, "SOL_USDC-25DEC26-160-P"), trade("b", now - 9, "SOL_USDC-25DEC26-170d5-P")],
        [{ ...trade("a", now - 11, "SOL_USDC-25DEC26-150-C"), iv: 0 }]
      ]
      let page = 0
      server.fail({
        _tag: "rewritten",
        rewrite: () => JSON.stringify({ result: { trades: pages[page++], has_more: page < pages.length } })
      })
      const { value } = yield* port.trades({ coin: "SOL", from: now - hourMs, to: now + 1 })
      assert.deepStrictEqual(value.map(({ premiumUsd, strike, time }) => [time, strike, premiumUsd]), [
        [now - 9, 170.5, 20],
        [now - 9, 160, 20],
        [now - 7, 150, 20]
      ])
      assert.deepStrictEqual(
        server.requests.map(({ query }) => Number(query.get("end_timestamp"))),
        [now, now - 6, now - 9, now - 9]
      )
      assert.lengthOf(archive.requests, 0)
    }).pipe(Effect.orDie)
  ))

it.live("returns missing values as null, rejects malformed rows, and has no chain without options", () =>
  overWire(({ port, server, venue }) =>
    Effect.gen(function*() {
      const row = (name: string, fields: object = {}) => ({
        instrument_name: name,
        creation_timestamp: now - 1_000,
        underlying_price: 100_000,
        estimated_delivery_price: 99_000,
        ...fields
      })
      const answerWith = (...rows: ReadonlyArray<object>) => server.fail({ _tag: "answer", body: { result: rows } }, 1)
      answerWith(
        row("BTC-25DEC26-100000-C", { bid_price: 0, ask_price: null, mark_price: 0.05, mark_iv: 0 }),
        row("BTC-25DEC26-100000-P"),
        // The option has already expired, so its index price is an average.
        row("BTC-20NOV26-100000-P", { estimated_delivery_price: 98_000 })
      )
      const { value: chain } = yield* venue.chain(btc)
      assert.deepStrictEqual([chain!.spot, chain!.time, chain!.expiries.length], [99_000, now - 1_000, 1])
      const emptyQuote = { bid: null, ask: null, ivPct: null, openInterest: null, volume24h: null }
      assert.deepStrictEqual(chain!.expiries[0]!.quotes.map(({ instrument: _, ...rest }) => rest), [
        { type: "call", strike: 100_000, mark: 5_000, ...emptyQuote },
        { type: "put", strike: 100_000, mark: null, ...emptyQuote }
      ])
      assert.strictEqual((yield* Effect.flip(port.chain({ coin: "DOGE" })))._tag, "NoData")

      const eth = deribitBook("ETH")!
      for (
        const rows of [
          [row("ETH-31NOV26-3000-C")],
          [row("ETH-25DEC26-0-C")],
          [row("ETH-25DEC26-3000-C-X")],
          [row("ETH-25DEC26-3000-C"), row("ETH-25DEC26-3000-C")],
          [row("ETH-25DEC26-3000-C", { estimated_delivery_price: null })],
          [row("ETH-25DEC26-3000-C", { creation_timestamp: now / 1_000 })]
        ]
      ) {
        answerWith(...rows)
        assert.strictEqual((yield* Effect.flip(venue.chain(eth))).failure, "malformed")
      }
      answerWith()
      assert.isNull((yield* venue.chain(eth)).value)
      // The port uses the same response, because the adapter caches responses for a short time.
      assert.strictEqual((yield* Effect.flip(port.chain({ coin: "ETH" })))._tag, "NoData")
    }).pipe(Effect.orDie)
  ))
