import { Effect } from "effect"
import { findStock, findStockByName } from "../../analysis/equities/findStock.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, UnknownSymbol } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { WatchedMarket, WatchSpec } from "../../personal/tasks/task.ts"
import type { TaskTrigger } from "../../personal/tasks/taskChange.ts"
import type { SpecArgument } from "./arguments.ts"

export interface Listings {
  readonly prices: CoinPrices["Service"]
  readonly equities: EquityMarkets["Service"]
}

/** An instrument of a market. The symbol has the market's own spelling. */
export interface WatchedInstrument {
  readonly market: WatchedMarket
  readonly symbol: string
  /** Notes that explain how the caller's text was understood. */
  readonly notes: ReadonlyArray<string>
}

type Failure = MarketError | ToolFailure

const tickerPattern = /^[A-Z0-9]{1,20}$/u
/** Matches Korean stock codes, which no coin uses as its symbol. */
const koreanCodePattern = /^\d{6}$/u

const lookupOptions = {
  us: { country: "US", otherTool: "market kr" },
  kr: { country: "KR", otherTool: "market us" }
} as const

const maxCandidates = 10

/** Returns the coins that an unknown ticker may mean, by their tickers and names. */
const findCandidates = (requested: string, coins: ReadonlyArray<Coin>): ReadonlyArray<Coin> =>
  coins.filter(({ coin, delistedAt, name }) =>
    delistedAt === null && (name.toUpperCase().includes(requested) || coin.startsWith(requested) ||
      (coin.length > 2 && requested.includes(coin)))
  ).slice(0, maxCandidates)

const makeUnknownCoin = (symbol: string, coins: ReadonlyArray<Coin>): Failure => {
  const candidates = findCandidates(symbol, coins)
  if (candidates.length === 0) return new UnknownSymbol({ symbol })
  return new ToolFailure({
    code: "unknown_symbol",
    callerMessage: {
      key: "ambiguous_symbol",
      params: { name: symbol, candidates: candidates.map(({ coin, name }) => `${coin} (${name})`).join(", ") }
    },
    retryable: false,
    candidates: candidates.map(({ coin, name }) => ({ symbol: coin, name, exchange: "coin" }))
  })
}

const findCoinByName = ({ prices }: Listings, requested: string): Effect.Effect<Coin, Failure> =>
  Effect.flatMap(prices.coins, ({ value: coins }) => {
    const coinsWithName = coins.filter(({ delistedAt, name }) =>
      delistedAt === null && name.toUpperCase() === requested
    )
    return coinsWithName.length === 1
      ? Effect.succeed(coinsWithName[0]!)
      : Effect.fail(makeUnknownCoin(requested, coins))
  })

const findCoin = (listings: Listings, requested: string): Effect.Effect<Coin, Failure> =>
  !tickerPattern.test(requested)
    ? findCoinByName(listings, requested)
    : listings.prices.coin(requested).pipe(
      Effect.map(({ value }) => value),
      Effect.catchTag("UnknownSymbol", () => findCoinByName(listings, requested))
    )

const isUnknown = (failure: Failure): boolean =>
  failure._tag === "UnknownSymbol" || (failure._tag === "ToolFailure" && failure.code === "unknown_symbol")

