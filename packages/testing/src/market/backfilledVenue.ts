import {
  type Candle,
  type Coin,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  type FundingPayment,
  hourMs,
  type Interval,
  makeReading,
  mapReading,
  type MarketError,
  NoData,
  type PerpetualPoint,
  SocialFeed,
  UnknownSymbol,
  type WatermarkRead
} from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"

/** A simulated trading venue whose past data a test can change. */
export interface BackfilledVenue {
  /** The market data that derived data needs: hourly and daily candles, and perpetual records every 8 hours. */
  readonly layer: Layer.Layer<CoinPrices | CoinDerivatives | SocialFeed>
  readonly coins: ReadonlyArray<string>
  /** The number of reads of hourly candles for each coin. */
  readonly candleReads: Map<string, number>
  /** Changes the candles of a coin that open in the interval, like a backfill or a correction. */
  readonly correctCandles: (coin: string, interval: Interval) => void
  /** Removes candles of a coin permanently, unless a later correction restores the candles. */
  readonly removeCandles: (coin: string, interval: Interval) => void
  /** Delays the recording of data, so that the recorded data ends `ms` milliseconds before the current time. */
  readonly setLag: (ms: number) => void
}

interface Edit extends Interval {
  readonly isRemoved: boolean
}

interface CoinBook {
  readonly facts: Coin
  readonly edits: Array<Edit>
  readonly phase: number
  readonly index: number
}

const hasPerpetual = ({ index }: CoinBook): boolean => index % 7 !== 6

const listingTime = Date.UTC(2025, 0, 1)
const source = "backfilled"
/** The time at which the source of the candles changes. */
const sourceChangedAt = Date.UTC(2026, 9, 15)
const formerSource = "formerly"
const perpetualSource = "perpetuals"
const noDataError = (coin: string) =>
  new NoData({ subject: coin, reason: { key: "none_recorded", params: { symbol: coin } } })

const computeClose = ({ edits, phase }: CoinBook, hour: number): number => {
  const waves = 0.03 * Math.sin(hour / 7 + phase) + 0.06 * Math.sin(hour / 31 + 2 * phase) +
    0.15 * Math.sin(hour / 211 + 3 * phase) + 0.004 * Math.sin(hour * 12.9898 + phase)
  const time = hour * hourMs
  const corrections = edits.filter(({ from, isRemoved, to }) => !isRemoved && from <= time && time < to).length
  return 100 * Math.exp(waves) * (1 + 0.01 * corrections)
}

/** Returns whether the candle at `time` is removed. The last edit whose interval contains `time` decides. */
const isRemovedAt = ({ edits }: CoinBook, time: number): boolean =>
  edits.findLast(({ from, to }) => from <= time && time < to)?.isRemoved ?? false

const makeHourlyCandle = (book: CoinBook, time: number, now: number): Candle => {
  const hour = time / hourMs
  const [open, close] = [computeClose(book, hour - 1), computeClose(book, hour)]
  return {
    time,
    open,
    close,
    high: Math.max(open, close) * 1.001,
    low: Math.min(open, close) * 0.999,
    volume: 10,
    quoteVolume: 10 * close,
    takerBuyVolume: 5 + 2 * Math.sin(hour / 5 + book.phase),
    closed: time + hourMs <= now
  }
}

interface RecordedPresent {
  readonly now: number
  readonly recordedUntil: number
  /**
   * The opening time of the newest candle that a read returned while its hour was running. The venue keeps returning
   * this candle until its hour ends.
   */
  readonly openCandleTime: number
}

const getHourlyCandles = (
  book: CoinBook,
  { from, to }: Interval,
  { now, recordedUntil, openCandleTime }: RecordedPresent
): ReadonlyArray<Candle> => {
  const candles: Array<Candle> = []
  for (
    let time = Math.ceil(Math.max(from, listingTime) / hourMs) * hourMs;
    time < Math.min(to, recordedUntil);
    time += hourMs
  ) {
    const isOpen = time === openCandleTime && time + hourMs > now
    const isNotRecordedYet = recordedUntil < now && time + hourMs > recordedUntil && !isOpen
    if (!isNotRecordedYet && !isRemovedAt(book, time)) candles.push(makeHourlyCandle(book, time, now))
  }
  return candles
}

