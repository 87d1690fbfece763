/**
 * Divides the volume that takers bought in a bar among the bar's parts.
 *
 * When the price rises, takers buy more than half of the volume. The volume in excess of half is proportional to the
 * price rise. In bars shorter than an hour, takers react to price moves one minute late. Without the delay of one
 * minute, the volume that takers buy in a second would predict the price. In the last second of an hour, takers react
 * immediately to the price moves of the last minute.
 *
 * In longer bars, the share of volume that takers buy is less random. Source: Lillo & Farmer, "The long memory of the
 * efficient market", Studies in Nonlinear Dynamics & Econometrics 8, 2004.
 */
import { apportionWithCapacities } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/Drivers.ts"
import type { BarPath, BarTrade, MutableBar } from "./model.ts"

const fiveMinuteSeconds = 300
const minuteSeconds = 60

/**
 * The fraction of volume that takers buy in excess of half the volume, if the price rises by one standard deviation in
 * five minutes.
 */
const fiveMinuteTrendShare = 0.035
/**
 * The standard deviation of the fraction of volume that takers buy, over five minutes in which the price does not
 * change.
 */
const fiveMinuteNoise = 0.035
const maxNoise = 0.06
// An exponent of 0.5 would mean that the noise of successive bars is independent.
const persistence = 0.25
/** In the last seconds of an hour, takers trade at most this fraction of the volume because of earlier price moves. */
const maxSettledShare = 0.3

/** Returns the standard deviation of the fraction of volume that takers buy, for a bar of `seconds` seconds. */
const getShareNoise = (seconds: number): number =>
  Math.min(maxNoise, fiveMinuteNoise * (fiveMinuteSeconds / seconds) ** persistence)

/**
 * Sets the volume that takers bought in a bar that is not part of another bar. The caller must set the volume of the
 * bar first.
 */
export const setTakerBuyVolume = (bar: MutableBar, noise: number): void => {
  const { close, open, seconds, variance, volume } = bar
  bar.takerBuyPerLogPoint = fiveMinuteTrendShare * volume / Math.sqrt(variance * seconds / fiveMinuteSeconds)
  const wantedVolume = volume * (0.5 + getShareNoise(seconds) * noise) + bar.takerBuyPerLogPoint * (close - open)
  bar.takerBuyVolume = Math.round(Math.min(volume, Math.max(0, wantedVolume)))
  bar.pendingTakerBuy = 0
  bar.settledTakerBuy = 0
}

/** Returns the minimum fraction of a bar's volume that its last part must receive. */
export const getSettlingShare = ({ settledTakerBuy, volume }: BarTrade, partSeconds: number): number =>
  settledTakerBuy === 0 || partSeconds >= minuteSeconds
    ? 0
    : Math.min(1, Math.abs(settledTakerBuy) / (maxSettledShare * volume))

/** Returns the log return of the last minute of a five-minute bar. */
const getLastMinuteReturn = ({ close, points }: BarPath): number => close - points.at(-2)!

/** Sets the units that takers must buy in each part because of earlier price moves. */
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

/** Returns the units that takers buy in a part of a bar because of price changes. Negative units are sold. */
const getPriceDrivenVolume = (part: MutableBar): number => {
  const { takerBuyPerLogPoint, close, open, pendingTakerBuy, seconds, settledTakerBuy } = part
  if (seconds > fiveMinuteSeconds) return takerBuyPerLogPoint * (close - open)
  return pendingTakerBuy + settledTakerBuy +
    (seconds === fiveMinuteSeconds ? takerBuyPerLogPoint * (close - open - getLastMinuteReturn(part)) : 0)
}

/**
 * Divides the volume that takers bought in a bar among its parts. If a part has too little volume, later parts receive
 * its remaining units.
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
