import { addUp, type Candle, dayMs, type FundingPrint, hourMs, type PerpetualPoint } from "@tapeline/core"

/** The opening time of the first hour of the hostile market, and its number of hours. */
export const hostileStart = Date.UTC(2026, 0, 5)
export const hostileHours = 140 * 24

/** The properties in which a coin differs from the others. Hours are counted from `hostileStart`. */
interface Kind {
  readonly coin: string
  readonly listed?: number
  readonly delisted?: number
  /**
   * Its perpetual: the hour at which it began, and the payment interval in hours at each hour. Undefined without one.
   */
  readonly perpetual?: { readonly since: number; readonly intervalAt: (hour: number) => number }
  /** Whether candles are so wide that a stop would be below 0. */
  readonly wild?: boolean
  /** Whether the candle of an hour has no taker volume. */
  readonly takersUnknown?: (hour: number) => boolean
}

const every8 = () => 8

const kinds: ReadonlyArray<Kind> = [
  { coin: "BTC", perpetual: { since: 1_300, intervalAt: every8 } },
  { coin: "ETH", perpetual: { since: 0, intervalAt: every8 }, takersUnknown: (hour) => hour % 40 < 5 },
  { coin: "HOURLY", perpetual: { since: 0, intervalAt: (hour) => hour < 2_500 ? 1 : 4 } },
  { coin: "DIM", takersUnknown: (hour) => hour % 90 < 20 },
  { coin: "OLD", perpetual: { since: 0, intervalAt: every8 }, delisted: 2_600 },
  { coin: "YOUNG", perpetual: { since: 2_730, intervalAt: (hour) => hour < 2_900 ? 8 : 2 }, listed: 2_717 },
  { coin: "WILD", wild: true }
]

/** All recorded data of a coin. */
export interface HostileCoin {
  readonly coin: string
  readonly listedAt: number
  readonly delistedAt: number | null
  readonly hours: ReadonlyArray<Candle>
  readonly days: ReadonlyArray<Candle>
  /** One point an hour. Empty without a perpetual. */
  readonly perpetual: ReadonlyArray<PerpetualPoint>
  readonly fundingPrints: ReadonlyArray<FundingPrint>
}

/** Numbers from 0 to 1 of a Lehmer generator, the same on every machine. */
const draws = (seed: number): () => number => {
  let drawn = seed * 7_919 + 1
  return () => {
    drawn = (drawn * 48_271) % 2_147_483_647
    return drawn / 2_147_483_647
  }
}

/** An outage every ten days or more, at different hours for each coin. */
const outages = [3, 7, 30, 6, 4, 8, 1]
const isOut = (hour: number, place: number): boolean => {
  const since = hour - 130 - 17 * place
  const every = 240 + 60 * place
  return since >= 0 && since % every < outages[Math.floor(since / every) % outages.length]!
}

/** One, two, three and four payments in a row are missing. */
const isMissed = (payment: number): boolean => [11, 23, 24, 41, 42, 43, 67, 68, 69, 70].includes(payment % 90)

const hoursOf = (kind: Kind, place: number): ReadonlyArray<Candle> => {
  const next = draws(place + 1)
  const candles: Array<Candle> = []
  let close = 100
  let [stretch, size, drift] = [0, 0.01, 0]
  for (let hour = 0; hour < hostileHours; hour++) {
    if (stretch-- === 0) {
      // Calm and volatile, rising and falling periods, from some hours to some days long.
      stretch = Math.floor(12 + 60 * next())
      size = kind.wild ? 0.012 : 0.001 + 0.03 * next() ** 3
      drift = size * (next() - 0.5) * (kind.wild ? 1.6 : 0.5)
    }
    // Sometimes the price opens far from the previous close.
    const open = close * (1 + (next() < 0.03 ? 6 : 0.05) * size * (next() - 0.5))
    const step = drift + size * (next() + next() - 1)
    close = open * (1 + step)
    const [up, down, traded, buys] = [next(), next(), next(), next()]
    const high = Math.max(open, close) * (kind.wild ? 1.9 : 1 + size * up)
    const low = Math.min(open, close) * (kind.wild ? 0.4 : 1 - size * down)
    const volume = 5 + 20 * traded * traded
    const buyShare = Math.max(0, Math.min(1, 0.5 + 0.5 * (buys - 0.5) + 4 * drift + 2 * step))
    if (hour < (kind.listed ?? 0) || hour >= (kind.delisted ?? Infinity) || isOut(hour, place)) continue
    candles.push({
      time: hostileStart + hour * hourMs,
      open,
      high,
      low,
      close,
      volume,
      quoteVolume: volume * close,
      takerBuyVolume: kind.takersUnknown?.(hour) ? null : volume * buyShare,
      closed: true
    })
  }
  return candles
}

/** The days without a missing hour. */
const daysOf = (hours: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  [...Map.groupBy(hours, ({ time }) => time - (time % dayMs))].flatMap(([time, [first, ...rest]]) =>
    first === undefined || rest.length < 23 ? [] : [addUp(time, [first, ...rest], true)]
  )

const perpetualOf = ({ delisted = Infinity, perpetual }: Kind, place: number): ReadonlyArray<PerpetualPoint> => {
  const next = draws(place + 101)
  const points: Array<PerpetualPoint> = []
  let openInterest = 1_000
  let rate = 1e-4
  if (perpetual === undefined) return points
  for (let hour = 0; hour < Math.min(delisted, hostileHours); hour++) {
    openInterest *= 1 + 0.02 * (next() + next() - 0.995)
    rate += 0.1 * (1e-4 - rate) + 1e-4 * (next() - 0.5)
    if (hour < perpetual.since || next() < 0.01) continue
    const intervalHours = perpetual.intervalAt(hour)
    const told = next() > 0.03
    points.push({
      time: hostileStart + hour * hourMs,
      fundingRate: told ? (rate * intervalHours) / 8 : null,
      fundingIntervalHours: told ? intervalHours : null,
      openInterest: next() > 0.03 ? openInterest : null,
      openInterestUsd: null,
      longShortRatio: hour % 50 === 0 ? null : 1 + next(),
      markPrice: null,
      indexPrice: null
    })
  }
  return points
}

/** Payments at the end of each interval, with times up to some seconds late. */
const printsOf = ({ delisted = Infinity, perpetual }: Kind, place: number): ReadonlyArray<FundingPrint> => {
  const next = draws(place + 201)
  const prints: Array<FundingPrint> = []
  let rate = 1e-4
  let count = 0
  if (perpetual === undefined) return prints
  for (let hour = perpetual.since; hour < Math.min(delisted, hostileHours); hour++) {
    const intervalHours = perpetual.intervalAt(hour)
    if (hour % intervalHours !== 0) continue
    rate += 0.2 * (1e-4 - rate) + 2e-4 * (next() - 0.5)
    if (isMissed(count++)) continue
    const time = hostileStart + hour * hourMs + (count * 977) % 4_000
    prints.push({ time, fundingRate: (rate * intervalHours) / 8, intervalHours })
  }
  return prints
}

/** The coins of the hostile market, largest first. */
export const hostileCoins: ReadonlyArray<HostileCoin> = kinds.map((kind, place) => {
  const hours = hoursOf(kind, place)
  return {
    coin: kind.coin,
    listedAt: hostileStart + (kind.listed ?? 0) * hourMs,
    delistedAt: kind.delisted === undefined ? null : hostileStart + kind.delisted * hourMs,
    hours,
    days: daysOf(hours),
    perpetual: perpetualOf(kind, place),
    fundingPrints: printsOf(kind, place)
  }
})