const getDailyCandles = (
  book: CoinBook,
  { from, to }: Interval,
  recordedPresent: RecordedPresent
): ReadonlyArray<Candle> => {
  const { now } = recordedPresent
  const candles: Array<Candle> = []
  for (let time = Math.ceil(from / dayMs) * dayMs; time < Math.min(to, now); time += dayMs) {
    const hours = getHourlyCandles(book, { from: time, to: time + dayMs }, recordedPresent)
    if (hours.length < 24 && (time + dayMs <= now || hours.length === 0)) continue
    candles.push({
      ...hours[0]!,
      high: Math.max(...hours.map(({ high }) => high)),
      low: Math.min(...hours.map(({ low }) => low)),
      close: hours.at(-1)!.close,
      quoteVolume: hours.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
      closed: time + dayMs <= now
    })
  }
  return candles
}

const makePerpetualPoint = ({ phase }: CoinBook, time: number): PerpetualPoint => ({
  time,
  fundingRate: 1e-4 * (1 + Math.sin(time / (37 * hourMs) + phase)),
  fundingIntervalHours: 8,
  openInterest: 1_000 * (1 + 0.2 * Math.sin(time / (53 * hourMs) + phase)),
  openInterestUsd: null,
  longShortRatio: 1.2,
  markPrice: null,
  indexPrice: null
})

const getStepTimes = ({ from, to }: Interval, stepMs: number): ReadonlyArray<number> =>
  Array.from(
    { length: Math.max(0, Math.ceil(to / stepMs) - Math.ceil(from / stepMs)) },
    (_, i) => (Math.ceil(from / stepMs) + i) * stepMs
  )

const dieUnsupported = Effect.die(new Error("the fake venue does not support this read"))

const readingOrNoData = <A extends { readonly time: number }>(
  coin: string,
  candles: ReadonlyArray<A>,
  getSource: (time: number) => string
) =>
  candles.length === 0
    ? Effect.fail(noDataError(coin))
    : Effect.succeed(
      makeReading(candles, [getSource(candles[0]!.time), getSource(candles.at(-1)!.time)], candles.at(-1)!.time)
    )

const getCandleSource = (time: number): string => time < sourceChangedAt ? formerSource : source

interface Venue {
  readonly booksByCoin: ReadonlyMap<string, CoinBook>
  readonly candleReads: Map<string, number>
  readonly readPresent: Effect.Effect<RecordedPresent>
  /** The unique name of the venue. Revisions contain the name, so that revisions of two venues always differ. */
  readonly name: string
}

const findBook = ({ booksByCoin }: Venue, coin: string): Effect.Effect<CoinBook, MarketError> => {
  const book = booksByCoin.get(coin)
  return book === undefined ? Effect.fail(new UnknownSymbol({ symbol: coin })) : Effect.succeed(book)
}

const makeRecordedRead = (
  { booksByCoin, name, readPresent }: Venue,
  sources: ReadonlyArray<string>,
  isCovered: (book: CoinBook) => boolean
): WatermarkRead =>
(coins) =>
  Effect.map(readPresent, ({ now, recordedUntil }) => {
    const coveredBooks = coins.flatMap((coin) => booksByCoin.get(coin) ?? []).filter(isCovered)
    const makeRecord = ({ edits }: CoinBook) => ({
      contiguousUntil: recordedUntil,
      revision: `${name} ${edits.length}`
    })
    return makeReading(new Map(coveredBooks.map((book) => [book.facts.coin, makeRecord(book)])), sources, now)
  })

const makePrices = (venue: Venue): CoinPrices["Service"] => ({
  coins: Effect.map(
    venue.readPresent,
    ({ now }) => makeReading([...venue.booksByCoin.values()].map(({ facts }) => facts), source, now)
  ),
  coin: (coin) =>
    Effect.zipWith(findBook(venue, coin), venue.readPresent, ({ facts }, { now }) => makeReading(facts, source, now)),
  candles: () => dieUnsupported,
  candleRange: Effect.fnUntraced(function*({ coin, timeframe, ...interval }) {
    const book = yield* findBook(venue, coin)
    const recordedPresent = yield* venue.readPresent
    const hourly = timeframe === "1h"
    if (hourly && interval.to - interval.from > hourMs) {
      venue.candleReads.set(coin, (venue.candleReads.get(coin) ?? 0) + 1)
    }
    return yield* readingOrNoData(
      coin,
      (hourly ? getHourlyCandles : getDailyCandles)(book, interval, recordedPresent),
      getCandleSource
    )
  }),
  watermarks: makeRecordedRead(venue, [formerSource, source], () => true),
  priceAt: () => dieUnsupported,
  minutes: () => dieUnsupported,
  candlesByCoin: () => dieUnsupported,
  ticker: () => dieUnsupported,
  tickers: dieUnsupported,
  totalMarket: dieUnsupported
})

