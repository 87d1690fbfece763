import { assert, describe, it } from "@effect/vitest"
import { EquityMarkets, type FinancialPeriod, localDay, makeReading, type MarketError } from "@tapeline/core/market"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { AutoAdvancingClock, type FakeServer, makeEdgar, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import {
  Edgar,
  EdgarArchives,
  EdgarData,
  layerEdgar,
  layerEdgarArchives,
  layerEdgarData,
  SourceHealth,
  withPrice
} from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T22:33:21.500Z")
const contact = "Somebody somebody@example.com"
const sim = Context.get(sharedPorts, EquityMarkets)
const atNow = <A, E>(read: Effect.Effect<A, E>) =>
  Effect.runSync(Effect.provideService(Effect.orDie(read), Clock.Clock, new AutoAdvancingClock(now, [])))

/** One company with two quarters, one year, and its newest insider trades. */
const smallMarkets: typeof sim = (() => {
  const stock = atNow(sim.stock("AAPL")).value
  const { value: fullFundamentals } = atNow(sim.fundamentals("AAPL"))
  const { value: trades } = atNow(sim.insiderTrades({ symbol: "AAPL", days: 365 }))
  const value = {
    ...fullFundamentals,
    quarters: fullFundamentals.quarters.slice(-2),
    years: fullFundamentals.years.slice(-1)
  }
  return {
    ...sim,
    stocks: () => Effect.succeed(makeReading([stock], "simulated", now)),
    fundamentals: () => Effect.succeed(makeReading(value, "simulated", now)),
    insiderTrades: () => Effect.succeed(makeReading(trades.slice(-2), "simulated", now))
  }
})()
const cik = 320_001
const trade = {
  accession: "0000320001-26-000500",
  form: "4",
  filedAt: now,
  document: "xslF345X05/form4.xml"
}
const blockedPage = "<!DOCTYPE html><html><body>Request Rate Threshold Exceeded</body></html>"
const errorsInBody = {
  "a rejection page": [blockedPage, "malformed"],
  "an error object": [{ message: "Internal server error" }, "malformed"]
} as const

const limitedBy403 = "<!DOCTYPE html><html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>"

faultSuite<EdgarArchives>({
  source: "edgar",
  handleRequest: makeEdgar(smallMarkets),
  now,
  layer: (baseUrl, retryPolicy) => layerEdgarArchives({ baseUrl, retryPolicy, contact }),
  requests: [
    {
      name: "tickers",
      send: Effect.flatMap(EdgarArchives, (archives) => archives.registrants),
      optionalLeaves: ["data.3"]
    },
    {
      name: "form 4",
      send: Effect.flatMap(EdgarArchives, (archives) => archives.form4(cik, trade)),
      // Fields that may be absent or may contain only a footnote.
      optionalLeaves: ["value", "isDirector", "isOfficer", "isTenPercentOwner", "officerTitle"]
    }
  ],
  limitedBy403,
  errorsInBody
})

const concepts = [
  "Revenues",
  "GrossProfit",
  "OperatingIncomeLoss",
  "NetIncomeLoss",
  "NetCashProvidedByUsedInOperatingActivities",
  "PaymentsToAcquirePropertyPlantAndEquipment",
  "Assets",
  "Liabilities",
  "StockholdersEquity",
  "CashAndCashEquivalentsAtCarryingValue",
  "LongTermDebt"
].map((concept) => `facts.us-gaap.${concept}.units.USD`).concat(
  "facts.us-gaap.EarningsPerShareDiluted.units.USD/shares",
  "facts.us-gaap.WeightedAverageNumberOfDilutedSharesOutstanding.units.shares"
)

faultSuite<EdgarData>({
  source: "edgar",
  handleRequest: makeEdgar(smallMarkets),
  now,
  layer: (baseUrl, retryPolicy) => layerEdgarData({ baseUrl, retryPolicy, contact }),
  requests: [
    {
      name: "submissions",
      send: Effect.flatMap(EdgarData, (data) => data.submissions(cik)),
      // A filing without an acceptance time counts as filed at the end of its filing date.
      optionalLeaves: [0, 1, 2, 3, 4, 5].flatMap((i) => [
        `filings.recent.acceptanceDateTime.${i}`,
        `filings.recent.primaryDocument.${i}`
      ])
    },
    {
      name: "company facts",
      send: Effect.flatMap(EdgarData, (data) => data.facts(cik)),
      optionalLeaves: concepts.flatMap((at) => [`${at}.fy`, `${at}.fp`])
    }
  ],
  limitedBy403,
  errorsInBody
})

const over = (server: FakeServer, contactAddress: string | undefined = contact) =>
  layerEdgar.pipe(
    Layer.provide([
      layerEdgarArchives({ baseUrl: server.url, contact: contactAddress }),
      layerEdgarData({ baseUrl: server.url, contact: contactAddress })
    ]),
    Layer.provide(SourceHealth.layer)
  )

const live = <A>(
  use: (edgar: Edgar["Service"], server: FakeServer) => Effect.Effect<A, MarketError>,
  proxiedServer: typeof sim = sim
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeEdgar(proxiedServer))
    return yield* use(Context.get(yield* Layer.build(over(server)), Edgar), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

const wholeSecond = (time: number): number => Math.floor(time / 1_000) * 1_000
const rounded = (period: FinancialPeriod): FinancialPeriod => ({
  ...period,
  reportedAt: wholeSecond(period.reportedAt)
})

const joined = Effect.map(
  Effect.flatMap(makeFakeServer(makeEdgar(sim)), (server) => Layer.build(over(server))),
  (context) => {
    const edgar = Context.get(context, Edgar)
    return EquityMarkets.of({
      ...sim,
      stocks: (country) => country === "US" ? edgar.stocks(country) : sim.stocks(country),
      stock: (symbol) => /^\d/u.test(symbol) ? sim.stock(symbol) : edgar.stock(symbol),
      fundamentals: (symbol) => /^\d/u.test(symbol) ? sim.fundamentals(symbol) : edgar.fundamentals(symbol),
      // The rate limit per second must use a clock that advances automatically.
      insiderTrades: (query) =>
        Effect.provideService(edgar.insiderTrades(query), Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))
    })
  }
)

describe("EquityMarkets: the part that EDGAR serves", () => {
  const venue = {
    now,
    us: "AAPL",
    kr: "005930",
    listed: waive("it does not report when a stock was listed"),
    delisted: waive("it has only current listings")
  }
  for (
    const title of [
      "lists the stocks of a country once, by symbol, each equal to a single read",
      "statements add up, and only reported ones are returned",
      "insider trades are sorted by their filing time, which is past"
    ]
  ) {
    it.effect(title, () =>
      Effect.gen(function*() {
        const layer = Layer.effect(EquityMarkets, joined)
        assert.isNull(yield* equityMarketsContract.failureOf(title, layer, venue))
      }))
  }
})

describe("EDGAR", () => {
  it.live("returns statements as the simulated companies have them, with restatements", () =>
    live((port) =>
      Effect.gen(function*() {
        // The companies cover both formats in which EDGAR writes times. BRK.B is a share class.
        for (const symbol of ["AAPL", "MSFT", "BRK.B", "JPM"]) {
          const { asOf, sources, value } = yield* port.fundamentals(symbol)
          const { value: right } = yield* sim.fundamentals(symbol)
          assert.deepStrictEqual(value.quarters, right.quarters.map(rounded), symbol)
          assert.deepStrictEqual(value.years, right.years.map(rounded), symbol)
          assert.deepStrictEqual([sources, value.currency], [["edgar"], "USD"])
          assert.strictEqual(asOf, value.quarters.at(-1)!.reportedAt)
          const { pe, ...ratios } = value.ratios
          assert.deepStrictEqual([pe, ratios.pb, ratios.ps, ratios.evToEbit], [null, null, null, null])
          assert.strictEqual(ratios.roePct, right.ratios.roePct)
          assert.strictEqual(ratios.debtToEquity, right.ratios.debtToEquity)
          const { value: quote } = yield* sim.quote(symbol)
          const { value: { sharesOutstanding } } = yield* sim.stock(symbol)
          const priced = withPrice(value, { price: quote.price, sharesOutstanding })
          for (const name of ["pb", "ps", "evToEbit"] as const) {
            assert.closeTo(priced.ratios[name]!, right.ratios[name]!, 0.02, `${symbol} ${name}`)
          }
          assert.closeTo(priced.ratios.pe! / right.ratios.pe!, 1, 0.01)
          // Quarters before a share split report the number of shares before the split.
          const split = value.quarters.map((quarter, i) => i < 3 ? { ...quarter, eps: 10 * quarter.eps! } : quarter)
          const since = withPrice({ ...value, quarters: split }, { price: quote.price, sharesOutstanding })
          assert.strictEqual(since.ratios.pe, priced.ratios.pe)
        }
      })
    ))

  it.live("returns insiders' trades as they were filed", () =>
    live((port) =>
      Effect.gen(function*() {
        for (const symbol of ["AAPL", "MSFT", "JPM"]) {
          const { asOf, value } = yield* port.insiderTrades({ symbol, days: 300 })
          const { value: right } = yield* sim.insiderTrades({ symbol, days: 300 })
          const trades = value.map(({ filedAt, time, ...trade }) => [localDay("US", time), filedAt, trade])
          const known = right.map(({ filedAt, time, ...trade }) => [localDay("US", time), wholeSecond(filedAt), trade])
          assert.deepStrictEqual(trades, known, symbol)
          assert.strictEqual(asOf, value.at(-1)!.filedAt)
        }
      })
    ), 30_000)

  it.live("lists the companies on an exchange, each as in a single request", () =>
    live((port, server) =>
      Effect.gen(function*() {
        const { value: stocks } = yield* port.stocks("US")
        const { value: right } = yield* sim.stocks("US")
        const listed = right.filter(({ delistedAt }) => delistedAt === null)
        assert.deepStrictEqual(
          stocks.map(({ name, symbol }) => [symbol, name]),
          listed.map(({ name, symbol }) => [symbol, name])
        )
        const { value: stock } = yield* port.stock("BRK.B")
        assert.deepStrictEqual(stock, stocks.find(({ symbol }) => symbol === "BRK.B"))
        assert.deepStrictEqual((yield* port.stocks("KR")).value, [])
        for (
          const read of [
            Effect.asVoid(port.stock("PINKY")),
            Effect.asVoid(port.fundamentals("005930")),
            Effect.asVoid(port.insiderTrades({ symbol: "NO", days: 9 }))
          ]
        ) {
          assert.strictEqual((yield* Effect.flip(read))._tag, "UnknownSymbol")
        }
        assert.isTrue(server.requests.every(({ headers }) => headers["user-agent"] === `Tapeline ${contact}`))
      }).pipe(Effect.orDie)
    ))

  it.live("leaves out a company whose row is unreadable, and does not report it as unknown", () =>
    live((port, server) =>
      Effect.gen(function*() {
        const listed = atNow(sim.stocks("US")).value.filter(({ delistedAt }) => delistedAt === null)
        server.fail({ _tag: "rewritten", rewrite: (text) => text.replace(/"[^"]*","AAPL"/u, `5,"AAPL"`) })
        const { value: stocks } = yield* port.stocks("US")
        assert.deepStrictEqual(
          stocks.map(({ symbol }) => symbol),
          listed.map(({ symbol }) => symbol).filter((one) => one !== "AAPL")
        )
        assert.strictEqual((yield* port.stock("BRK.B")).value.symbol, "BRK.B")
        const error = yield* Effect.flip(port.stock("AAPL"))
        assert.strictEqual(error._tag === "SourceUnavailable" ? error.failure : error._tag, "malformed")
        assert.strictEqual((yield* Effect.flip(port.stock("PINKY")))._tag, "UnknownSymbol")
      }).pipe(Effect.orDie)
    ))

  it.live("reports an unknown symbol although a row has no readable ticker", () =>
    live((port, server) =>
      Effect.gen(function*() {
        server.fail({ _tag: "rewritten", rewrite: (text) => text.replace(`"AAPL"`, "null") })
        assert.strictEqual((yield* Effect.flip(port.stock("NONE")))._tag, "UnknownSymbol")
        assert.strictEqual((yield* port.stock("BRK.B")).value.symbol, "BRK.B")
      }).pipe(Effect.orDie)
    ))

  it.live("receives no request without a contact address", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeServer(makeEdgar(sim))
      const port = Context.get(
        yield* Layer.build(layerEdgar.pipe(
          Layer.provide([layerEdgarArchives({ baseUrl: server.url }), layerEdgarData({ baseUrl: server.url })]),
          Layer.provide(SourceHealth.layer)
        )),
        Edgar
      )
      const reads = [
        Effect.asVoid(port.stocks("US")),
        Effect.asVoid(port.stock("AAPL")),
        Effect.asVoid(port.fundamentals("AAPL")),
        Effect.asVoid(port.insiderTrades({ symbol: "AAPL", days: 9 }))
      ]
      for (const read of reads) {
        const error = yield* Effect.flip(read)
        assert.deepInclude(error, { failure: "not_configured", variable: "TAPELINE_EDGAR_CONTACT", retryable: false })
      }
      assert.lengthOf(server.requests, 0)
    }).pipe(Effect.scoped))
})
