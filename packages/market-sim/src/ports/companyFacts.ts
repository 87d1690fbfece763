/**
 * The part of `EquityMarkets` about companies: statements, announcements, analysts, insiders, filings, flows,
 * options.
 */
import {
  dayMs,
  type EquityCountry,
  type EquityMarkets,
  type MarketError,
  NoData,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { earningsReport } from "../equity/facts/earnings.ts"
import { latestFilings } from "../equity/facts/filings.ts"
import { insiderTradesOf } from "../equity/facts/insiders.ts"
import { investorFlowsOf } from "../equity/facts/investorFlows.ts"
import { ratingsAt } from "../equity/facts/ratings.ts"
import { fundamentalsAt } from "../equity/facts/statements.ts"
import type { Listed } from "../equity/listed.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { makeOptionBook, type OptionBook } from "../options/chain.ts"
import { stockUnderlying } from "../options/stockUnderlying.ts"
import type { World } from "../world.ts"
import { newestOf, simulated } from "./source.ts"

type Service = EquityMarkets["Service"]

const cachedBooks = 16

export const equityFactsPart = (
  world: World
): Pick<
  Service,
  "fundamentals" | "earnings" | "ratings" | "insiderTrades" | "filings" | "investorFlows" | "options"
> => {
  const find = Effect.fnUntraced(function*(symbol: string) {
    const listed = world.equities.stock(symbol)
    if (listed === undefined) return yield* new UnknownSymbol({ symbol })
    return { listed, now: yield* Clock.currentTimeMillis }
  })

  /** The same for what only one country has. */
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

  /** One stock, or all of a country. */
  const some = Effect.fnUntraced(function*(symbol: string | undefined, country: EquityCountry, what: string) {
    if (symbol === undefined) return { stocks: world.equities.listed(country), now: yield* Clock.currentTimeMillis }
    const { listed, now } = yield* findIn(symbol, country, what)
    return { stocks: [listed], now }
  })

  return {
    fundamentals: (symbol) =>
      Effect.map(find(symbol), ({ listed, now }) => simulated(fundamentalsAt(world, listed, now), now)),
    earnings: Effect.fnUntraced(function*({ symbol, days }) {
      const all = world.equities.listed("US")
      if (symbol === undefined) {
        const now = yield* Clock.currentTimeMillis
        return simulated(earningsReport(world, all, undefined, days, now), now)
      }
      const { listed, now } = yield* find(symbol)
      return simulated(earningsReport(world, all, listed, days, now), now)
    }),
    ratings: (symbol) => Effect.map(find(symbol), ({ listed, now }) => simulated(ratingsAt(world, listed, now), now)),
    insiderTrades: ({ symbol, days }) =>
      Effect.map(
        find(symbol),
        ({ listed, now }) => simulated(insiderTradesOf(world, listed, now - days * dayMs, now), now)
      ),
    filings: ({ symbol, limit }) =>
      Effect.map(
        some(symbol, "KR", "filings"),
        ({ stocks, now }) => simulated(latestFilings(world, stocks, limit, now), now)
      ),
    investorFlows: ({ symbol, days }) =>
      Effect.map(some(symbol, "KR", "investor flows"), ({ stocks, now }) => {
        const flows = investorFlowsOf(world, stocks, days, now)
        return simulated(flows, newestOf(flows, now))
      }),
    options: optionsOf(world, (symbol) => findIn(symbol, "US", "options"))
  }
}

/** Option chains of US stocks; `find` tells which stock, or why not. */
const optionsOf = (
  world: World,
  find: (symbol: string) => Effect.Effect<{ readonly listed: Listed; readonly now: number }, MarketError>
): Service["options"] => {
  const books = new BoundedCache<OptionBook>(cachedBooks)
  return Effect.fnUntraced(function*({ symbol, expiryAt }) {
    const { listed, now } = yield* find(symbol)
    // After a split strikes are written in the new shares: a new book.
    const book = books.get(
      `${symbol}/${listed.market.shareFactor(now)}/${Math.floor(now / dayMs)}`,
      () => makeOptionBook(stockUnderlying(world, listed, now))
    )
    const chain = book.chain(now, expiryAt)
    if (chain === undefined) {
      return yield* new NoData({
        subject: `${symbol} options`,
        reason: { key: "none_at_expiry", params: { symbol } }
      })
    }
    return simulated(chain, now)
  })
}
