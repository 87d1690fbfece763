import { type Coin, NoData, type SourceUnavailable, UnknownSymbol } from "@tapeline/core/market"
import type { DocumentRow, MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { coinDocument, stockDocument } from "./documents.ts"
import { withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]

/** The stored facts of a coin, with their source and time. */
export interface StoredCoin extends Coin {
  /** The known end of the coin's market, which may be in the future. */
  readonly endsAt: number | null
  readonly source: string
  /** The time at which a coin's facts were requested from the source. */
  readonly fetchedAt: number
}

const toStoredCoin = (row: DocumentRow, now: number): Effect.Effect<StoredCoin, SourceUnavailable> =>
  Effect.map(coinDocument.decodeRow(row), ({ suppliedAt: _, ...facts }) => ({
    coin: row.key,
    ...facts,
    delistedAt: facts.delistedAt !== null && facts.delistedAt <= now ? facts.delistedAt : null,
    endsAt: facts.delistedAt,
    source: row.source,
    fetchedAt: Math.min(row.time, now)
  }))

/** Reads the facts of coins into a map by coin. If `coins` is undefined, reads all coins that were listed by now. */
export const readCoins = Effect.fnUntraced(function*(
  store: Store,
  coins?: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, StoredCoin>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* withReadErrors(
    store.documents({ kind: coinDocument.kind, ...(coins === undefined ? {} : { keys: coins }) })
  )
  const all = yield* Effect.forEach(rows.values(), (row) => toStoredCoin(row, now))
  return new Map(all.filter(({ listedAt }) => listedAt <= now || coins !== undefined).map((one) => [one.coin, one]))
})

export const toPortCoin = ({ endsAt: _, source: __, fetchedAt: ___, ...coin }: StoredCoin): Coin => coin

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export const beforeListingError = ({ coin, listedAt }: Pick<Coin, "coin" | "listedAt">): NoData =>
  new NoData({ subject: coin, reason: { key: "none_before_listing", params: { coin, since: dateOf(listedAt) } } })

export const afterDelistingError = (coin: string, delistedAt: number): NoData =>
  new NoData({ subject: coin, reason: { key: "none_after_delisting", params: { coin, since: dateOf(delistedAt) } } })

export const noneRecordedError = (symbol: string, what: string): NoData =>
  new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } })

type MarketLife = Pick<Coin, "coin" | "listedAt" | "delistedAt">

/** Returns the error that explains why a coin has no data in `[from, to)`. */
export const noDataError = (
  coin: MarketLife,
  what: string,
  { from, to }: { readonly from: number; readonly to: number }
) =>
  coin.delistedAt !== null && from >= coin.delistedAt
    ? afterDelistingError(coin.coin, coin.delistedAt)
    : to <= coin.listedAt
    ? beforeListingError(coin)
    : noneRecordedError(coin.coin, what)

export interface ListedCoinNow {
  readonly coin: StoredCoin
  readonly now: number
}

export const findListedCoin = Effect.fnUntraced(function*(
  store: Store,
  name: string
): Effect.fn.Return<ListedCoinNow, UnknownSymbol | NoData | SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const coin = (yield* readCoins(store, [name])).get(name)
  if (coin === undefined) return yield* new UnknownSymbol({ symbol: name })
  if (coin.listedAt > now) return yield* beforeListingError(coin)
  return { coin, now }
})

export const findTradingCoin = (store: Store, name: string) =>
  Effect.tap(
    findListedCoin(store, name),
    ({ coin }) => coin.delistedAt === null ? Effect.void : Effect.fail(afterDelistingError(name, coin.delistedAt))
  )

/**
 * Fails with `UnknownSymbol` if no country lists the stock or index. If the store contains no list of stocks, fails
 * with `NoData`.
 */
export const failUnknownStock = Effect.fnUntraced(function*(
  store: Store,
  symbol: string,
  what: string
): Effect.fn.Return<never, UnknownSymbol | NoData | SourceUnavailable> {
  const all = yield* withReadErrors(store.documents({ kind: stockDocument.kind }))
  return yield* all.size === 0 ? noneRecordedError(symbol, what) : new UnknownSymbol({ symbol })
})
