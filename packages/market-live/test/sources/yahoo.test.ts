import { assert, it } from "@effect/vitest"
import {
  EquityMarkets,
  ExchangeRates,
  makeReading,
  type OptionChain,
  type SourceUnavailable,
  StoredEquities
} from "@tapeline/core/market"
import {
  AutoAdvancingClock,
  type FakeServer,
  makeFakeServer,
  makeYahoo,
  makeYahooAuth,
  type RequestHandler
} from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { layerYahoo, SourceHealth, Yahoo } from "../../src/index.ts"
import { makeRatingsRead } from "../../src/yahoo/analysts.ts"
import { toBars } from "../../src/yahoo/bars.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

/** A Friday, 10:33 in New York. */
const now = Date.parse("2026-11-20T15:33:20Z")
const dayMs = 86_400_000
const all = sharedPorts
const equities = Context.get(all, EquityMarkets)
const rates = Context.get(all, ExchangeRates)
const storedEquities = Context.get(all, StoredEquities)
const ports = { equities, rates, stored: storedEquities }

const clockAt = () => new AutoAdvancingClock(now, [10_000, 25_000])
const atNow = <A, E>(read: Effect.Effect<A, E>) =>
  Effect.runSync(Effect.provideService(Effect.orDie(read), Clock.Clock, clockAt()))

const smallMarkets: EquityMarkets["Service"] = (() => {
  const { value: fullChain } = atNow(equities.options({ symbol: "AAPL" }))
  const chain: OptionChain = {
    ...fullChain,
    expiries: fullChain.expiries.slice(2, 4).map((expiry) => ({ ...expiry, quotes: expiry.quotes.slice(20, 24) }))
  }
  return { ...equities, options: () => Effect.succeed(makeReading(chain, "simulated", now)) }
})()

