/**
 * Prints a digest of options, tokens, posts, news, calendar and companies, so that a test can compare the results of
 * processes that compute in different orders.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import { createHash } from "node:crypto"
import { makeEarningsReport } from "../../src/equity/facts/earnings.ts"
import { getLatestFilings } from "../../src/equity/facts/filings.ts"
import { getInsiderTrades } from "../../src/equity/facts/insiders.ts"
import { getInvestorFlows } from "../../src/equity/facts/investorFlows.ts"
import { getRatings } from "../../src/equity/facts/ratings.ts"
import { getFundamentals } from "../../src/equity/facts/statements.ts"
import { getReleases } from "../../src/macro/calendar.ts"
import { getYieldCurve } from "../../src/macro/yields.ts"
import { News } from "../../src/news/articles.ts"
import { makeOptionBook } from "../../src/options/chain.ts"
import { makeStockUnderlying } from "../../src/options/stockUnderlying.ts"
import { makeCoinUnderlying } from "../../src/options/underlying.ts"
import { Posts } from "../../src/social/Posts.ts"
import { getPools } from "../../src/token/pools.ts"
import { getAllTokens } from "../../src/token/tokens.ts"
import { getTransfers } from "../../src/token/transfers.ts"
import { makeWorld } from "../../src/world.ts"

const [seed = "", order = "forward"] = process.argv.slice(2)
const world = makeWorld(seed, order === "forward" ? undefined : 1024)
const now = Date.parse("2026-11-20T10:03:22.517Z")
const getMarket = (coin: string) => world.coin(coin)!
const book = makeOptionBook(makeCoinUnderlying(getMarket("BTC"), world.derivatives, world.getKey)!)
const apple = world.equities.getStock("AAPL")!
const samsung = world.equities.getStock("005930")!
const posts = new Posts(world)
const news = new News(world)

const queries: ReadonlyArray<readonly [string, () => unknown]> = [
  ["chain", () => book.chain(now)],
  ["option trades", () => book.trades(now - 6 * hourMs, now, 200)],
  ["iv", () => book.ivHistory(now, 40, 30)],
  ["stock options", () => makeOptionBook(makeStockUnderlying(world, apple, now)).chain(now)],
  ["tokens", () => getAllTokens(world, now)],
  ["pools", () => getPools(world, getMarket("PEPE"), now)],
  ["transfers", () => getTransfers(world, getMarket("USDT"), { from: now - dayMs, to: now }, 500)],
  ["posts", () => ["BTC", "DOGE", "IMX"].map((coin) => posts.getPosts(getMarket(coin), now - dayMs, now, 300))],
  ["activity", () => posts.getActivity(getMarket("SOL"), now - 9 * dayMs, now - 8 * dayMs)],
  ["news", () => news.getArticles({ from: now - 6 * dayMs, to: now, limit: 1_000 })],
  ["calendar", () => getReleases(world, now - 30 * dayMs, now + 30 * dayMs)],
  ["yields", () => [getYieldCurve(world, "US", now), getYieldCurve(world, "KR", now)]],
  ["fundamentals", () => getFundamentals(world, apple, now)],
  ["earnings", () => makeEarningsReport(world, world.equities.getStocks("US"), apple, 60, now)],
  ["ratings", () => getRatings(world, apple, now)],
  ["insiders", () => getInsiderTrades(world, apple, now - 90 * dayMs, now)],
  ["filings", () => getLatestFilings(world, world.equities.getStocks("KR"), 50, now)],
  ["flows", () => getInvestorFlows(world, [samsung], 20, now)]
]

const orderedQueries = order === "forward" ? queries : queries.toReversed()
const results = new Map(orderedQueries.map(([name, runQuery]) => [name, JSON.stringify(runQuery())]))
const digest = createHash("sha256")
for (const [name] of queries) digest.update(name).update(results.get(name)!)
process.stdout.write(digest.digest("hex"))
