import { hourMs } from "../../market/timeframe.ts"
import { lagMs } from "./lag.ts"

/** The recorded hours of a coin, read up to some hour. */
export interface FoundHours {
  readonly coin: string
  readonly listedAt: number
  readonly delistedAt: number | null
  /** The close of the newest recorded hour. Undefined if no hour is recorded. */
  readonly newest: number | undefined
}

/** The time up to which the data of several coins are known. */
export interface KnownUntil {
  /** The hour up to which all data are known. Undefined if hours were due and no hour is recorded. */
  readonly until: number | undefined
  /** Trading coins without a recorded hour among the last hours, although some were due. */
  readonly silent: ReadonlyArray<string>
}

/**
 * Returns the time up to which a result on the hours of these coins is known, read up to `to`. It is the last recorded
 * hour of the coin with the largest permitted lag. Coins with a larger lag are listed in `silent`. Delisted coins do
 * not count while others trade.
 */
export const knownUntil = (coins: ReadonlyArray<FoundHours>, to: number): KnownUntil => {
  const trades = ({ delistedAt }: FoundHours): boolean =>
    delistedAt === null || Math.ceil(delistedAt / hourMs) * hourMs > to
  const silent = coins.filter((one) =>
    trades(one) && one.listedAt <= to - lagMs && (one.newest === undefined || to - one.newest >= lagMs)
  )
  const newestOf = (some: ReadonlyArray<FoundHours>) => some.flatMap(({ newest }) => newest ?? [])
  const living = newestOf(coins.filter(trades))
  const hours = living.length > 0 ? living : newestOf(coins)
  const newest = hours.reduce((a, b) => Math.max(a, b), -Infinity)
  const until = hours.filter((hour) => newest - hour < lagMs).reduce((a, b) => Math.min(a, b), Infinity)
  return {
    until: hours.length > 0 ? until : silent.length > 0 ? undefined : to,
    silent: silent.map(({ coin }) => coin)
  }
}
