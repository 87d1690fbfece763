import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, dayMs, hourMs, type SourceUnavailable } from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeBinanceFutures, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import {
  type BinanceContract,
  BinancePerpetuals,
  datedFuturesOf,
  layerBinancePerpetuals,
  SourceHealth
} from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const all = portsOfFewCoins
const derivatives = Context.get(all, CoinDerivatives)
const ports = { derivatives, prices: Context.get(all, CoinPrices) }

const contract: BinanceContract = {
  coin: "BTC",
  symbol: "BTCUSDT",
  kind: "perpetual",
  unit: 1,
  listedAt: 0,
  expiryAt: null,
  isTrading: true
}
const day = { from: now - dayMs, to: now }
const hours = { from: now - 2 * hourMs, to: now }
const ask = <A, E>(f: (futures: BinancePerpetuals["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(BinancePerpetuals, f)

faultSuite<BinancePerpetuals>({
  source: "binance",
  handleRequest: makeBinanceFutures(ports),
  hasFirewall: true,
  now,
  layer: (baseUrl, retryPolicy) => layerBinancePerpetuals({ baseUrl, retryPolicy }),
  requests: [
    { name: "open interest", send: ask((futures) => futures.openInterest(contract)) },
    {
      name: "contracts",
      send: ask((futures) => futures.contracts("USDT")),
      skipsMalformed: true,
      optionalLeaves: ["symbols.contractType"]
    },
    { name: "marks", send: ask((futures) => futures.marks([contract])), isForeign: true },
    { name: "funding intervals", send: ask((futures) => futures.fundingHours) },
    { name: "funding payments", send: ask((futures) => futures.fundingPayments({ contract, ...day, hoursNow: 8 })) },
    { name: "open interest history", send: ask((futures) => futures.openInterestHistory({ contract, ...hours })) },
    { name: "account ratios", send: ask((futures) => futures.accountRatios({ contract, ...hours, accounts: "all" })) },
    { name: "taker flow", send: ask((futures) => futures.takerFlow({ contract, ...hours })), byClock: "rows" }
  ],
  errorsInBody: {
    "too many requests": [{ code: -1003, msg: "Way too many requests" }, "rate_limited"],
    "a restricted location": [{ code: 0, msg: "Service unavailable from a restricted location" }, "blocked"],
    "an invalid request": [{ code: -1130, msg: "parameter 'startTime' is invalid." }, "malformed"]
  }
})

const overWire = <A>(
  use: (futures: BinancePerpetuals["Service"], server: FakeServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeBinanceFutures(ports))
    const layer = Layer.provide(layerBinancePerpetuals({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), BinancePerpetuals), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

it.live("returns series as the simulated market has them", () =>
  overWire((futures) =>
    Effect.gen(function*() {
      const query = { coin: "BTC", ...day }
      const { value: prints } = yield* Effect.orDie(derivatives.fundingPayments(query))
      assert.deepStrictEqual((yield* futures.fundingPayments({ contract, ...day, hoursNow: 8 })).value, prints)

      const { value: { points } } = yield* Effect.orDie(derivatives.perpetualHistory({ ...query, stepMs: 300_000 }))
      const { value: interest } = yield* futures.openInterestHistory({ contract, ...day })
      assert.deepStrictEqual(
        interest,
        points.map(({ openInterest, openInterestUsd, time }) => ({
          time,
          openInterest: openInterest!,
          openInterestUsd: openInterestUsd!
        }))
      )
      const { value: ratios } = yield* futures.accountRatios({ contract, ...day, accounts: "all" })
      assert.deepStrictEqual(
        ratios,
        points.map(({ longShortRatio, time }) => ({ time, longShortRatio: longShortRatio! }))
      )

      const { value: flow } = yield* Effect.orDie(derivatives.takerFlow({ ...query, stepMs: 300_000 }))
      assert.deepStrictEqual((yield* futures.takerFlow({ contract, ...day })).value, flow.points.slice(1))
    })
  ))

it.live("adds a special payment to the regular one of the same instant, and rejects two of one type", () =>
  overWire((futures, server) =>
    Effect.gen(function*() {
      const row = { symbol: "BTCUSDT", fundingRate: "0.00010000", fundingTime: now - 8 * hourMs, rateType: "REGULAR" }
      const next = { ...row, fundingTime: now - 1 }
      const specialRate = { ...next, fundingRate: "-0.00250000", rateType: "SPECIAL" }
      const ask = futures.fundingPayments({ contract, ...day, hoursNow: 8 })
      server.fail({ _tag: "answer", body: [row, next, specialRate] }, 1)
      assert.deepStrictEqual((yield* ask).value, [
        { time: row.fundingTime, fundingRate: 0.0001, intervalHours: 8 },
        { time: next.fundingTime, fundingRate: -0.0024, intervalHours: 8 }
      ])
      for (const body of [[row, next, next], [row, next, specialRate, next], [next, specialRate, row]]) {
        server.fail({ _tag: "answer", body }, 1)
        assert.strictEqual((yield* Effect.flip(ask)).failure, "malformed")
      }
    }).pipe(Effect.orDie)
  ))

it.live("reads statistics in ascending or descending order, and rejects any other order", () =>
  overWire((futures, server) =>
    Effect.gen(function*() {
      const rows = [10, 5, 0].map((minutes) => ({
        symbol: "BTCUSDT",
        sumOpenInterest: String(minutes + 1),
        sumOpenInterestValue: "7",
        longShortRatio: String(minutes + 1),
        timestamp: Date.parse("2026-11-20T12:30:00Z") - minutes * 60_000
      }))
      for (const body of [rows, rows.toReversed()]) {
        server.fail({ _tag: "answer", body }, 2)
        const { value: interest } = yield* futures.openInterestHistory({ contract, ...hours })
        assert.deepStrictEqual(interest.map(({ openInterest }) => openInterest), [11, 6, 1])
        const { value: ratios } = yield* futures.accountRatios({ contract, ...hours, accounts: "top" })
        assert.deepStrictEqual(ratios.map(({ longShortRatio }) => longShortRatio), [11, 6, 1])
      }
      for (const body of [[rows[1], rows[0], rows[2]], [rows[0], rows[0]]]) {
        server.fail({ _tag: "answer", body }, 1)
        assert.strictEqual(
          (yield* Effect.flip(futures.openInterestHistory({ contract, ...hours }))).failure,
          "malformed"
        )
      }
    }).pipe(Effect.orDie)
  ))

const cloudFront = (words: string) => `<!DOCTYPE HTML><HTML><TITLE>ERROR</TITLE><H1>403 ERROR</H1>${words}</HTML>`

it.live.each(
  [
    [403, cloudFront("Request blocked."), {}, "rate_limited", /firewall .* for 300 s \(status 403\)/u],
    [403, "", { "retry-after": "60" }, "rate_limited", /for 60 s \(status 403\)/u],
    [403, cloudFront("configured to block access from your country."), {}, "blocked", /status 403/u],
    [403, { code: 0, msg: "Service unavailable from a restricted location" }, {}, "blocked", /status 403/u],
    [202, "", { "x-amzn-waf-action": "challenge" }, "rate_limited", /firewall .*status 202/u],
    [202, "", {}, "rate_limited", /firewall .*status 202/u],
    [405, cloudFront("captcha"), { "x-amzn-waf-action": "captcha" }, "rate_limited", /firewall .*status 405/u],
    [451, "", {}, "blocked", /status 451/u]
  ] as const
)(
  "reports status %s with %j and %j as %s",
  ([status, body, headers, failure, reason]) =>
    overWire((futures, server) =>
      Effect.gen(function*() {
        server.fail({ _tag: "answer", status, body, headers }, 1)
        const error = yield* Effect.flip(futures.openInterest(contract))
        assert.strictEqual(error.failure, failure)
        assert.match(error.reason, reason)
        assert.strictEqual((yield* Effect.flip(futures.openInterest(contract))).failure, failure)
        assert.lengthOf(server.requests, 1)
      }).pipe(Effect.orDie)
    )
)

it.live("returns current data as the simulated market has it", () =>
  overWire((futures) =>
    Effect.gen(function*() {
      const { value: contracts } = yield* futures.contracts("USDT")
      const ofBtc = contracts.filter(({ coin }) => coin === "BTC")
      assert.deepStrictEqual([...new Set(ofBtc.map(({ kind }) => kind))], ["perpetual", "dated"])
      const { value: marks } = yield* futures.marks(ofBtc)
      const { value: point } = yield* Effect.orDie(derivatives.perpetual("BTC"))
      const { value: venues } = yield* Effect.orDie(derivatives.fundingByVenue("BTC"))
      const venue = venues.find((one) => one.venue === "binance")!
      assert.deepStrictEqual(marks[0], {
        contract: ofBtc[0]!,
        time: now,
        markPrice: point.markPrice!,
        indexPrice: point.indexPrice,
        fundingRate: venue.fundingRate,
        nextFundingAt: venue.nextFundingAt
      })
      const { value: dated } = yield* Effect.orDie(derivatives.futures("BTC"))
      assert.isAbove(dated.length, 0)
      assert.deepStrictEqual(datedFuturesOf(marks), dated.map((future) => ({ coin: "BTC", ...future })))
      assert.deepStrictEqual((yield* futures.openInterest(contract)).value, {
        time: now,
        openInterest: point.openInterest!
      })
    })
  ))

it.live("converts contracts of 1,000 coins to one coin, and skips contracts of other assets", () =>
  overWire((futures, server) =>
    Effect.gen(function*() {
      const row = (symbol: string, baseAsset: string, contractType = "PERPETUAL") => ({
        symbol,
        contractType,
        status: "TRADING",
        baseAsset,
        marginAsset: symbol.endsWith("USDC") ? "USDC" : "USDT",
        onboardDate: now - dayMs,
        deliveryDate: 4_133_404_800_000
      })
      server.fail({
        _tag: "answer",
        body: {
          symbols: [
            row("1000PEPEUSDT", "1000PEPE"),
            row("1MBABYDOGEUSDT", "1MBABYDOGE"),
            row("1INCHUSDT", "1INCH"),
            row("BTCUSDC", "BTC"),
            row("TSLAUSDT", "TSLA", "TRADIFI_PERPETUAL"),
            row("NEWUSDT", "NEW", "")
          ]
        }
      })
      const { value: contracts } = yield* futures.contracts("USDT")
      assert.deepStrictEqual(contracts.map(({ coin, unit }) => [coin, unit]), [
        ["PEPE", 1_000],
        ["BABYDOGE", 1_000_000],
        ["1INCH", 1]
      ])
      const pepe = contracts[0]!
      server.fail({
        _tag: "answer",
        body: [{
          symbol: "1000PEPEUSDT",
          markPrice: "0.01234500",
          indexPrice: "0.00000000",
          lastFundingRate: "0.00010000",
          nextFundingTime: now + hourMs,
          time: now
        }]
      })
      const [mark] = (yield* futures.marks([pepe])).value
      assert.deepStrictEqual([mark?.markPrice, mark?.indexPrice], [0.000012345, null])
      server.fail({ _tag: "answer", body: { symbol: "1000PEPEUSDT", openInterest: "7.5", time: now } })
      assert.strictEqual((yield* futures.openInterest(pepe)).value.openInterest, 7_500)
    })
  ))

it.live("infers each funding interval, also if it changes or a payment is missing", () =>
  overWire((futures, server) =>
    Effect.gen(function*() {
      const midnight = Math.floor(now / dayMs) * dayMs
      const paymentHours = [-16, -8, 0, 4, 8, 9, 12.0001]
      server.fail({
        _tag: "answer",
        body: paymentHours.map((hour) => ({
          symbol: "BTCUSDT",
          fundingRate: "0.00010000",
          fundingTime: Math.round(midnight + hour * hourMs),
          markPrice: ""
        }))
      })
      const { value } = yield* futures.fundingPayments({ contract, from: midnight - 8 * hourMs, to: now, hoursNow: 1 })
      assert.deepStrictEqual(value.map(({ intervalHours }) => intervalHours), [8, 8, 4, 4, 1, 1])
    })
  ))

it.live("limits a request for statistics to the available time and to one response", () =>
  overWire((futures, server) =>
    Effect.gen(function*() {
      const { value } = yield* futures.openInterestHistory({ contract, from: 0, to: now })
      assert.lengthOf(value, 500)
      const [request] = server.requests
      const [from, to] = ["startTime", "endTime"].map((name) => Number(request!.query.get(name)))
      assert.isAbove(from!, now - 30 * dayMs)
      assert.isBelow(to! - from!, 501 * 300_000)
      assert.strictEqual(request!.query.get("limit"), "500")
    })
  ))
