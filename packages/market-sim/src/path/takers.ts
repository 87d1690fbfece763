/**
 * The volume that takers bought in a bar, and its division among the bar's parts.
 *
 * Takers follow the price: for each log point of a rise, they buy a number of units beyond half of the volume. Below an
 * hour they follow one minute late. The reason is that a price moves with the root of time, and volume in proportion to
 * time. No share of a second's volume could reflect the second's own move. Other seconds, also earlier ones, would have
 * to supply the difference, so each second would predict the price. Moves that takers have not followed by the end of
 * an hour are traded in its last second. The amount bought by any time therefore depends only on earlier prices,
 * volumes and noise. Still, the share of an hour needs only the hour's two ends.
 *
 * The noise persists: its share falls more slowly with the length of the interval than the root of time. Source: Lillo
 * & Farmer, "The long memory of the efficient market", Studies in Nonlinear Dynamics & Econometrics 8, 2004.
 */
import { apportionWithCapacities } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/Drivers.ts"
import type { BarPath, BarTrade, MutableBar } from "./model.ts"

const fiveMinuteSeconds = 300
const minuteSeconds = 60

/** The takers' share beyond half in a typical five minutes in which the price rises by its standard deviation. */
const fiveMinuteTrendShare = 0.035
/** The standard deviation of the takers' share in five minutes without a price change. */
const fiveMinuteNoise = 0.035
const maxNoise = 0.06
const persistence = 0.25
/** The maximum share of the volume of an hour's last seconds that settles earlier moves. */
const maxSettledShare = 0.3

/** The standard deviation of the noise in the share of an interval. */
const getShareNoise = (seconds: number): number =>
  Math.min(maxNoise, fiveMinuteNoise * (fiveMinuteSeconds / seconds) ** persistence)

/** Sets the bought volume of a bar that is not part of another bar. The bar's volume is known. */
export const setTakerBuyVolume = (bar: MutableBar, noise: number): void => {
  const { close, open, seconds, variance, volume } = bar
  bar.takerBuyPerLogPoint = fiveMinuteTrendShare * volume / Math.sqrt(variance * seconds / fiveMinuteSeconds)
  const wantedVolume = volume * (0.5 + getShareNoise(seconds) * noise) + bar.takerBuyPerLogPoint * (close - open)
  bar.takerBuyVolume = Math.round(Math.min(volume, Math.max(0, wantedVolume)))
  bar.pendingTakerBuy = 0
  bar.settledTakerBuy = 0
}

/** The share of a bar's volume that its last part must have, so that the settled units have a counterpart. */
export const getSettlingShare = ({ settledTakerBuy, volume }: BarTrade, partSeconds: number): number =>
  settledTakerBuy === 0 || partSeconds >= minuteSeconds
    ? 0
    : Math.min(1, Math.abs(settledTakerBuy) / (maxSettledShare * volume))

/** The log return of the last minute of a five-minute bar. Takers have not followed it at the bar's end. */
const getLastMinuteReturn = ({ close, points }: BarPath): number => close - points.at(-2)!

/**
 * Sets `takerBuyPerLogPoint`, `owed` and `settled` of the parts: earlier moves to follow at their start, and own moves
 * to settle at their end.
 */
const distributePendingVolume = (bar: BarTrade, parts: ReadonlyArray<MutableBar>): void => {
  const seconds = parts[0]!.seconds
  const isFollowingLate = seconds === fiveMinuteSeconds || seconds === minuteSeconds
  let owed = isFollowingLate ? bar.pendingTakerBuy : 0
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    part.takerBuyPerLogPoint = bar.takerBuyPerLogPoint
    part.pendingTakerBuy = owed
    part.settledTakerBuy = 0
    if (isFollowingLate) {
      owed = bar.takerBuyPerLogPoint * (seconds === minuteSeconds ? part.close - part.open : getLastMinuteReturn(part))
    }
  }
  if (seconds <= fiveMinuteSeconds) {
    parts.at(-1)!.settledTakerBuy = seconds === fiveMinuteSeconds
      ? owed
      : bar.settledTakerBuy
  }
}

/** The units over half that takers buy in a part because of price changes. */
const getPriceDrivenVolume = (part: MutableBar): number => {
  const { takerBuyPerLogPoint, close, open, pendingTakerBuy, seconds, settledTakerBuy } = part
  if (seconds > fiveMinuteSeconds) return takerBuyPerLogPoint * (close - open)
  return pendingTakerBuy + settledTakerBuy +
    (seconds === fiveMinuteSeconds ? takerBuyPerLogPoint * (close - open - getLastMinuteReturn(part)) : 0)
}

/**
 * Sets the bought volume of each part, so that they add up to the whole. The parts' volumes are known. A part whose
 * volume is too small leaves the rest to later parts.
 */
export const divideTakerBuyVolume = (
  bar: BarTrade,
  parts: ReadonlyArray<MutableBar>,
  draws: Draws,
  firstSlot: number,
  slotStep: number
): void => {
  distributePendingVolume(bar, parts)
  const volumes: Array<number> = []
  const wantedVolumes: Array<number> = []
  let remaining = bar.takerBuyVolume
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    volumes.push(part.volume)
    wantedVolumes.push(
      part.volume * (0.5 + getShareNoise(part.seconds) * draws.normal(firstSlot + slotStep * i)) +
        getPriceDrivenVolume(part)
    )
    remaining -= wantedVolumes[i]!
  }
  const remainingPerUnit = bar.volume > 0 ? remaining / bar.volume : 0
  for (let i = 0; i < parts.length; i++) wantedVolumes[i]! += remainingPerUnit * volumes[i]!
  const bought = apportionWithCapacities(bar.takerBuyVolume, wantedVolumes, volumes)
  for (let i = 0; i < parts.length; i++) parts[i]!.takerBuyVolume = bought[i]!
}