const mayLack = [
  "exchange",
  "currency",
  "shortName",
  "longName",
  "regularMarketPrice",
  "regularMarketTime",
  "regularMarketPreviousClose",
  "regularMarketVolume",
  "regularMarketOpen",
  "regularMarketDayHigh",
  "regularMarketDayLow",
  "marketCap",
  "sharesOutstanding",
  "impliedSharesOutstanding",
  "epsTrailingTwelveMonths",
  "bookValue",
  "fiftyTwoWeekLow",
  "fiftyTwoWeekHigh",
  "firstTradeDateMilliseconds",
  "earningsTimestampStart",
  "earningsTimestampEnd",
  "isEarningsDateEstimate"
]
const column = (name: string) => Array.from({ length: 12 }, (_, i) => `${name}.${i}`)
const ask = <A, E>(f: (yahoo: Yahoo["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(Yahoo, f)

/**
 * The server that issues session cookies. This server is separate from the data server, so that tests can count the
 * requests for data.
 */
const yahooAuth = makeYahooAuth()

faultSuite<Yahoo>({
  source: "yahoo",
  handleRequest: makeYahoo({ equities: smallMarkets, rates, stored: storedEquities }, yahooAuth),
  now,
  layer: (baseUrl, retryPolicy) =>
    Layer.unwrap(
      Effect.map(
        makeFakeServer(yahooAuth.handleRequest),
        ({ url }) => layerYahoo({ baseUrl, siteUrl: url, retryPolicy })
      )
    ),
  requests: [
    {
      name: "quotes",
      send: ask((yahoo) =>
        Effect.map(yahoo.quotes(["AAPL"]), (answer) => ({ ...answer, value: [...answer.value.values()] }))
      ),
      optionalLeaves: mayLack.map((field) => `quoteResponse.result.${field}`)
    },
    {
      name: "a chart",
      send: ask((yahoo) => yahoo.chart({ symbol: "AAPL", interval: "1d", from: now - 9 * dayMs, to: now + 1 })),
      optionalLeaves: [
        "meta.currency",
        "meta.regularMarketTime",
        ...["open", "high", "low", "close", "volume"].flatMap((name) => column(`indicators.quote.${name}`)),
        ...column("indicators.adjclose.adjclose"),
        "indicators.adjclose"
      ].map((at) => `chart.result.${at}`)
    },
    {
      name: "options",
      send: ask((yahoo) =>
        Effect.map(yahoo.options({ symbol: "AAPL" }), (answer) => ({
          ...answer,
          value: answer.value?.options.flatMap(({ calls, puts }) => [...calls, ...puts])
        }))
      ),
      skipsMalformed: true,
      optionalLeaves: [
        ...mayLack.map((field) => `quote.${field}`),
        ...["calls", "puts"].flatMap((side) =>
          ["bid", "ask", "volume", "openInterest", "currency"].map((field) => `options.${side}.${field}`)
        )
      ].map((at) => `optionChain.result.${at}`)
    },
    {
      name: "analysts",
      send: ask((yahoo) => yahoo.summary({ symbol: "AAPL", modules: "analysts" })),
      optionalLeaves: [
        "financialData.targetHighPrice",
        "financialData.targetLowPrice",
        "financialData.targetMeanPrice",
        // The adapter skips a row that lacks one of the following fields.
        "upgradeDowngradeHistory.history.epochGradeDate",
        "upgradeDowngradeHistory.history.firm",
        "upgradeDowngradeHistory.history.toGrade",
        "upgradeDowngradeHistory.history.fromGrade",
        "upgradeDowngradeHistory.history.currentPriceTarget"
      ].map((at) => `quoteSummary.result.${at}`)
    },
    {
      name: "earnings",
      send: ask((yahoo) => yahoo.summary({ symbol: "AAPL", modules: "earnings" })),
      optionalLeaves: [
        "calendarEvents.earnings.earningsAverage",
        "calendarEvents.earnings.isEarningsDateEstimate",
        "earnings.earningsChart.quarterly.fiscalQuarter",
        "earnings.earningsChart.quarterly.actual",
        "earnings.earningsChart.quarterly.estimate",
        "earnings.earningsChart.quarterly.reportedDate",
        "earnings.earningsChart.currentFiscalQuarter"
      ].map((at) => `quoteSummary.result.${at}`)
    }
  ],
  errorsInBody: {
    "too many requests": [
      { finance: { result: null, error: { code: "Too Many Requests", description: "Slow down" } } },
      "rate_limited"
    ],
    "an internal error": [
      { finance: { result: null, error: { code: "internal-error", description: "Internal server error" } } },
      "unreachable"
    ],
    "an invalid request": [
      { quoteResponse: { result: null, error: { code: "argument-error", description: "Missing value" } } },
      "malformed"
    ]
  }
})

interface YahooFixture {
  readonly yahoo: Yahoo["Service"]
  readonly server: FakeServer
  readonly site: FakeServer
}

const overWire = <A>(
  use: (asked: YahooFixture) => Effect.Effect<A, SourceUnavailable, Scope.Scope>,
  auth = makeYahooAuth(),
  site: RequestHandler = auth.handleRequest
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeYahoo(ports, auth))
    const pages = yield* makeFakeServer(site)
    const layer = Layer.provide(layerYahoo({ baseUrl: server.url, siteUrl: pages.url }), SourceHealth.layer)
    return yield* use({ yahoo: Context.get(yield* Layer.build(layer), Yahoo), server, site: pages })
  })).pipe(Effect.provideService(Clock.Clock, clockAt()))

const pathsOf = ({ requests }: FakeServer) => requests.map(({ path }) => path)

it.live("opens one session for concurrent requests, and sends its cookie and crumb", () =>
  overWire(({ server, site, yahoo }) =>
    Effect.gen(function*() {
      yield* yahoo.chart({ symbol: "AAPL", interval: "1d", from: now - 5 * dayMs, to: now })
      assert.deepStrictEqual(pathsOf(site), [], "a chart needs no session")
      const symbols = ["AAPL", "MSFT", "005930.KS", "NVDA"]
      const quoteReadings = yield* Effect.forEach(symbols, (one) => yahoo.quotes([one]), { concurrency: 4 })
      assert.deepStrictEqual(quoteReadings.map(({ value }) => [...value.keys()]), symbols.map((one) => [one]))
      assert.deepStrictEqual(pathsOf(site), ["/quote/AAPL", "/v1/test/getcrumb"])
      const { headers, query } = server.requests.at(-1)!
      assert.deepStrictEqual([headers.cookie, query.get("crumb")], ["A3=d1", "cRuMb.d1/x"])
    })
  ))

