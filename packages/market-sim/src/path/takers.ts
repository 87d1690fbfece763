/**
 * Divides the volume that takers bought in a bar among the bar's parts.
 *
 * For each log point of a price rise, takers buy a number of units beyond half of the volume. In intervals below an
 * hour, takers react one minute late, because otherwise each second would predict the price. In the last second of an
 * hour, takers trade the remaining price moves.
 *
 * The noise in the takers' share falls more slowly than the inverse root of the interval's length. Source: Lillo &
 * Farmer, "The long memory of the efficient market", Studies in Nonlinear Dynamics & Econometrics 8, 2004.
 */
import { apportionWithCapacities } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/Drivers.ts"
import type { BarPath, BarTrade, MutableBar } from "./model.ts"

const fiveMinuteSeconds = 300
const minuteSeconds = 60

/** The fraction of volume, beyond half, that takers buy in five minutes with a price rise of one standard deviation. */
const fiveMinuteTrendShare = 0.035
/** The standard deviation of the fraction of volume that takers buy in five minutes without a price change. */
const fiveMinuteNoise = 0.035
const maxNoise = 0.06
const persistence = 0.25
/** The maximum fraction of volume that settles earlier moves in the last seconds of an hour. */
const maxSettledShare = 0.3

/** Returns the standard deviation of the noise in the fraction of volume that takers buy. */
const getShareNoise = (seconds: number): number =>
  Math.min(maxNoise, fiveMinuteNoise * (fiveMinuteSeconds / seconds) ** persistence)

/** Sets the volume that takers bought in a bar without a parent bar, after the volume of the bar is known. */
export const setTakerBuyVolume = (bar: MutableBar, noise: number): void => {
  const { close, open, seconds, variance, volume } = bar
  bar.takerBuyPerLogPoint = fiveMinuteTrendShare * volume / Math.sqrt(variance * seconds / fiveMinuteSeconds)
  const wantedVolume = volume * (0.5 + getShareNoise(seconds) * noise) + bar.takerBuyPerLogPoint * (close - open)
  bar.takerBuyVolume = Math.round(Math.min(volume, Math.max(0, wantedVolume)))
  bar.pendingTakerBuy = 0
  bar.settledTakerBuy = 0
}

/** Returns the minimum fraction of a bar's volume in its last part, which must contain the settled units. */
export const getSettlingShare = ({ settledTakerBuy, volume }: BarTrade, partSeconds: number): number =>
  settledTakerBuy === 0 || partSeconds >= minuteSeconds
    ? 0
    : Math.min(1, Math.abs(settledTakerBuy) / (maxSettledShare * volume))

/** Returns the log return of the last minute of a five-minute bar, to which takers react only after the bar. */
const getLastMinuteReturn = ({ close, points }: BarPath): number => close - points.at(-2)!

/**
 * Sets the units that takers must buy in each part because of earlier price moves, with a settlement in the last part.
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

/** Returns the units beyond half of the volume that takers buy in a part because of price changes. */
const getPriceDrivenVolume = (part: MutableBar): number => {
  const { takerBuyPerLogPoint, close, open, pendingTakerBuy, seconds, settledTakerBuy } = part
  if (seconds > fiveMinuteSeconds) return takerBuyPerLogPoint * (close - open)
  return pendingTakerBuy + settledTakerBuy +
    (seconds === fiveMinuteSeconds ? takerBuyPerLogPoint * (close - open - getLastMinuteReturn(part)) : 0)
}

/**
 * Divides the volume that takers bought in a bar among its parts; a part with too little volume leaves units to later
 * parts.
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
