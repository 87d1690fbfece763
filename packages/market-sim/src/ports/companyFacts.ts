import {
  dayMs,
  type EquityCountry,
  type EquityMarkets,
  lastSession,
  type MarketError,
  NoData
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { makeEarningsReport } from "../equity/facts/earnings.ts"
import { getLatestFilings } from "../equity/facts/filings.ts"
import { getInsiderTrades } from "../equity/facts/insiders.ts"
import { getInvestorFlows } from "../equity/facts/investorFlows.ts"
import { getLatestChanges, getRatings } from "../equity/facts/ratings.ts"
import { getFundamentals } from "../equity/facts/statements.ts"
import type { StockWithMarket } from "../equity/stockWithMarket.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { makeOptionBook, type OptionBook } from "../options/chain.ts"
import { makeStockUnderlying } from "../options/stockUnderlying.ts"
import type { World } from "../world.ts"
import { findTradedStock } from "./lookup.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

type Service = EquityMarkets["Service"]

const cachedOptionBooks = 16

export const makeCompanyFacts = (
  world: World
): Pick<
  Service,
  "fundamentals" | "earnings" | "ratings" | "ratingChanges" | "insiderTrades" | "filings" | "investorFlows" | "options"
> => {
  const findStock = (symbol: string) => findTradedStock(world, symbol)

  /** Finds a traded stock of `country`. Fails with `NoData` if the stock is from another country. */
  const findStockOfCountry = Effect.fnUntraced(function*(symbol: string, country: EquityCountry, description: string) {
    const found = yield* findStock(symbol)
    if (found.listed.spec.country !== country) {
      return yield* new NoData({
        subject: `${symbol} ${description}`,
        reason: { key: country === "KR" ? "none_korean" : "none_american", params: { symbol } }
      })
    }
    return found
  })

  /** Finds the stock with the given symbol. If `symbol` is undefined, finds all listed stocks of the country. */
  const findStocks = Effect.fnUntraced(
    function*(symbol: string | undefined, country: EquityCountry, description: string) {
      if (symbol === undefined) {
        const now = yield* Clock.currentTimeMillis
        return { stocks: world.equities.getStocks(country).filter(({ market }) => market.listedAt <= now), now }
      }
      const { listed, now } = yield* findStockOfCountry(symbol, country, description)
      return { stocks: [listed], now }
    }
  )

  return {
    fundamentals: (symbol) =>
      Effect.map(findStock(symbol), ({ listed, now }) => {
        const fundamentals = getFundamentals(world, listed, now)
        const reports = fundamentals.quarters.map(({ reportedAt }) => reportedAt)
        return simulatedReading(fundamentals, Math.max(listed.market.getLastTradeTime(now), ...reports))
      }),
    earnings: Effect.fnUntraced(function*({ symbol, days }) {
      if (symbol === undefined) {
        const now = yield* Clock.currentTimeMillis
        return simulatedReading(
          makeEarningsReport(world, world.equities.getTradedStocks("US", now), undefined, days, now),
          now
        )
      }
      const { listed, now } = yield* findStock(symbol)
      return simulatedReading(makeEarningsReport(world, [], listed, days, now), now)
    }),
    ratings: (symbol) =>
      Effect.map(findStock(symbol), ({ listed, now }) => simulatedReading(getRatings(world, listed, now), now)),
    ratingChanges: makeRatingChangesRead(world),
    insiderTrades: ({ symbol, days }) =>
      Effect.map(findStock(symbol), ({ listed, now }) => {
        const trades = getInsiderTrades(world, listed, now - days * dayMs, now)
        return simulatedReading(trades, trades.at(-1)?.filedAt ?? now)
      }),
    filings: ({ symbol, limit }) =>
      Effect.map(
        findStocks(symbol, "KR", "filings"),
        ({ stocks, now }) => {
          const filings = getLatestFilings(world, stocks, limit, now)
          return simulatedReading(filings, getNewestTime(filings, now))
        }
      ),
    investorFlows: ({ symbol, days }) =>
      Effect.map(findStocks(symbol, "KR", "investor flows"), ({ stocks, now }) => {
        const flows = getInvestorFlows(world, stocks, days, now)
        const last = flows.at(-1)
        return simulatedReading(flows, last === undefined ? now : lastSession("KR", last.time).closeAt)
      }),
    options: makeOptionsRead(world, (symbol) => findStockOfCountry(symbol, "US", "options"))
  }
}

const makeRatingChangesRead = (world: World): Service["ratingChanges"] => ({ limit }) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const changes = getLatestChanges(world, world.equities.getTradedStocks("US", now), limit, now)
    return simulatedReading(changes, getNewestTime(changes, now))
  })

/** Reads option chains of US stocks. */
const makeOptionsRead = (
  world: World,
  findStock: (symbol: string) => Effect.Effect<{ readonly listed: StockWithMarket; readonly now: number }, MarketError>
): Service["options"] => {
  const books = new BoundedCache<OptionBook>(cachedOptionBooks)
  return Effect.fnUntraced(function*({ symbol, expiryAt }) {
    const { listed, now } = yield* findStock(symbol)
    // Options trade only in sessions, so the last quotes apply outside a session.
    const time = listed.market.getLastTradeTime(now)
    // After a split, strikes refer to the new shares, so a new option book is needed.
    const book = books.get(
      `${symbol}/${listed.market.getShareFactor(time)}/${Math.floor(time / dayMs)}`,
      () => makeOptionBook(makeStockUnderlying(world, listed, time))
    )
    const chain = book.chain(time, expiryAt)
    if (chain === undefined) {
      return yield* new NoData({
        subject: `${symbol} options`,
        reason: { key: "none_at_expiry", params: { symbol } }
      })
    }
    return simulatedReading(chain, time)
  })
}