const makeDerivatives = (venue: Venue): CoinDerivatives["Service"] => {
  const readRecords = Effect.fnUntraced(function*(coin: string, { from, to }: Interval, stepMs: number) {
    const book = yield* Effect.filterOrFail(findBook(venue, coin), hasPerpetual, () => noDataError(coin))
    const { recordedUntil } = yield* venue.readPresent
    const times = getStepTimes({ from: Math.max(from, listingTime), to: Math.min(to, recordedUntil + 1) }, stepMs)
    return yield* readingOrNoData(coin, times.map((time) => makePerpetualPoint(book, time)), () => perpetualSource)
  })
  return {
    perpetual: () => dieUnsupported,
    perpetuals: dieUnsupported,
    perpetualHistory: ({ coin, stepMs, ...interval }) =>
      Effect.map(readRecords(coin, interval, stepMs), (read) => mapReading(read, (points) => ({ points, gaps: [] }))),
    fundingPayments: ({ coin, ...interval }) =>
      Effect.map(
        readRecords(coin, interval, 8 * hourMs),
        (read) =>
          mapReading(read, (points) =>
            points.map(({ fundingRate, time }): FundingPayment => ({
              time,
              fundingRate: fundingRate ?? 0,
              intervalHours: 8
            })))
      ),
    watermarks: makeRecordedRead(venue, [perpetualSource], hasPerpetual),
    fundingByVenue: () => dieUnsupported,
    openInterestByVenue: () => dieUnsupported,
    takerFlow: () => dieUnsupported,
    futures: () => dieUnsupported,
    liquidations: () => dieUnsupported
  }
}

const makeBook = (coin: string, i: number): CoinBook => ({
  phase: i * 1.7,
  index: i,
  edits: [],
  facts: {
    coin,
    name: coin,
    sector: "layer1",
    circulatingSupply: 1e6 - i,
    maxSupply: null,
    listedAt: listingTime,
    delistedAt: null,
    isStablecoin: false
  }
})

/** Creates a venue with `count` coins, beginning with BTC and ETH, of which every seventh has no perpetual. */
export const makeBackfilledVenue = (count: number): BackfilledVenue => {
  const coins = ["BTC", "ETH", ...Array.from({ length: count }, (_, i) => `C${i}`)].slice(0, count)
  const booksByCoin = new Map(coins.map((coin, i) => [coin, makeBook(coin, i)]))
  const candleReads = new Map<string, number>()
  let lagMs = 0
  // After the lag grows, data that was already recorded stays recorded.
  let newestRecorded = -Infinity
  let openCandleTime = -Infinity
  const readPresent = Effect.map(Clock.currentTimeMillis, (now) => {
    newestRecorded = Math.min(now, Math.max(newestRecorded, now - lagMs))
    if (newestRecorded === now) openCandleTime = Math.floor(now / hourMs) * hourMs
    return { now, recordedUntil: newestRecorded, openCandleTime }
  })
  const venue: Venue = { booksByCoin, candleReads, readPresent, name: globalThis.crypto.randomUUID() }
  const addEdit = (coin: string, isRemoved: boolean, interval: Interval): void => {
    booksByCoin.get(coin)?.edits.push({ ...interval, isRemoved })
  }
  return {
    layer: Layer.mergeAll(
      Layer.succeed(CoinPrices, makePrices(venue)),
      Layer.succeed(CoinDerivatives, makeDerivatives(venue)),
      SocialFeed.layerNone
    ),
    coins,
    candleReads,
    correctCandles: (coin, interval) => addEdit(coin, false, interval),
    removeCandles: (coin, interval) => addEdit(coin, true, interval),
    setLag: (ms) => {
      lagMs = ms
    }
  }
}
