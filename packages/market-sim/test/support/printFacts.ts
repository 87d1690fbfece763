/** Prints a digest of options, tokens, posts, news, calendar and companies, in a separate process and order. */
import { dayMs, hourMs } from "@tapeline/core/market"
import { createHash } from "node:crypto"
import { earningsReport } from "../../src/equity/facts/earnings.ts"
import { latestFilings } from "../../src/equity/facts/filings.ts"
import { insiderTradesOf } from "../../src/equity/facts/insiders.ts"
import { investorFlowsOf } from "../../src/equity/facts/investorFlows.ts"
import { ratingsAt } from "../../src/equity/facts/ratings.ts"
import { fundamentalsAt } from "../../src/equity/facts/statements.ts"
import { releases } from "../../src/macro/calendar.ts"
import { yieldCurveAt } from "../../src/macro/yields.ts"
import { News } from "../../src/news/articles.ts"
import { makeOptionBook } from "../../src/options/chain.ts"
import { stockUnderlying } from "../../src/options/stockUnderlying.ts"
import { coinUnderlying } from "../../src/options/underlying.ts"
import { Posts } from "../../src/social/Posts.ts"
import { poolsOf } from "../../src/token/pools.ts"
import { allTokens } from "../../src/token/tokens.ts"
import { transfersOf } from "../../src/token/transfers.ts"
import { makeWorld } from "../../src/world.ts"

const [seed = "", order = "forward"] = process.argv.slice(2)
const world = makeWorld(seed, order === "forward" ? undefined : 1024)
const now = Date.parse("2026-11-20T10:03:22.517Z")
const market = (coin: string) => world.coin(coin)!
const book = makeOptionBook(coinUnderlying(market("BTC"), world.derivatives, world.key)!)
const apple = world.equities.stock("AAPL")!
const samsung = world.equities.stock("005930")!
const posts = new Posts(world)
const news = new News(world)

const questions: ReadonlyArray<readonly [string, () => unknown]> = [
  ["chain", () => book.chain(now)],
  ["option trades", () => book.trades(now - 6 * hourMs, now, 200)],
  ["iv", () => book.ivHistory(now, 40, 30)],
  ["stock options", () => makeOptionBook(stockUnderlying(world, apple, now)).chain(now)],
  ["tokens", () => allTokens(world, now)],
  ["pools", () => poolsOf(world, market("PEPE"), now)],
  ["transfers", () => transfersOf(world, market("USDT"), { from: now - dayMs, to: now }, 500)],
  ["posts", () => ["BTC", "DOGE", "IMX"].map((coin) => posts.posts(market(coin), now - dayMs, now, 300))],
  ["activity", () => posts.activity(market("SOL"), now - 9 * dayMs, now - 8 * dayMs)],
  ["news", () => news.articles({ from: now - 6 * dayMs, to: now, limit: 1_000 })],
  ["calendar", () => releases(world, now - 30 * dayMs, now + 30 * dayMs)],
  ["yields", () => [yieldCurveAt(world, "US", now), yieldCurveAt(world, "KR", now)]],
  ["fundamentals", () => fundamentalsAt(world, apple, now)],
  ["earnings", () => earningsReport(world, world.equities.listed("US"), apple, 60, now)],
  ["ratings", () => ratingsAt(world, apple, now)],
  ["insiders", () => insiderTradesOf(world, apple, now - 90 * dayMs, now)],
  ["filings", () => latestFilings(world, world.equities.listed("KR"), 50, now)],
  ["flows", () => investorFlowsOf(world, [samsung], 20, now)]
]

const asked = order === "forward" ? questions : questions.toReversed()
const answers = new Map(asked.map(([name, ask]) => [name, JSON.stringify(ask())]))
const digest = createHash("sha256")
for (const [name] of questions) digest.update(name).update(answers.get(name)!)
process.stdout.write(digest.digest("hex"))
