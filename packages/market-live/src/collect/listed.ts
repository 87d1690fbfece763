import { dayMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type Answer, notRead } from "../source/index.ts"
import { coinUnitOf } from "../sources/coinUnit.ts"

/** What a venue lists, as far as it can be read. */
export interface Listed<A> {
  readonly rows: ReadonlyArray<A>
  /** Rows of which nothing is known, by their names, or by their places where they have none. */
  readonly unread: ReadonlyArray<string>
}

const isPlace = (row: string): boolean => /^\d+$/u.test(row)

/** So long a row without a name may be of whatever is missing; where the list goes on having one, it is of nothing. */
const namelessMs = dayMs

/**
 * A list that is asked for again and again. One odd row of it says nothing of what it is about: what was told of that
 * before holds, and where nothing was, it is not known whether it is listed. Of a row without a name that is so for a
 * day: what is not listed any more would be kept for ever else.
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

/** As venues name a coin's markets and its perpetual: `BTCUSDT`, `BTC-USDT-SWAP`, `1000PEPEUSDT`, `KRW-BTC`. */
const isNameOf = (row: string, coin: string): boolean => {
  const asset = (/^KRW-(.+)$/u.exec(row) ?? /^(.+?)-?USDT(?:-SWAP)?$/u.exec(row))?.[1]
  return asset !== undefined && (asset === coin || coinUnitOf(asset).coin === coin)
}

/** Whether a row that cannot be read may be of a coin: by its name, or since it has none. */
export const mayBeUnread = ({ unread }: Pick<Listed<unknown>, "unread">, coin: string): boolean =>
  unread.some((row) => isPlace(row) || isNameOf(row, coin))

/** What is listed of coins, by coin. */
export interface ListedCoins<A> extends Pick<Listed<A>, "unread"> {
  readonly all: ReadonlyMap<string, A>
}

/** What is listed of each of some coins; null where none of them is. Fails where that is not known. */
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