it.live("opens one new session for all requests when the session is rejected", () => {
  const yahooAuth = makeYahooAuth()
  return overWire(({ server, site, yahoo }) =>
    Effect.gen(function*() {
      yield* yahoo.quotes(["AAPL"])
      yahooAuth.expireCookies()
      const quoteReadings = yield* Effect.forEach(["MSFT", "NVDA"], (one) => yahoo.quotes([one]), { concurrency: 2 })
      assert.deepStrictEqual(quoteReadings.map(({ value }) => value.size), [1, 1])
      assert.lengthOf(site.requests, 4)
      // The server receives at most five requests: the first request, and two attempts for each of the two other
      // requests.
      assert.isAtMost(server.requests.length, 5)
    }), yahooAuth)
})

it.live.each<readonly [oddity: string, part: RegExp, odd: string]>([
  ["lacks its firm", /"firm":"[^"]+",/u, ""],
  ["has a null firm", /"firm":"[^"]+"/u, `"firm":null`],
  ["has an unreadable date", /"epochGradeDate":\d+/u, `"epochGradeDate":"soon"`],
  ["lacks its date", /"epochGradeDate":\d+,/u, ""]
])(
  "leaves out one row of the rating history that %s, and returns the others",
  ([, part, malformedRow]) =>
    overWire(({ server, yahoo }) =>
      Effect.gen(function*() {
        const changes = Effect.map(makeRatingsRead(yahoo)("AAPL"), ({ value }) => value.changes)
        const rewrite = (text: string) => {
          const [prefix, row, ...rest] = text.split(/(?=\{"epochGradeDate")/u).toSpliced(1, 2)
          return [prefix, row!.replace(part, malformedRow), ...rest].join("")
        }
        server.fail({ _tag: "rewritten", rewrite: (text) => text.includes("epochGradeDate") ? rewrite(text) : text })
        const remainingChanges = yield* changes
        server.heal()
        const fullRatings = yield* overWire(({ yahoo: other }) => Effect.orDie(makeRatingsRead(other)("AAPL")))
        assert.isAbove(remainingChanges.length, 1)
        assert.deepStrictEqual(remainingChanges, fullRatings.value.changes.slice(0, -1))
      }).pipe(Effect.orDie)
    )
)

it.live("treats a price of 0 as missing", () =>
  overWire(({ server, yahoo }) =>
    Effect.gen(function*() {
      server.fail({
        _tag: "rewritten",
        rewrite: (text) => text.replace(/"(regularMarketOpen|regularMarketDayLow)":[\d.]+/gu, `"$1":0`)
      }, 1)
      const haltedQuote = (yield* yahoo.quotes(["AAPL"])).value.get("AAPL")!
      assert.deepStrictEqual([haltedQuote.regularMarketOpen, haltedQuote.regularMarketDayLow], [null, null])
      assert.isAbove(haltedQuote.regularMarketPrice!, 0)

      const query = { symbol: "AAPL", interval: "1d", from: now - 9 * dayMs, to: now } as const
      const allBars = toBars((yield* yahoo.chart(query)).value!)
      server.fail({ _tag: "rewritten", rewrite: (text) => text.replace(/"open":\[[\d.]+/u, `"open":[0`) }, 1)
      const { value } = yield* yahoo.chart({ ...query, to: now + 1_000 })
      assert.deepStrictEqual(toBars(value!).map(({ time }) => time), allBars.slice(1).map(({ time }) => time))
    })
  ))

it.live("gives up after a second rejection, and reveals no crumb", () =>
  overWire(({ server, site, yahoo }) =>
    Effect.gen(function*() {
      server.fail({
        _tag: "answer",
        status: 401,
        body: { finance: { result: null, error: { code: "Unauthorized", description: "Invalid Crumb" } } }
      })
      const error = yield* Effect.flip(yahoo.quotes(["AAPL"]))
      assert.deepStrictEqual([error.failure, server.requests.length, site.requests.length], ["unreachable", 2, 4])
      assert.notMatch(`${error.message} ${JSON.stringify(error)}`, /cRuMb|A3=|http/u)
      server.heal()
      assert.strictEqual((yield* yahoo.quotes(["AAPL"])).value.size, 1)
      assert.lengthOf(site.requests, 6)
    }).pipe(Effect.orDie)
  ))

it.live("submits the consent form that some countries require", () => {
  const yahooAuth = makeYahooAuth({ asks: true })
  return overWire(({ site, yahoo }) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* yahoo.quotes(["AAPL"])).value.size, 1)
      assert.deepStrictEqual(site.requests.map(({ method, path }) => `${method} ${path}`), [
        "GET /quote/AAPL",
        "GET /consent",
        "GET /v2/collectConsent",
        "POST /v2/collectConsent",
        "GET /copyConsent",
        "GET /quote/AAPL",
        "GET /v1/test/getcrumb"
      ])
    }), yahooAuth)
})

