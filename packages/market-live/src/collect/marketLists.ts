import { dayMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type SourceResponse, unreadableRow } from "../source/index.ts"
import { coinUnitOf } from "../venues/contracts.ts"

/** The markets that a venue lists, as far as they can be read. */
export interface MarketList<A> {
  readonly rows: ReadonlyArray<A>
  /** Rows that cannot be read and have no earlier value: by name, or by place if they have no name. */
  readonly unreadable: ReadonlyArray<string>
}

const isRowNumber = (row: string): boolean => /^\d+$/u.test(row)

/**
 * How long an unreadable row without a name may be any missing market. If the list has one for longer, it is ignored.
 */
const namelessGraceMs = dayMs

/**
 * A list that is requested repeatedly. An unreadable row does not remove its market: the earlier value of the market is
 * kept. If there is no earlier value, it is unknown whether the market is listed. For a row without a name, this
 * applies to all missing markets for one day. Otherwise delisted markets would be kept for ever.
 */
export const rememberMarkets = <A extends { readonly symbol: string }>(
  fetch: Effect.Effect<SourceResponse<ReadonlyArray<A>>, SourceUnavailable>
): Effect.Effect<MarketList<A>, SourceUnavailable> => {
  let previous: ReadonlyMap<string, A> = new Map()
  let namelessSince: number | undefined
  return Effect.map(Effect.all([fetch, Clock.currentTimeMillis]), ([{ skippedRows = [], value }, time]) => {
    namelessSince = skippedRows.some(isRowNumber) ? namelessSince ?? time : undefined
    const isNameless = namelessSince !== undefined && time - namelessSince < namelessGraceMs
    const unreadableRows = isNameless ? skippedRows : skippedRows.filter((row) => !isRowNumber(row))
    const named = new Set(unreadableRows)
    const current = new Map(value.map((row) => [row.symbol, row]))
    for (const [symbol, row] of previous) {
      if (!current.has(symbol) && (isNameless || named.has(symbol))) current.set(symbol, row)
    }
    previous = current
    return { rows: [...current.values()], unreadable: unreadableRows.filter((row) => !current.has(row)) }
  })
}

/**
 * Whether a row is a market or the perpetual of a coin, by the venues' names: `BTCUSDT`, `BTC-USDT-SWAP`,
 * `1000PEPEUSDT`, `KRW-BTC`.
 */
const isMarketOf = (row: string, coin: string): boolean => {
  const asset = (/^KRW-(.+)$/u.exec(row) ?? /^(.+?)-?USDT(?:-SWAP)?$/u.exec(row))?.[1]
  return asset !== undefined && (asset === coin || coinUnitOf(asset).coin === coin)
}

/** Whether an unreadable row may be of a coin: by its name, or because it has no name. */
export const mayBeUnreadable = ({ unreadable }: Pick<MarketList<unknown>, "unreadable">, coin: string): boolean =>
  unreadable.some((row) => isRowNumber(row) || isMarketOf(row, coin))

/** The listed markets, by coin. */
export interface MarketsByCoin<A> extends Pick<MarketList<A>, "unreadable"> {
  readonly all: ReadonlyMap<string, A>
}

/**
 * Returns the listed markets of some coins; null if none is listed. Fails if it is unknown because of an unreadable
 * row.
 */
export const findListed = <A>(
  source: string,
  { all, unreadable }: MarketsByCoin<A>,
  coins: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<A> | null, SourceUnavailable> => {
  const found = coins.flatMap((coin) => all.get(coin) ?? [])
  if (found.length > 0) return Effect.succeed(found)
  const unknown = coins.find((coin) => mayBeUnreadable({ unreadable }, coin))
  return unknown === undefined ? Effect.succeed(null) : Effect.fail(unreadableRow(source, unknown))
}
