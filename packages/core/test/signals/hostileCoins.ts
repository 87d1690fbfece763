import { type Candle, dayMs, type FundingPayment, hourMs, mergeCandles, type PerpetualPoint } from "@tapeline/core"

/** The opening time of the first hour of the hostile market. */
export const hostileStart = Date.UTC(2026, 0, 5)
export const hostileHours = 140 * 24

/** The properties by which a coin differs from the other coins. Hours are counted from `hostileStart`. */
interface CoinTraits {
  readonly coin: string
  readonly listedHour?: number
  readonly delistedHour?: number
  /** The first hour of the coin's perpetual and its payment interval in hours, or undefined without a perpetual. */
  readonly perpetual?: { readonly sinceHour: number; readonly intervalAt: (hour: number) => number }
  /** Whether candles are so wide that a stop would be below 0. */
  readonly isVolatile?: boolean
  /** Whether the candle of an hour has no taker volume. */
  readonly isTakerVolumeUnknown?: (hour: number) => boolean
}

const every8Hours = () => 8

const coinTraits: ReadonlyArray<CoinTraits> = [
  { coin: "BTC", perpetual: { sinceHour: 1_300, intervalAt: every8Hours } },
  { coin: "ETH", perpetual: { sinceHour: 0, intervalAt: every8Hours }, isTakerVolumeUnknown: (hour) => hour % 40 < 5 },
  { coin: "HOURLY", perpetual: { sinceHour: 0, intervalAt: (hour) => hour < 2_500 ? 1 : 4 } },
  { coin: "DIM", isTakerVolumeUnknown: (hour) => hour % 90 < 20 },
  { coin: "OLD", perpetual: { sinceHour: 0, intervalAt: every8Hours }, delistedHour: 2_600 },
  { coin: "YOUNG", perpetual: { sinceHour: 2_730, intervalAt: (hour) => hour < 2_900 ? 8 : 2 }, listedHour: 2_717 },
  { coin: "WILD", isVolatile: true }
]

export interface HostileCoin {
  readonly coin: string
  readonly listedAt: number
  readonly delistedAt: number | null
  readonly hours: ReadonlyArray<Candle>
  readonly days: ReadonlyArray<Candle>
  /** One point per hour; empty for a coin without a perpetual. */
  readonly perpetual: ReadonlyArray<PerpetualPoint>
  readonly fundingPayments: ReadonlyArray<FundingPayment>
}

