import { dayMs, hourMs, type MarketPorts, minuteMs } from "@tapeline/core/market"
import { layerDefectiveMarket, type MarketDefects } from "@tapeline/testing"
import type { Backfill } from "@tapeline/testing/contracts/recordedChecks"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { coinSpecs, makeWorld, SimMarket } from "../../src/index.ts"

export const seed = "patchy"

/** A Friday during a New York session. */
export const now = Date.parse("2026-11-20T15:33:22.517Z")
const hour = Math.floor(now / hourMs) * hourMs
const day = Math.floor(now / dayMs) * dayMs

/** Four outages: 20 hours, 40 minutes, five hours, and half an hour around the time exactly one day before `now`. */
export const gaps = [
  { from: day - 45 * dayMs, to: day - 45 * dayMs + 20 * hourMs },
  { from: hour - 9 * dayMs + 10 * minuteMs, to: hour - 9 * dayMs + 50 * minuteMs },
  { from: hour - 32 * hourMs, to: hour - 27 * hourMs },
  { from: now - 24 * hourMs - 15 * minuteMs, to: now - 24 * hourMs + 15 * minuteMs }
] as const

export const outage = gaps[2]

/**
 * `filledOutage` is a gap of six hours that was backfilled days ago. `openOutage` is a gap that will be backfilled
 * after `now`.
 */
export const filledOutage = { from: hour - 15 * dayMs, to: hour - 15 * dayMs + 6 * hourMs, filledAt: hour - 10 * dayMs }
export const openOutage = { from: hour - 5 * hourMs, to: hour - 3 * hourMs, filledAt: hour + 8 * hourMs }

/**
 * The times at which the venue's watermark is read again: soon, just before and after the backfill of `openOutage`, and
 * later.
 */
export const laterTimes = [now + hourMs, openOutage.filledAt - 1, openOutage.filledAt + minuteMs, now + 14 * hourMs]

/** The time at which trading in `LTC` ended, in the middle of an hour. */
export const delistedAt = day - 6 * dayMs + 10 * hourMs + 20 * minuteMs

export const defects: MarketDefects = {
  gaps,
  filledOutages: [filledOutage, openOutage],
  delisted: { LTC: delistedAt },
  fundingHours: { SOL: 4, DOGE: 1 },
  sparseCoins: ["XRP"]
}

const fewCoins = "BTC ETH SOL XRP DOGE ADA LINK SUI LTC UNI PEPE ARB BNB OP FIL TAO INJ LDO WIF USDT USDC DAI".split(
  " "
)
const coins = isFullRun ? coinSpecs : coinSpecs.filter(({ coin }) => fewCoins.includes(coin))

/** All tests of a worker share one world, because the world's cache contains months of each coin and stock. */
export const testWorld = makeWorld(seed, 262_144, coins)
export const layerCompleteMarket: Layer.Layer<MarketPorts> = Layer.succeedContext(SimMarket.makePorts(testWorld))
export const layerGappyMarket = layerDefectiveMarket(defects).pipe(Layer.provide(layerCompleteMarket))

/** Creates a venue with stored data. `backfill` fills a gap of three hours from three days ago. */
export const makeStoredVenue = (
  coin: string
): { readonly layer: Layer.Layer<MarketPorts>; readonly backfill: Backfill } => {
  let filledAt = Infinity
  const interval = { from: hour - 80 * hourMs, to: hour - 77 * hourMs }
  const fillableOutage = {
    ...interval,
    get filledAt() {
      return filledAt
    }
  }
  const writeChange = Effect.sync(() => {
    filledAt = now
  })
  return {
    layer: layerDefectiveMarket({ ...defects, filledOutages: [...defects.filledOutages, fillableOutage] }).pipe(
      Layer.provide(layerCompleteMarket)
    ),
    backfill: { coin, interval, writeChange }
  }
}
