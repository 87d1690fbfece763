import { dayMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type Answer, notRead } from "../source/index.ts"
import { coinUnitOf } from "../sources/coinUnit.ts"

/** The markets that a venue lists, as far as they can be read. */
export interface Listed<A> {
  readonly rows: ReadonlyArray<A>
  /** Rows that cannot be read and have no earlier value: by name, or by place if they have no name. */
  readonly unread: ReadonlyArray<string>
}

const isPlace = (row: string): boolean => /^\d+$/u.test(row)

/**
 * How long an unreadable row without a name may be any missing market. If the list has one for longer, it is ignored.
 */
const namelessMs = dayMs

/**
 * A list that is requested repeatedly. An unreadable row does not remove its market: the earlier value of the market is
 * kept. If there is no earlier value, it is unknown whether the market is listed. For a row without a name, this
 * applies to all missing markets for one day. Otherwise delisted markets would be kept for ever.
 */
export const remembering = <A extends { readonly symbol: string }>(
  ask: Effect.Effect<Answer<ReadonlyArray<A>>, SourceUnavailable>
): Effect.Effect<Listed<A>, SourceUnavailable> => {
  let before: ReadonlyMap<string, A> = new Map()
  let namelessSince: number | undefined
  return Effect.map(Effect.all([ask, Clock.currentTimeMillis]), ([{ leftOut = [], value }, time]) => {
    namelessSince = leftOut.some(isPlace) ? namelessSince ?? time : undefined
    const isNameless = namelessSince !== undefined && time - namelessSince < namelessMs
    const odd = isNameless ? leftOut : leftOut.filter((row) => !isPlace(row))
    const named = new Set(odd)
    const now = new Map(value.map((row) => [row.symbol, row]))
    for (const [symbol, row] of before) {
      if (!now.has(symbol) && (isNameless || named.has(symbol))) now.set(symbol, row)
    }
    before = now
    return { rows: [...now.values()], unread: odd.filter((row) => !now.has(row)) }
  })
}

/**
 * Whether a row is a market or the perpetual of a coin, by the venues' names: `BTCUSDT`, `BTC-USDT-SWAP`,
 * `1000PEPEUSDT`, `KRW-BTC`.
 */
const isNameOf = (row: string, coin: string): boolean => {
  const asset = (/^KRW-(.+)$/u.exec(row) ?? /^(.+?)-?USDT(?:-SWAP)?$/u.exec(row))?.[1]
  return asset !== undefined && (asset === coin || coinUnitOf(asset).coin === coin)
}

/** Whether an unreadable row may be of a coin: by its name, or because it has no name. */
export const mayBeUnread = ({ unread }: Pick<Listed<unknown>, "unread">, coin: string): boolean =>
  unread.some((row) => isPlace(row) || isNameOf(row, coin))

/** The listed markets, by coin. */
export interface ListedCoins<A> extends Pick<Listed<A>, "unread"> {
  readonly all: ReadonlyMap<string, A>
}

/**
 * Returns the listed markets of some coins; null if none is listed. Fails if it is unknown because of an unreadable
 * row.
 */
export const listedOf = <A>(
  source: string,
  { all, unread }: ListedCoins<A>,
  coins: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<A> | null, SourceUnavailable> => {
  const found = coins.flatMap((coin) => all.get(coin) ?? [])
  if (found.length > 0) return Effect.succeed(found)
  const unknown = coins.find((coin) => mayBeUnread({ unread }, coin))
  return unknown === undefined ? Effect.succeed(null) : Effect.fail(notRead(source, unknown))
}
