import { type Coin, NoData, type SourceUnavailable, UnknownSymbol } from "@tapeline/core/market"
import type { DocumentRow, MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { asked } from "./asking.ts"
import { coinDocument, stockDocument } from "./documents.ts"

type Store = MarketStore["Service"]

/** A coin's stored facts, with their source and time. */
export interface StoredCoin extends Coin {
  /** The known end of the coin's market, even if it is in the future. */
  readonly endAt: number | null
  readonly source: string
  /** When the source was requested. */
  readonly toldAt: number
}

const coinOf = (row: DocumentRow, now: number): Effect.Effect<StoredCoin, SourceUnavailable> =>
  Effect.map(coinDocument.valueOf(row), ({ suppliedAt: _, ...facts }) => ({
    coin: row.key,
    ...facts,
    delistedAt: facts.delistedAt !== null && facts.delistedAt <= now ? facts.delistedAt : null,
    endAt: facts.delistedAt,
    source: row.source,
    toldAt: Math.min(row.time, now)
  }))

/** Reads the facts of the named coins, or of all coins that are listed by now, by coin. */
export const storedCoins = Effect.fnUntraced(function*(
  store: Store,
  coins?: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, StoredCoin>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* asked(
    store.documents({ kind: coinDocument.kind, ...(coins === undefined ? {} : { keys: coins }) })
  )
  const all = yield* Effect.forEach(rows.values(), (row) => coinOf(row, now))
  return new Map(all.filter(({ listedAt }) => listedAt <= now || coins !== undefined).map((one) => [one.coin, one]))
})

/** The facts in the form of the port. */
export const factsOf = ({ endAt: _, source: __, toldAt: ___, ...coin }: StoredCoin): Coin => coin

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export const beforeListing = ({ coin, listedAt }: Pick<Coin, "coin" | "listedAt">): NoData =>
  new NoData({ subject: coin, reason: { key: "none_before_listing", params: { coin, since: dateOf(listedAt) } } })

export const afterDelisting = (coin: string, delistedAt: number): NoData =>
  new NoData({ subject: coin, reason: { key: "none_after_delisting", params: { coin, since: dateOf(delistedAt) } } })

export const noneRecorded = (symbol: string, what: string): NoData =>
  new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } })

/** The time in which a coin's market exists. */
type Life = Pick<Coin, "coin" | "listedAt" | "delistedAt">

/** Explains why there is no data of a coin in `[from, to)`. */
export const nothingOf = (coin: Life, what: string, { from, to }: { readonly from: number; readonly to: number }) =>
  coin.delistedAt !== null && from >= coin.delistedAt
    ? afterDelisting(coin.coin, coin.delistedAt)
    : to <= coin.listedAt
    ? beforeListing(coin)
    : noneRecorded(coin.coin, what)

/** A coin that is listed by now, and the present time. */
export interface Listed {
  readonly coin: StoredCoin
  readonly now: number
}

/** Finds a coin that is listed by now. */
export const listedCoin = Effect.fnUntraced(function*(
  store: Store,
  name: string
): Effect.fn.Return<Listed, UnknownSymbol | NoData | SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const coin = (yield* storedCoins(store, [name])).get(name)
  if (coin === undefined) return yield* new UnknownSymbol({ symbol: name })
  if (coin.listedAt > now) return yield* beforeListing(coin)
  return { coin, now }
})

/** Finds a coin that trades now. */
export const tradingCoin = (store: Store, name: string) =>
  Effect.tap(
    listedCoin(store, name),
    ({ coin }) => coin.delistedAt === null ? Effect.void : Effect.fail(afterDelisting(name, coin.delistedAt))
  )

/**
 * Fails for a stock or index that no country lists. If no list was ever recorded, it fails with `NoData`, because the
 * symbol may exist.
 */
export const unknownStock = Effect.fnUntraced(function*(
  store: Store,
  symbol: string,
  what: string
): Effect.fn.Return<never, UnknownSymbol | NoData | SourceUnavailable> {
  const all = yield* asked(store.documents({ kind: stockDocument.kind }))
  return yield* all.size === 0 ? noneRecorded(symbol, what) : new UnknownSymbol({ symbol })
})
