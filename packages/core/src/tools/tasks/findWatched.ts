import { Effect } from "effect"
import { findNamed, findStock } from "../../analysis/equities/findStock.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, UnknownSymbol } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { WatchedMarket } from "../../personal/tasks/spec.ts"

/** The ports in which instruments are looked up. */
export interface Listings {
  readonly prices: CoinPrices["Service"]
  readonly equities: EquityMarkets["Service"]
}

/** An instrument with its symbol in its market's form. */
export interface Watched {
  readonly market: WatchedMarket
  readonly symbol: string
  /** Explains the chosen instrument if the caller wrote it in another way. */
  readonly notes: ReadonlyArray<string>
}

type Failure = MarketError | ToolFailure

const isTicker = /^[A-Z0-9]{1,20}$/u
/** The form of Korean stock codes, which no coin has. */
const isKorean = /^\d{6}$/u

const others = { us: { country: "US", instead: "market kr" }, kr: { country: "KR", instead: "market us" } } as const

/** The maximum number of candidates in an error. */
const mostCandidates = 10

/** Returns coins that a wrong ticker may mean: their ticker or name contains it, or it contains their ticker. */
const likely = (asked: string, coins: ReadonlyArray<Coin>): ReadonlyArray<Coin> =>
  coins.filter(({ coin, delistedAt, name }) =>
    delistedAt === null && (name.toUpperCase().includes(asked) || coin.startsWith(asked) ||
      (coin.length > 2 && asked.includes(coin)))
  ).slice(0, mostCandidates)

const noCoin = (symbol: string, coins: ReadonlyArray<Coin>): Failure => {
  const found = likely(symbol, coins)
  if (found.length === 0) return new UnknownSymbol({ symbol })
  return new ToolFailure({
    code: "unknown_symbol",
    says: {
      key: "ambiguous_symbol",
      params: { name: symbol, candidates: found.map(({ coin, name }) => `${coin} (${name})`).join(", ") }
    },
    retryable: false,
    candidates: found.map(({ coin, name }) => ({ symbol: coin, name, exchange: "coin" }))
  })
}

const coinNamed = ({ prices }: Listings, asked: string): Effect.Effect<Coin, Failure> =>
  Effect.flatMap(prices.coins, ({ value: coins }) => {
    const named = coins.filter(({ delistedAt, name }) => delistedAt === null && name.toUpperCase() === asked)
    return named.length === 1 ? Effect.succeed(named[0]!) : Effect.fail(noCoin(asked, coins))
  })

const coinOf = (listings: Listings, asked: string): Effect.Effect<Coin, Failure> =>
  !isTicker.test(asked)
    ? coinNamed(listings, asked)
    : listings.prices.coin(asked).pipe(
      Effect.map(({ value }) => value),
      Effect.catchTag("UnknownSymbol", () => coinNamed(listings, asked))
    )

const isUnknown = (failure: Failure): boolean =>
  failure._tag === "UnknownSymbol" || (failure._tag === "ToolFailure" && failure.code === "unknown_symbol")

const watchedCoin = (asked: string, { coin, delistedAt, name }: Coin): Effect.Effect<Watched, NoData> =>
  delistedAt === null
    ? Effect.succeed({
      market: "coin",
      symbol: coin,
      notes: coin === asked ? [] : [`\`${asked}\` is taken for the coin ${coin}, ${name}.`]
    })
    : Effect.fail(
      new NoData({
        subject: coin,
        reason: {
          key: "none_after_delisting",
          params: { coin, since: new Date(delistedAt).toISOString().slice(0, 10) }
        }
      })
    )

/**
 * Finds a stock of the given market. Without a market, searches all stocks, and the stock's country determines the
 * market.
 */
const stockOf = ({ equities }: Listings, asked: string, market: "us" | "kr" | null) =>
  Effect.map(
    market === null ? findNamed(equities, asked) : findStock(equities, asked, others[market]),
    ({ notes, stock }): Watched => ({ market: stock.country === "US" ? "us" : "kr", symbol: stock.symbol, notes })
  )

/**
 * Fails for a name that is not a coin. If it is a stock, the error explains that the metric does not support stocks.
 */
const noStock = (
  listings: Listings,
  asked: string,
  metric: string,
  unknown: Failure
): Effect.Effect<never, Failure> =>
  Effect.matchEffect(stockOf(listings, asked, null), {
    onFailure: () => Effect.fail(unknown),
    onSuccess: ({ symbol }) =>
      Effect.fail(
        new ToolFailure({
          code: "unknown_symbol",
          says: { key: "watch_coins_only", params: { symbol, metric } },
          retryable: false
        })
      )
  })

/**
 * Finds the instrument of a watch. If no market is given, coins take precedence over stocks with the same ticker.
 * `coinsOnly` names a metric that only coins have.
 */
export const findWatched: (
  listings: Listings,
  asked: { readonly symbol: string; readonly market: WatchedMarket | null; readonly coinsOnly: string | null }
) => Effect.Effect<Watched, Failure> = Effect.fnUntraced(function*(listings, { coinsOnly, market, symbol: given }) {
  // People often write tickers as `$btc`.
  const asked = given.trim().replace(/^\$/u, "").normalize("NFC").toUpperCase()
  if (asked === "*") return { market: "coin", symbol: "*", notes: [] }
  if (market === "us" || market === "kr") return yield* stockOf(listings, asked, market)
  if (market === null && coinsOnly === null && isKorean.test(asked)) return yield* stockOf(listings, asked, "kr")
  const coin = Effect.flatMap(coinOf(listings, asked), (found) => watchedCoin(asked, found))
  if (coinsOnly !== null) {
    return yield* Effect.catchIf(coin, isUnknown, (unknown) => noStock(listings, asked, coinsOnly, unknown))
  }
  if (market === "coin") return yield* coin
  // If the name is neither, the error suggests coins, unless several stocks match.
  return yield* Effect.catchIf(
    coin,
    isUnknown,
    (unknown) => Effect.catchTag(stockOf(listings, asked, null), "UnknownSymbol", () => Effect.fail(unknown))
  )
})
