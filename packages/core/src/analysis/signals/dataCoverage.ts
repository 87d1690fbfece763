import { hourMs } from "../../market/timeframe.ts"
import { maxLagMs } from "./readings.ts"

export interface RecordedHours {
  readonly coin: string
  readonly listedAt: number
  readonly delistedAt: number | null
  /** The close of the newest recorded hour, in epoch ms; undefined if no hour is recorded. */
  readonly newestClose: number | undefined
}

/** The time up to which the data of several coins are recorded. */
export interface KnownUntil {
  /**
   * The time up to which the data of the coins are recorded, in epoch ms. `until` is undefined if at least one hour was
   * due, but no hour is recorded.
   */
  readonly until: number | undefined
  /** The trading coins that have no recorded data in the last hours. The list omits newly listed coins. */
  readonly coinsWithoutData: ReadonlyArray<string>
}

/**
 * Returns the newest recorded hour of the coin whose recording lags most. Coins whose recording lags by `maxLagMs` or
 * more are ignored. Delisted coins are ignored while other coins trade.
 */
export const findKnownUntil = (coins: ReadonlyArray<RecordedHours>, to: number): KnownUntil => {
  const isTrading = ({ delistedAt }: RecordedHours): boolean =>
    delistedAt === null || Math.ceil(delistedAt / hourMs) * hourMs > to
  const coinsWithoutData = coins.filter((recorded) =>
    isTrading(recorded) && recorded.listedAt <= to - maxLagMs &&
    (recorded.newestClose === undefined || to - recorded.newestClose >= maxLagMs)
  )
  const getNewestCloses = (subset: ReadonlyArray<RecordedHours>) =>
    subset.flatMap(({ newestClose }) => newestClose ?? [])
  const tradingHours = getNewestCloses(coins.filter(isTrading))
  const hours = tradingHours.length > 0 ? tradingHours : getNewestCloses(coins)
  const newest = hours.reduce((a, b) => Math.max(a, b), -Infinity)
  const until = hours.filter((hour) => newest - hour < maxLagMs).reduce((a, b) => Math.min(a, b), Infinity)
  return {
    until: hours.length > 0 ? until : coinsWithoutData.length > 0 ? undefined : to,
    coinsWithoutData: coinsWithoutData.map(({ coin }) => coin)
  }
}
