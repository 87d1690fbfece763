import { dayMs, hourMs, type MarketPorts, minuteMs } from "@tapeline/core/market"
import { type Patches, patchyVenue } from "@tapeline/testing"
import type { Backfill } from "@tapeline/testing/contracts/recorded"
import { Effect, Layer } from "effect"
import { coinSpecs, makeWorld, SimMarket } from "../../src/index.ts"
import { full } from "./counts.ts"

export const seed = "patchy"

/** A Friday during a New York session. */
export const now = Date.parse("2026-11-20T15:33:22.517Z")
const hour = Math.floor(now / hourMs) * hourMs
const day = Math.floor(now / dayMs) * dayMs

/** Outages of 20 hours, 40 minutes, five hours, and half an hour around this time yesterday. */
export const gaps = [
  { from: day - 45 * dayMs, to: day - 45 * dayMs + 20 * hourMs },
  { from: hour - 9 * dayMs + 10 * minuteMs, to: hour - 9 * dayMs + 50 * minuteMs },
  { from: hour - 32 * hourMs, to: hour - 27 * hourMs },
  { from: now - 24 * hourMs - 15 * minuteMs, to: now - 24 * hourMs + 15 * minuteMs }
] as const

/** The outage that contract suites receive. */
export const outage = gaps[2]

/** A gap of six hours that was backfilled long ago, and one of two hours that will be backfilled tonight. */
export const filled = { from: hour - 15 * dayMs, to: hour - 15 * dayMs + 6 * hourMs, filledAt: hour - 10 * dayMs }
export const unfilled = { from: hour - 5 * hourMs, to: hour - 3 * hourMs, filledAt: hour + 8 * hourMs }

/** Times at which the venue's record is read again: soon, around tonight's backfill, and later. */
export const askedAgain = [now + hourMs, unfilled.filledAt - 1, unfilled.filledAt + minuteMs, now + 14 * hourMs]

/** The time at which `LTC` ceased to trade, in the middle of an hour. */
export const diedAt = day - 6 * dayMs + 10 * hourMs + 20 * minuteMs

export const patches: Patches = {
  gaps,
  late: [filled, unfilled],
  delisted: { LTC: diedAt },
  fundingHours: { SOL: 4, DOGE: 1 },
  bare: ["XRP"]
}

/** The coins of the normal suite: those that tests name, and enough others for each sector and each KRW listing. */
const fewCoins = "BTC ETH SOL XRP DOGE ADA LINK SUI LTC UNI PEPE ARB BNB OP FIL TAO INJ LDO WIF USDT USDC DAI".split(
  " "
)
const coins = full ? coinSpecs : coinSpecs.filter(({ coin }) => fewCoins.includes(coin))

/** One world for the tests of a worker, because its cache holds months of each coin and stock. */
export const world = makeWorld(seed, 262_144, coins)
export const whole: Layer.Layer<MarketPorts> = Layer.succeedContext(SimMarket.portsOf(world))
export const patchy = patchyVenue(patches).pipe(Layer.provide(whole))

/** The same venue as a store, in which `fill` backfills three hours of three days ago. */
export const stored = (coin: string): { readonly layer: Layer.Layer<MarketPorts>; readonly backfill: Backfill } => {
  let filledAt = Infinity
  const interval = { from: hour - 80 * hourMs, to: hour - 77 * hourMs }
  const late = {
    ...interval,
    get filledAt() {
      return filledAt
    }
  }
  const fill = Effect.sync(() => {
    filledAt = now
  })
  return {
    layer: patchyVenue({ ...patches, late: [...patches.late, late] }).pipe(Layer.provide(whole)),
    backfill: { coin, interval, fill }
  }
}
