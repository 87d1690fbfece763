import { dayMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type SourceResponse, unreadableRow } from "../source/index.ts"
import { coinUnitOf } from "../venues/contracts.ts"

/** The markets that a venue lists. Unreadable rows of the venue's list are omitted. */
export interface MarketList<A> {
  readonly rows: ReadonlyArray<A>
  /**
   * The unreadable rows for which no earlier value is known. Each unreadable row is represented by its name, or by its
   * number if the row has no name.
   */
  readonly unreadable: ReadonlyArray<string>
}

const isRowNumber = (row: string): boolean => /^\d+$/u.test(row)

/** The maximum time for which missing markets are kept after an unreadable row without a name. */
const namelessGraceMs = dayMs

/**
 * Returns an effect that fetches a market list. If a market's row is unreadable, the list contains the earlier value of
 * the market.
 *
 * An unreadable row without a name may describe any missing market. After a response with an unnamed unreadable row,
 * all missing markets keep their earlier values for at most one day.
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
 * Returns whether a row is a market of the coin, by the names that venues use: `BTCUSDT`, `BTC-USDT-SWAP`,
 * `1000PEPEUSDT`, `KRW-BTC`.
 */
const isMarketOf = (row: string, coin: string): boolean => {
  const asset = (/^KRW-(.+)$/u.exec(row) ?? /^(.+?)-?USDT(?:-SWAP)?$/u.exec(row))?.[1]
  return asset !== undefined && (asset === coin || coinUnitOf(asset).coin === coin)
}

/**
 * Returns whether an unreadable row may describe a market of the coin. An unreadable row without a name may describe
 * any market.
 */
export const mayBeUnreadable = ({ unreadable }: Pick<MarketList<unknown>, "unreadable">, coin: string): boolean =>
  unreadable.some((row) => isRowNumber(row) || isMarketOf(row, coin))

export interface MarketsByCoin<A> extends Pick<MarketList<A>, "unreadable"> {
  readonly all: ReadonlyMap<string, A>
}

/**
 * Returns the listed markets of the coins, or null if no coin is listed. Fails if no coin is listed, but an unreadable
 * row may be one of the coins' markets.
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