/** Returns numbers from 0 to 1 of a Lehmer generator, equal on every machine. */
const makeRandom = (seed: number): () => number => {
  let state = seed * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/**
 * The lengths of a coin's outages in hours. An outage occurs every ten days or more, at different hours for each coin.
 */
const outages = [3, 7, 30, 6, 4, 8, 1]
const isOutage = (hour: number, coinIndex: number): boolean => {
  const hoursSinceFirst = hour - 130 - 17 * coinIndex
  const periodHours = 240 + 60 * coinIndex
  return hoursSinceFirst >= 0 &&
    hoursSinceFirst % periodHours < outages[Math.floor(hoursSinceFirst / periodHours) % outages.length]!
}

/** Returns whether a payment is missing. One, two, three or four payments in a row can be missing. */
const isPaymentMissing = (payment: number): boolean => [11, 23, 24, 41, 42, 43, 67, 68, 69, 70].includes(payment % 90)

const makeHourlyCandles = (traits: CoinTraits, coinIndex: number): ReadonlyArray<Candle> => {
  const random = makeRandom(coinIndex + 1)
  const candles: Array<Candle> = []
  let close = 100
  let [phaseLength, size, drift] = [0, 0.01, 0]
  for (let hour = 0; hour < hostileHours; hour++) {
    if (phaseLength-- === 0) {
      // Periods of high and low volatility and of different trends alternate. Each period lasts from half a day to
      // three days.
      phaseLength = Math.floor(12 + 60 * random())
      size = traits.isVolatile ? 0.012 : 0.001 + 0.03 * random() ** 3
      drift = size * (random() - 0.5) * (traits.isVolatile ? 1.6 : 0.5)
    }
    const open = close * (1 + (random() < 0.03 ? 6 : 0.05) * size * (random() - 0.5))
    const step = drift + size * (random() + random() - 1)
    close = open * (1 + step)
    const [up, down, traded, buys] = [random(), random(), random(), random()]
    const high = Math.max(open, close) * (traits.isVolatile ? 1.9 : 1 + size * up)
    const low = Math.min(open, close) * (traits.isVolatile ? 0.4 : 1 - size * down)
    const volume = 5 + 20 * traded * traded
    const buyShare = Math.max(0, Math.min(1, 0.5 + 0.5 * (buys - 0.5) + 4 * drift + 2 * step))
    if (hour < (traits.listedHour ?? 0) || hour >= (traits.delistedHour ?? Infinity) || isOutage(hour, coinIndex)) {
      continue
    }
    candles.push({
      time: hostileStart + hour * hourMs,
      open,
      high,
      low,
      close,
      volume,
      quoteVolume: volume * close,
      takerBuyVolume: traits.isTakerVolumeUnknown?.(hour) ? null : volume * buyShare,
      closed: true
    })
  }
  return candles
}

const makeDailyCandles = (hours: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  [...Map.groupBy(hours, ({ time }) => time - (time % dayMs))].flatMap(([time, [first, ...rest]]) =>
    first === undefined || rest.length < 23 ? [] : [mergeCandles(time, [first, ...rest], true)]
  )

const makePerpetualPoints = (
  { delistedHour = Infinity, perpetual }: CoinTraits,
  index: number
): ReadonlyArray<PerpetualPoint> => {
  const next = makeRandom(index + 101)
  const points: Array<PerpetualPoint> = []
  let openInterest = 1_000
  let rate = 1e-4
  if (perpetual === undefined) return points
  for (let hour = 0; hour < Math.min(delistedHour, hostileHours); hour++) {
    openInterest *= 1 + 0.02 * (next() + next() - 0.995)
    rate += 0.1 * (1e-4 - rate) + 1e-4 * (next() - 0.5)
    if (hour < perpetual.sinceHour || next() < 0.01) continue
    const intervalHours = perpetual.intervalAt(hour)
    const isFundingKnown = next() > 0.03
    points.push({
      time: hostileStart + hour * hourMs,
      fundingRate: isFundingKnown ? (rate * intervalHours) / 8 : null,
      fundingIntervalHours: isFundingKnown ? intervalHours : null,
      openInterest: next() > 0.03 ? openInterest : null,
      openInterestUsd: null,
      longShortRatio: hour % 50 === 0 ? null : 1 + next(),
      markPrice: null,
      indexPrice: null
    })
  }
  return points
}

/** Returns payments at the end of each interval, with times up to some seconds late. */
const makeFundingPayments = (
  { delistedHour = Infinity, perpetual }: CoinTraits,
  index: number
): ReadonlyArray<FundingPayment> => {
  const next = makeRandom(index + 201)
  const prints: Array<FundingPayment> = []
  let rate = 1e-4
  let count = 0
  if (perpetual === undefined) return prints
  for (let hour = perpetual.sinceHour; hour < Math.min(delistedHour, hostileHours); hour++) {
    const intervalHours = perpetual.intervalAt(hour)
    if (hour % intervalHours !== 0) continue
    rate += 0.2 * (1e-4 - rate) + 2e-4 * (next() - 0.5)
    if (isPaymentMissing(count++)) continue
    const time = hostileStart + hour * hourMs + (count * 977) % 4_000
    prints.push({ time, fundingRate: (rate * intervalHours) / 8, intervalHours })
  }
  return prints
}

/** The coins of the hostile market, largest first. */
export const hostileCoins: ReadonlyArray<HostileCoin> = coinTraits.map((kind, index) => {
  const hours = makeHourlyCandles(kind, index)
  return {
    coin: kind.coin,
    listedAt: hostileStart + (kind.listedHour ?? 0) * hourMs,
    delistedAt: kind.delistedHour === undefined ? null : hostileStart + kind.delistedHour * hourMs,
    hours,
    days: makeDailyCandles(hours),
    perpetual: makePerpetualPoints(kind, index),
    fundingPayments: makeFundingPayments(kind, index)
  }
})
