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
import { apportionWithin } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/factors.ts"
import type { Draft, Path, Trade } from "./model.ts"

const fiveMinutes = 300
const minute = 60

/** The takers' share beyond half in a typical five minutes in which the price rises by its standard deviation. */
const fiveMinuteLean = 0.035
/** The standard deviation of the takers' share in five minutes without a price change. */
const fiveMinuteNoise = 0.035
const mostNoise = 0.06
const persistence = 0.25
/** The maximum share of the volume of an hour's last seconds that settles earlier moves. */
const mostSettled = 0.3

/** The standard deviation of the noise in the share of an interval. */
const noiseOf = (seconds: number): number =>
  Math.min(mostNoise, fiveMinuteNoise * (fiveMinutes / seconds) ** persistence)

/** Sets the bought volume of a bar that is not part of another bar. The bar's volume is known. */
export const fillBought = (bar: Draft, noise: number): void => {
  const { close, open, seconds, variance, volume } = bar
  bar.boughtPerRise = fiveMinuteLean * volume / Math.sqrt(variance * seconds / fiveMinutes)
  const wish = volume * (0.5 + noiseOf(seconds) * noise) + bar.boughtPerRise * (close - open)
  bar.bought = Math.round(Math.min(volume, Math.max(0, wish)))
  bar.owed = 0
  bar.settled = 0
}

/** The share of a bar's volume that its last part must have, so that the settled units have a counterpart. */
export const settlingShare = ({ settled, volume }: Trade, partSeconds: number): number =>
  settled === 0 || partSeconds >= minute ? 0 : Math.min(1, Math.abs(settled) / (mostSettled * volume))

/** The log return of the last minute of a five-minute bar. Takers have not followed it at the bar's end. */
const lastMinute = ({ close, points }: Path): number => close - points.at(-2)!

/**
 * Sets `boughtPerRise`, `owed` and `settled` of the parts: earlier moves to follow at their start, and own moves to
 * settle at their end.
 */
const passOn = (bar: Trade, parts: ReadonlyArray<Draft>): void => {
  const seconds = parts[0]!.seconds
  const follows = seconds === fiveMinutes || seconds === minute
  let owed = follows ? bar.owed : 0
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    part.boughtPerRise = bar.boughtPerRise
    part.owed = owed
    part.settled = 0
    if (follows) owed = bar.boughtPerRise * (seconds === minute ? part.close - part.open : lastMinute(part))
  }
  if (seconds <= fiveMinutes) parts.at(-1)!.settled = seconds === fiveMinutes ? owed : bar.settled
}

/** The units over half that takers buy in a part because of price changes. */
const leanOf = (part: Draft): number => {
  const { boughtPerRise, close, open, owed, seconds, settled } = part
  if (seconds > fiveMinutes) return boughtPerRise * (close - open)
  return owed + settled + (seconds === fiveMinutes ? boughtPerRise * (close - open - lastMinute(part)) : 0)
}

/**
 * Sets the bought volume of each part, so that they add up to the whole. The parts' volumes are known. A part whose
 * volume is too small leaves the rest to later parts.
 */
export const divideBought = (
  bar: Trade,
  parts: ReadonlyArray<Draft>,
  draws: Draws,
  firstSlot: number,
  slotStep: number
): void => {
  passOn(bar, parts)
  const volumes: Array<number> = []
  const wishes: Array<number> = []
  let left = bar.bought
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    volumes.push(part.volume)
    wishes.push(part.volume * (0.5 + noiseOf(part.seconds) * draws.normal(firstSlot + slotStep * i)) + leanOf(part))
    left -= wishes[i]!
  }
  const perUnit = bar.volume > 0 ? left / bar.volume : 0
  for (let i = 0; i < parts.length; i++) wishes[i]! += perUnit * volumes[i]!
  const bought = apportionWithin(bar.bought, wishes, volumes)
  for (let i = 0; i < parts.length; i++) parts[i]!.bought = bought[i]!
}
