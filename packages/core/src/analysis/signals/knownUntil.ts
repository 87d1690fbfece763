import { hourMs } from "../../market/timeframe.ts"
import { lagMs } from "./lag.ts"

/** What was found of a coin's hours when it was read up to an hour. */
export interface FoundHours {
  readonly coin: string
  readonly listedAt: number
  readonly delistedAt: number | null
  /** Close of the newest hour that is recorded; undefined where none is. */
  readonly newest: number | undefined
}

/** How far what was read of several coins is known. */
export interface KnownUntil {
  /** The hour that all of it is known up to; undefined where hours were due and none is recorded. */
  readonly until: number | undefined
  /** Coins that trade and of which none of the last hours is recorded, though they were due. */
  readonly silent: ReadonlyArray<string>
}

/**
 * Up to when an answer is known that stands on the hours of these coins, read up to `to`: the last recorded hour of the
 * one that lags most among those that lag by no more than is waited for. The others are silent, and told by name.
 * What has died lags behind nobody while others live.
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
