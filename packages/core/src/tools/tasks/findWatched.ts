import { Effect } from "effect"
import { findNamed, findStock } from "../../analysis/equities/findStock.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, UnknownSymbol } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { WatchedMarket } from "../../personal/tasks/spec.ts"

/** Where instruments are looked up. */
export interface Listings {
  readonly prices: CoinPrices["Service"]
  readonly equities: EquityMarkets["Service"]
}

/** An instrument as its market writes it. */
export interface Watched {
  readonly market: WatchedMarket
  readonly symbol: string
  /** Says what was taken, for who wrote it another way. */
  readonly notes: ReadonlyArray<string>
}

type Failure = MarketError | ToolFailure

const isTicker = /^[A-Z0-9]{1,20}$/u
/** As Korean stocks are written, and no coin is. */
const isKorean = /^\d{6}$/u

const others = { us: { country: "US", instead: "market kr" }, kr: { country: "KR", instead: "market us" } } as const

/** More candidates than these are no help. */
const mostCandidates = 10

/** Coins that a wrong ticker may mean: those whose ticker or name holds it, or that it holds. */
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

/** A stock of the market that was asked for; else of whichever, of which its country tells. */
const stockOf = ({ equities }: Listings, asked: string, market: "us" | "kr" | null) =>
  Effect.map(
    market === null ? findNamed(equities, asked) : findStock(equities, asked, others[market]),
    ({ notes, stock }): Watched => ({ market: stock.country === "US" ? "us" : "kr", symbol: stock.symbol, notes })
  )

/** What is no coin may be a stock, of which the metric tells nothing: that is said, not that nobody knows it. */
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
 * The instrument that a watch means, as its market writes it. Where nobody says the market, a ticker is a coin's
 * before it is a stock's. `coinsOnly` names a metric that only coins have.
 */
export const findWatched: (
  listings: Listings,
  asked: { readonly symbol: string; readonly market: WatchedMarket | null; readonly coinsOnly: string | null }
) => Effect.Effect<Watched, Failure> = Effect.fnUntraced(function*(listings, { coinsOnly, market, symbol: given }) {
  // `$btc` is how tickers are written among people.
  const asked = given.trim().replace(/^\$/u, "").normalize("NFC").toUpperCase()
  if (asked === "*") return { market: "coin", symbol: "*", notes: [] }
  if (market === "us" || market === "kr") return yield* stockOf(listings, asked, market)
  if (market === null && coinsOnly === null && isKorean.test(asked)) return yield* stockOf(listings, asked, "kr")
  const coin = Effect.flatMap(coinOf(listings, asked), (found) => watchedCoin(asked, found))
  if (coinsOnly !== null) {
    return yield* Effect.catchIf(coin, isUnknown, (unknown) => noStock(listings, asked, coinsOnly, unknown))
  }
  if (market === "coin") return yield* coin
  // Of neither kind: what coin may have been meant is told, unless several stocks may.
  return yield* Effect.catchIf(
    coin,
    isUnknown,
    (unknown) => Effect.catchTag(stockOf(listings, asked, null), "UnknownSymbol", () => Effect.fail(unknown))
  )
})
