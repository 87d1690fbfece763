/**
 * Prints a digest of many simulated results, so that a test can compare the results of processes that compute in
 * different orders.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { createHash } from "node:crypto"
import { makeOrderBook } from "../../src/coin/orderBook.ts"
import { makeWorld } from "../../src/world.ts"

const [seed = "", order = "forward"] = process.argv.slice(2)
const world = makeWorld(seed, order === "forward" ? undefined : 1024)
const now = Date.parse("2026-11-20T10:03:22.517Z")

const queries: ReadonlyArray<readonly [string, () => unknown]> = [
  ...(isFullRun ? ["BTC", "ETH", "PEPE", "USDT", "WIF"] : ["BTC", "PEPE", "USDT"]).flatMap((coin) => {
    const market = world.coin(coin)!
    return [
      ...(["5m", "15m", "1h", "4h", "1d"] as const).map((timeframe) =>
        [`${coin} ${timeframe}`, () => market.lastCandles(timeframe, 200, now)] as const
      ),
      [`${coin} price`, () => market.price(now - 1234 * 5678)] as const,
      [`${coin} totals`, () => market.totals(now - dayMs, now)] as const,
      [`${coin} book`, () => makeOrderBook(market, now, world.getKey(coin))] as const,
      [`${coin} point`, () => world.derivatives.point(market, Math.floor(now / hourMs) * hourMs)] as const,
      [`${coin} tape`, () => world.liquidations.tape(market, now - dayMs, now, 0, 500)] as const
    ]
  }),
  ["korea", () => world.korea.getTickers(now)],
  ...(isFullRun ? [["us", () => world.equities.getMarketSummary("US", now)] as const] : []),
  ["kr", () => world.equities.getMarketSummary("KR", now)],
  ["bars", () => world.equities.getStock("NVDA")!.market.getLastCandles("15m", 300, now, true)]
]

const orderedQueries = order === "forward" ? queries : queries.toReversed()
const results = new Map(orderedQueries.map(([name, runQuery]) => [name, JSON.stringify(runQuery())]))
const digest = createHash("sha256")
for (const [name] of queries) digest.update(name).update(results.get(name)!)
process.stdout.write(digest.digest("hex"))
