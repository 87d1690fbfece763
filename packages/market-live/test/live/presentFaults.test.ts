/** Tests perpetuals that have recorded past data but no current data: their reads name the faulty source. */
import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, minuteMs, OrderBooks, SourceUnavailable } from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { makeBinanceFutures, makeBinanceSpot, makeBybitMarket, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, trackedCoins } from "../../src/index.ts"
import { portsOfCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { advanceTo, advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:33:50.000Z")
const ports = portsOfCoins(["BTC", "ETH", "SOL"])
const served = {
  derivatives: Context.get(ports, CoinDerivatives),
  prices: Context.get(ports, CoinPrices),
  books: Context.get(ports, OrderBooks)
}

const Row = Schema.Record(Schema.String, Schema.Unknown)
const Rows = Schema.Union([Schema.Array(Row), Row])
type Row = typeof Row.Type
const isList = Schema.is(Schema.Array(Row))
const unreachableUrl = "http://127.0.0.1:9"

/** Starts a live market with two coins. Some rows of Binance's futures are malformed. */
const marketWhere = Effect.fnUntraced(function*(
  path: string,
  change: (row: Row) => Row,
  { hasBybit = false }: { readonly hasBybit?: boolean } = {}
) {
  yield* TestClock.setTime(start)
  const spot = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
  const inner = makeBinanceFutures(served)
  const futures = yield* makeFakeServer((request) => {
    if (!request.path.includes(path)) return inner(request)
    return Effect.map(inner(request), (answer) => {
      if (answer === null) return null
      const rows = Schema.decodeUnknownSync(Rows)(answer.body)
      return { ...answer, body: isList(rows) ? rows.map(change) : change(rows) }
    })
  })
  const bybit = hasBybit ? (yield* makeFakeServer(makeBybitMarket(served))).url : unreachableUrl
  const live = layerLiveMarket({
    urls: { ...allUrlsAt(unreachableUrl), binanceSpot: spot.url, binanceFutures: futures.url, bybit },
    coins: trackedCoins.filter(({ coin }) => ["BTC", "ETH"].includes(coin)),
    newsFeeds: [],
    candleDays: 1,
    priceDays: 1,
    derivativeDays: 1
  }).pipe(Layer.provide(MemoryMarketStore))
  const context = yield* Layer.build(live)
  yield* advanceUntil("the coin is known", Effect.isSuccess(Context.get(context, CoinPrices).coin("BTC")))
  return { derivatives: Context.get(context, CoinDerivatives), report: Context.get(context, MarketHealth).report }
})

const faultOf = (error: unknown) => error instanceof SourceUnavailable ? [error.source, error.failure] : [error]

const makeOutdated = (row: Row): Row => ({ ...row, time: Number(row["time"]) - 10 * minuteMs })

it.effect.runIf(isFullRun)(
  "reports prices of another time as a source fault, not as a running backfill",
  () =>
    Effect.gen(function*() {
      const { derivatives, report } = yield* marketWhere("premiumIndex", makeOutdated)
      for (const minutes of [3, 14, 16]) {
        yield* advanceTo(start + minutes * minuteMs)
        for (const read of [Effect.asVoid(derivatives.perpetual("ETH")), Effect.asVoid(derivatives.perpetuals)]) {
          assert.deepStrictEqual(faultOf(yield* Effect.flip(read)), ["binance", "malformed"])
        }
      }
      const { collectorsBySource } = yield* report
      const records = collectorsBySource.find(({ source }) => source === "binance")?.collectors
        .find(({ name }) => name === "perpetuals")
      assert.match(records?.lastFault?.reason ?? "", /mark price is \d+ s before the recorded time/)
    }).pipe(Effect.scoped),
  120_000
)

it.effect.runIf(isFullRun)(
  "takes another venue in place of one whose prices are of another time",
  () =>
    Effect.gen(function*() {
      const { derivatives } = yield* marketWhere("premiumIndex", makeOutdated, { hasBybit: true })
      yield* advanceTo(start + 16 * minuteMs)
      assert.deepStrictEqual((yield* derivatives.perpetual("ETH")).sources, ["bybit"])
      assert.deepStrictEqual((yield* derivatives.perpetuals).value.map(({ coin }) => coin), ["BTC", "ETH"])
    }).pipe(Effect.scoped),
  120_000
)

it.effect.runIf(isFullRun)("reports unreadable prices as a source fault", () =>
  Effect.gen(function*() {
    const { derivatives } = yield* marketWhere("premiumIndex", (row) => ({ ...row, markPrice: "none" }))
    for (const minutes of isFullRun ? [3, 16] : [3]) {
      yield* advanceTo(start + minutes * minuteMs)
      for (const read of [Effect.asVoid(derivatives.perpetual("ETH")), Effect.asVoid(derivatives.perpetuals)]) {
        assert.deepStrictEqual(faultOf(yield* Effect.flip(read)), ["binance", "malformed"])
      }
    }
  }).pipe(Effect.scoped), 120_000)

it.effect("returns the price and funding of a coin whose open interest is unreadable", () =>
  Effect.gen(function*() {
    const unread = (row: Row): Row => row["symbol"] === "ETHUSDT" ? { ...row, openInterest: "many" } : row
    const { derivatives } = yield* marketWhere("fapi/v1/openInterest", unread)
    yield* advanceTo(start + 7 * minuteMs)
    const { value } = yield* derivatives.perpetuals
    assert.deepStrictEqual(value.map(({ coin, openInterest }) => [coin, openInterest === null]), [
      ["BTC", false],
      ["ETH", true]
    ])
    assert.isTrue(value.every(({ fundingRate, markPrice }) => markPrice !== null && fundingRate !== null))
  }).pipe(Effect.scoped), 120_000)
