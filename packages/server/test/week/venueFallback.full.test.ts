import { assert, it } from "@effect/vitest"
import { DerivedStore } from "@tapeline/core"
import { dayMs, type Gap, hourMs, type MarketPorts, minuteMs } from "@tapeline/core/market"
import { MarketStore, type PointsKind, pointsKinds } from "@tapeline/core/market/store"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../support/process.ts"
import { comparedTools } from "./comparedTools.ts"
import { runWeek } from "./runWeek.ts"
import { assertSameResult } from "./sameResult.ts"
import { servedPaths } from "./weekServers.ts"
import { callTools } from "./weekTools.ts"

const bybitPaths = ["account-ratio", "funding/history", "instruments-info", "kline", "tickers"]
ignorePaths(...servedPaths, ...bybitPaths.map((path) => `/v5/market/${path}`))

const end = Date.parse("2026-11-20T15:00:00.000Z")
const begin = end - 2 * dayMs
const blocked = { from: end - 30 * hourMs, to: end - 26 * hourMs }
const coins = ["BTC", "ETH"]
const hours = [48, 36, 30, 28, 26, 18, 12, 6, 3, 1].map((back) => end - back * hourMs)
const windows = [...hours, ...[15, 10, 5, 0].map((minutes) => end - minutes * minuteMs)]

const rowsOf = <Column extends string>(store: MarketStore["Service"], kind: PointsKind<Column>, interval: Gap) =>
  Effect.map(
    store.points({ kind, subjects: coins, ...interval }),
    (read) => Array.from(read.values(), ({ points }) => points).flat()
  )

const runWithHandover = Effect.gen(function*() {
  const dir = yield* temporaryFolder
  const { ports, process: collected } = yield* runWeek({
    dataDir: join(dir, "db"),
    coins,
    end,
    outage: { from: end, to: end },
    blocked,
    restartAt: Infinity,
    windows
  })
  const store = Context.get(collected, MarketStore)
  const all = { from: begin - dayMs, to: end }
  // The minimum number of records from Bybit. Six hours lie between the last request before the block and the last
  // request within the block, with twelve records for each coin and hour.
  const minPoints = coins.length * 12 * 6
  const prices = (yield* rowsOf(store, pointsKinds.prices, all)).filter(({ source }) => source === "bybit")
  const records = (yield* rowsOf(store, pointsKinds.perpetuals, all)).filter(({ source }) => source.includes("bybit"))
  assert.isAbove(prices.length, 5 * minPoints)
  // During the block, Bybit provided only current mark prices and funding rates. For past times, Binance later provided
  // its own data.
  assert.isNotEmpty(records)
  for (const { time } of [...prices, ...records]) {
    assert.isTrue(time >= end - 37 * hourMs && time < blocked.to + hourMs)
  }
  // Data that only Binance provides also exists for the blocked interval, because the process requested the data after
  // the block.
  for (const { openInterest, openInterestUsd, time } of yield* rowsOf(store, pointsKinds.perpetuals, all)) {
    assert.isTrue(openInterest !== null && openInterestUsd !== null, new Date(time).toISOString())
  }
  for (const { takerBuyVolume, time } of yield* rowsOf(store, pointsKinds.candles, all)) {
    assert.isNotNull(takerBuyVolume, new Date(time).toISOString())
  }
  const market: Layer.Layer<MarketPorts> = Layer.succeedContext(ports)
  const direct = Layer.provideMerge(Layer.fresh(DerivedStore.layer), market)
  const layerStored = Layer.merge(market, Layer.succeedContext(collected))
  const [its, storedResults] = [
    yield* callTools(direct, comparedTools, end),
    yield* callTools(layerStored, comparedTools, end)
  ]
  for (const [question, answer] of storedResults) assertSameResult(question, answer, its.get(question), ["bybit"])
})

it.live(
  "tools use Bybit while Binance is blocked for hours, and return the market's data afterwards",
  () => Effect.scoped(runWithHandover),
  600_000
)
