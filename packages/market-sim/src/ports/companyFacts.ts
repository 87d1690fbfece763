/**
 * The part of `EquityMarkets` about companies: statements, announcements, analysts, insiders, filings, flows, options.
 */
import {
  dayMs,
  type EquityCountry,
  type EquityMarkets,
  lastSession,
  type MarketError,
  NoData
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { earningsReport } from "../equity/facts/earnings.ts"
import { latestFilings } from "../equity/facts/filings.ts"
import { insiderTradesOf } from "../equity/facts/insiders.ts"
import { investorFlowsOf } from "../equity/facts/investorFlows.ts"
import { latestChanges, ratingsAt } from "../equity/facts/ratings.ts"
import { fundamentalsAt } from "../equity/facts/statements.ts"
import type { Listed } from "../equity/listed.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { makeOptionBook, type OptionBook } from "../options/chain.ts"
import { stockUnderlying } from "../options/stockUnderlying.ts"
import type { World } from "../world.ts"
import { tradedStock } from "./lookup.ts"
import { newestOf, simulated } from "./source.ts"

type Service = EquityMarkets["Service"]

const cachedBooks = 16

export const equityFactsPart = (
  world: World
): Pick<
  Service,
  "fundamentals" | "earnings" | "ratings" | "ratingChanges" | "insiderTrades" | "filings" | "investorFlows" | "options"
> => {
  const find = (symbol: string) => tradedStock(world, symbol)

  /** Finds a traded stock of one country. Fails with `NoData` for a stock of the other country. */
  const findIn = Effect.fnUntraced(function*(symbol: string, country: EquityCountry, what: string) {
    const found = yield* find(symbol)
    if (found.listed.spec.country !== country) {
      return yield* new NoData({
        subject: `${symbol} ${what}`,
        reason: { key: country === "KR" ? "none_korean" : "none_american", params: { symbol } }
      })
    }
    return found
  })

  /** Finds one stock, or, without a symbol, all stocks of a country that have been listed by now. */
  const some = Effect.fnUntraced(function*(symbol: string | undefined, country: EquityCountry, what: string) {
    if (symbol === undefined) {
      const now = yield* Clock.currentTimeMillis
      return { stocks: world.equities.listed(country).filter(({ market }) => market.listedAt <= now), now }
    }
    const { listed, now } = yield* findIn(symbol, country, what)
    return { stocks: [listed], now }
  })

  return {
    fundamentals: (symbol) =>
      Effect.map(find(symbol), ({ listed, now }) => {
        const fundamentals = fundamentalsAt(world, listed, now)
        const reports = fundamentals.quarters.map(({ reportedAt }) => reportedAt)
        return simulated(fundamentals, Math.max(listed.market.lastTradeAt(now), ...reports))
      }),
    earnings: Effect.fnUntraced(function*({ symbol, days }) {
      if (symbol === undefined) {
        const now = yield* Clock.currentTimeMillis
        return simulated(earningsReport(world, world.equities.trading("US", now), undefined, days, now), now)
      }
      const { listed, now } = yield* find(symbol)
      return simulated(earningsReport(world, [], listed, days, now), now)
    }),
    ratings: (symbol) => Effect.map(find(symbol), ({ listed, now }) => simulated(ratingsAt(world, listed, now), now)),
    ratingChanges: ratingChangesOf(world),
    insiderTrades: ({ symbol, days }) =>
      Effect.map(find(symbol), ({ listed, now }) => {
        const trades = insiderTradesOf(world, listed, now - days * dayMs, now)
        return simulated(trades, trades.at(-1)?.filedAt ?? now)
      }),
    filings: ({ symbol, limit }) =>
      Effect.map(
        some(symbol, "KR", "filings"),
        ({ stocks, now }) => {
          const filings = latestFilings(world, stocks, limit, now)
          return simulated(filings, newestOf(filings, now))
        }
      ),
    investorFlows: ({ symbol, days }) =>
      Effect.map(some(symbol, "KR", "investor flows"), ({ stocks, now }) => {
        const flows = investorFlowsOf(world, stocks, days, now)
        const last = flows.at(-1)
        return simulated(flows, last === undefined ? now : lastSession("KR", last.time).closeAt)
      }),
    options: optionsOf(world, (symbol) => findIn(symbol, "US", "options"))
  }
}

/** The newest rating changes of all US stocks. */
const ratingChangesOf = (world: World): Service["ratingChanges"] => ({ limit }) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const changes = latestChanges(world, world.equities.trading("US", now), limit, now)
    return simulated(changes, newestOf(changes, now))
  })

/** Option chains of US stocks. `find` returns a stock and the present, or fails with the reason. */
const optionsOf = (
  world: World,
  find: (symbol: string) => Effect.Effect<{ readonly listed: Listed; readonly now: number }, MarketError>
): Service["options"] => {
  const books = new BoundedCache<OptionBook>(cachedBooks)
  return Effect.fnUntraced(function*({ symbol, expiryAt }) {
    const { listed, now } = yield* find(symbol)
    // Options trade only in sessions. Outside a session the last quotes apply.
    const time = listed.market.lastTradeAt(now)
    // After a split, strikes refer to the new shares, so a new book is needed.
    const book = books.get(
      `${symbol}/${listed.market.shareFactor(time)}/${Math.floor(time / dayMs)}`,
      () => makeOptionBook(stockUnderlying(world, listed, time))
    )
    const chain = book.chain(time, expiryAt)
    if (chain === undefined) {
      return yield* new NoData({
        subject: `${symbol} options`,
        reason: { key: "none_at_expiry", params: { symbol } }
      })
    }
    return simulated(chain, time)
  })
}