const toWatchedCoin = (requested: string, { coin, delistedAt, name }: Coin): Effect.Effect<WatchedInstrument, NoData> =>
  delistedAt === null
    ? Effect.succeed({
      market: "coin",
      symbol: coin,
      notes: coin === requested ? [] : [`\`${requested}\` was read as the coin ${coin}, ${name}.`]
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

/** Finds a stock of the given market, or of any country if `market` is null. */
const findWatchedStock = ({ equities }: Listings, requested: string, market: "us" | "kr" | null) =>
  Effect.map(
    market === null ? findStockByName(equities, requested) : findStock(equities, requested, lookupOptions[market]),
    ({ notes, stock }): WatchedInstrument => ({
      market: stock.country === "US" ? "us" : "kr",
      symbol: stock.symbol,
      notes
    })
  )

/** Fails because a name is not a coin. If the name is a stock, the message says that `metric` needs a coin. */
const failNotACoin = (
  listings: Listings,
  requested: string,
  metric: string,
  unknown: Failure
): Effect.Effect<never, Failure> =>
  Effect.matchEffect(findWatchedStock(listings, requested, null), {
    onFailure: () => Effect.fail(unknown),
    onSuccess: ({ symbol }) =>
      Effect.fail(
        new ToolFailure({
          code: "unknown_symbol",
          callerMessage: { key: "watch_coins_only", params: { symbol, metric } },
          retryable: false
        })
      )
  })

/**
 * Finds the instrument of a watch. If no market is given, coins take precedence over stocks with equal tickers.
 * `coinsOnly` is the metric's name if the metric supports only coins, and null for other metrics.
 */
export const findWatchedInstrument: (
  listings: Listings,
  request: { readonly symbol: string; readonly market: WatchedMarket | null; readonly coinsOnly: string | null }
) => Effect.Effect<WatchedInstrument, Failure> = Effect.fnUntraced(
  function*(listings, { coinsOnly, market, symbol: requestedSymbol }) {
    // People often write tickers as `$btc`.
    const requested = requestedSymbol.trim().replace(/^\$/u, "").normalize("NFC").toUpperCase()
    if (requested === "*") return { market: "coin", symbol: "*", notes: [] }
    if (market === "us" || market === "kr") return yield* findWatchedStock(listings, requested, market)
    if (market === null && coinsOnly === null && koreanCodePattern.test(requested)) {
      return yield* findWatchedStock(listings, requested, "kr")
    }
    const coin = Effect.flatMap(findCoin(listings, requested), (foundCoin) => toWatchedCoin(requested, foundCoin))
    if (coinsOnly !== null) {
      return yield* Effect.catchIf(coin, isUnknown, (unknown) => failNotACoin(listings, requested, coinsOnly, unknown))
    }
    if (market === "coin") return yield* coin
    // If the name is neither a coin nor a stock, the error suggests coins, unless several stocks match.
    return yield* Effect.catchIf(
      coin,
      isUnknown,
      (unknown) =>
        Effect.catchTag(findWatchedStock(listings, requested, null), "UnknownSymbol", () => Effect.fail(unknown))
    )
  }
)

const toWatchSpec = (
  { dir, metric, op, value }: SpecArgument,
  market: WatchedMarket,
  symbol: string
): WatchSpec | null => {
  switch (metric) {
    case "price":
      return op === undefined || value === undefined ? null : { metric, market, symbol, op, value }
    case "score":
      return op === undefined || value === undefined ? null : { metric, market: "coin", symbol, op, value }
    case "vwap_cross":
      return dir === undefined ? null : { metric, market, symbol, dir }
    case "gap":
      return value === undefined ? null : { metric, market, symbol, value }
    default:
      return null
  }
}

/** Converts the `spec` argument to a watch or a schedule, with the symbol as its market writes the symbol. */
export const readTrigger: (listings: Listings, spec: SpecArgument) => Effect.Effect<
  { readonly trigger: TaskTrigger; readonly notes: ReadonlyArray<string> },
  MarketError | ToolFailure
> = Effect.fnUntraced(function*(listings, spec) {
  const { at, every_min, market = null, metric, symbol = "", tz_offset_hours = 0 } = spec
  if (at !== undefined) return { trigger: { kind: "schedule", spec: { at, tz_offset_hours } }, notes: [] }
  if (every_min !== undefined) return { trigger: { kind: "schedule", spec: { every_min } }, notes: [] }
  const coinsOnly = metric === "score" || metric === "vwap_cross" ? metric : null
  const watched = yield* findWatchedInstrument(listings, { symbol, market, coinsOnly })
  const watch = toWatchSpec(spec, watched.market, watched.symbol)
  if (watch === null) return yield* Effect.die(new Error("a spec that passed its schema must be complete"))
  return { trigger: { kind: "watch", spec: watch }, notes: watched.notes }
})
