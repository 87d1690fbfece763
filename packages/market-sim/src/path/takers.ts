/**
 * What takers bought of a bar's volume, and how it is divided among the bar's parts.
 *
 * Takers follow the price: over half of the volume they buy so many units for each log point that it has risen. Below
 * an hour they follow a minute late, since a price moves on every scale as the root of time and volume in proportion to
 * it: of a second's volume no share could answer for the second's own move, and what one second lacked others would
 * have to make up for, early ones too, so that each would tell where the price goes. What has not been followed by the
 * end of an hour is traded in its last second. So what was bought by any instant depends on nothing but prices until
 * then, and volumes and noise, and yet an hour's share needs no more than the hour's two ends.
 *
 * The noise persists: its share falls more slowly with the length of the interval than the root of time would have it
 * (Lillo & Farmer, "The long memory of the efficient market", Studies in Nonlinear Dynamics & Econometrics 8, 2004).
 */
import { apportionWithin } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/factors.ts"
import type { Draft, Path, Trade } from "./model.ts"

const fiveMinutes = 300
const minute = 60

/** Share beyond half that takers buy of a typical five minutes in which the price rises by its standard deviation. */
const fiveMinuteLean = 0.035
/** Standard deviation of the share of five minutes in which the price goes nowhere. */
const fiveMinuteNoise = 0.035
const mostNoise = 0.06
const persistence = 0.25
/** Of the volume of an hour's last seconds at most this share is what has not been followed until then. */
const mostSettled = 0.3

/** Standard deviation of the noise in the share of an interval. */
const noiseOf = (seconds: number): number =>
  Math.min(mostNoise, fiveMinuteNoise * (fiveMinutes / seconds) ** persistence)

/** Fills in what takers bought of a bar that is nobody's part; its volume is known. */
export const fillBought = (bar: Draft, noise: number): void => {
  const { close, open, seconds, variance, volume } = bar
  bar.boughtPerRise = fiveMinuteLean * volume / Math.sqrt(variance * seconds / fiveMinutes)
  const wish = volume * (0.5 + noiseOf(seconds) * noise) + bar.boughtPerRise * (close - open)
  bar.bought = Math.round(Math.min(volume, Math.max(0, wish)))
  bar.owed = 0
  bar.settled = 0
}

/** Share of a bar's volume that its last part must have, so that what is settled in it finds its counterpart. */
export const settlingShare = ({ settled, volume }: Trade, partSeconds: number): number =>
  settled === 0 || partSeconds >= minute ? 0 : Math.min(1, Math.abs(settled) / (mostSettled * volume))

/** Log return of a five-minute bar's last minute, the one that takers have not followed at its end. */
const lastMinute = ({ close, points }: Path): number => close - points.at(-2)!

/** Tells the parts what they have still to follow at their start, and what of their own they settle at their end. */
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

/** Units over half that takers buy in a part for what the price does. */
const leanOf = (part: Draft): number => {
  const { boughtPerRise, close, open, owed, seconds, settled } = part
  if (seconds > fiveMinutes) return boughtPerRise * (close - open)
  return owed + settled + (seconds === fiveMinutes ? boughtPerRise * (close - open - lastMinute(part)) : 0)
}

/**
 * Fills in what takers bought in each part, adding up to the whole; the parts' volumes are known. A part whose volume
 * is too small for its wish leaves the rest to the parts that follow.
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