const html = { "content-type": "text/html" }

it.live("reports each failure to open a session by its kind", () =>
  Effect.forEach(
    [
      ["a limit", { status: 429, headers: { "retry-after": "120" }, body: "Too Many Requests" }, "rate_limited", 2],
      ["a blocked location", { status: 451, body: "no" }, "blocked", 2],
      ["a page in place of a crumb", { headers: html, body: "<html><body>Sorry</body></html>" }, "malformed", 2],
      ["crumb is missing", { body: "" }, "malformed", 2],
      ["a rejection", { status: 401, body: { finance: {} } }, "unreachable", 2]
    ] as const,
    ([name, answer, failure, siteRequestCount]) => {
      const yahooAuth = makeYahooAuth()
      return overWire(
        ({ server, site, yahoo }) =>
          Effect.gen(function*() {
            const error = yield* Effect.flip(yahoo.quotes(["AAPL"]))
            assert.deepStrictEqual(
              [error.failure, site.requests.length, server.requests.length],
              [failure, siteRequestCount, 0],
              name
            )
          }).pipe(Effect.orDie),
        yahooAuth,
        (request) => request.path === "/v1/test/getcrumb" ? Effect.succeed(answer) : yahooAuth.handleRequest(request)
      )
    },
    { discard: true }
  ))

it.live("fails if the session page sets no cookie or is unreachable", () =>
  Effect.gen(function*() {
    yield* overWire(
      ({ yahoo }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(yahoo.quotes(["AAPL"]))).failure, "malformed")
        }).pipe(Effect.orDie),
      makeYahooAuth(),
      () => Effect.succeed({ headers: html, body: "<html></html>" })
    )
    yield* overWire(({ site, yahoo }) =>
      Effect.gen(function*() {
        site.fail({ _tag: "reset" })
        assert.strictEqual((yield* Effect.flip(yahoo.quotes(["AAPL"]))).failure, "unreachable")
        assert.lengthOf(site.requests, 3)
      }).pipe(Effect.orDie)
    )
  }))

it.live("returns nothing for an unlisted symbol and for times beyond its reach", () =>
  overWire(({ yahoo }) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* yahoo.quotes(["NOSUCH"])).value.size, 0)
      const query = { symbol: "NOSUCH", interval: "1d", from: now - dayMs, to: now } as const
      assert.isNull((yield* yahoo.chart(query)).value)
      assert.isNull((yield* yahoo.chart({ ...query, symbol: "AAPL", interval: "15m", from: now - 90 * dayMs })).value)
      assert.isNull((yield* yahoo.options({ symbol: "NOSUCH" })).value)
      assert.isNull((yield* yahoo.summary({ symbol: "NOSUCH", modules: "analysts" })).value)
    })
  ))
