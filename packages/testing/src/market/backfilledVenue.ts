import {
  type Candle,
  type Coin,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  type FundingPrint,
  hourMs,
  type Interval,
  mapReading,
  type MarketError,
  NoData,
  type PerpetualPoint,
  reading,
  type RecordedRead,
  SocialFeed,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"

/** Controls of a venue whose past a test changes. */
export interface BackfilledVenue {
  /**
   * The market data that derived data needs: hourly and daily candles, and perpetuals every 8 hours. There are no
   * posts.
   */
  readonly layer: Layer.Layer<CoinPrices | CoinDerivatives | SocialFeed>
  readonly coins: ReadonlyArray<string>
  /** How often a coin's hourly candles were read for a computation, by coin. */
  readonly asked: Map<string, number>
  /** Changes a coin's candles that open in the interval, like a backfill or correction. */
  readonly correct: (coin: string, interval: Interval) => void
  /** Removes candles that no backfill is expected to replace. A later correction restores them. */
  readonly lose: (coin: string, interval: Interval) => void
  /** Makes recorded data lag behind the present. */
  readonly lag: (ms: number) => void
}

interface Edit extends Interval {
  readonly lost: boolean
}

interface Book {
  readonly facts: Coin
  readonly edits: Array<Edit>
  readonly phase: number
  readonly place: number
}

const hasPerpetual = ({ place }: Book): boolean => place % 7 !== 6

const listedAt = Date.UTC(2025, 0, 1)
const source = "backfilled"
/** Candles before this time come from another source, and perpetuals come from a third one. */
const movedAt = Date.UTC(2026, 9, 15)
const formerSource = "formerly"
const perpetualSource = "perpetuals"
const nothing = (coin: string) =>
  new NoData({ subject: coin, reason: { key: "none_recorded", params: { symbol: coin } } })

const closeOf = ({ edits, phase }: Book, hour: number): number => {
  const waves = 0.03 * Math.sin(hour / 7 + phase) + 0.06 * Math.sin(hour / 31 + 2 * phase) +
    0.15 * Math.sin(hour / 211 + 3 * phase) + 0.004 * Math.sin(hour * 12.9898 + phase)
  const time = hour * hourMs
  const corrections = edits.filter(({ from, lost, to }) => !lost && from <= time && time < to).length
  return 100 * Math.exp(waves) * (1 + 0.01 * corrections)
}

/** The last edit of an hour decides whether it is lost. */
const isLost = ({ edits }: Book, time: number): boolean =>
  edits.findLast(({ from, to }) => from <= time && time < to)?.lost ?? false

const hourOf = (book: Book, time: number, now: number): Candle => {
  const hour = time / hourMs
  const [open, close] = [closeOf(book, hour - 1), closeOf(book, hour)]
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

/** The current time, and the extent of recorded data. */
interface Present {
  readonly now: number
  /** The time to which data is recorded. */
  readonly recorded: number
  /**
   * The opening time of the candle that was last returned while it was open. It remains available until its hour ends.
   */
  readonly running: number
}

const hoursOf = (book: Book, { from, to }: Interval, { now, recorded, running }: Present): ReadonlyArray<Candle> => {
  const found: Array<Candle> = []
  for (
    let time = Math.ceil(Math.max(from, listedAt) / hourMs) * hourMs;
    time < Math.min(to, recorded);
    time += hourMs
  ) {
    const runs = time === running && time + hourMs > now
    const lags = recorded < now && time + hourMs > recorded && !runs
    if (!lags && !isLost(book, time)) found.push(hourOf(book, time, now))
  }
  return found
}

const daysOf = (book: Book, { from, to }: Interval, present: Present): ReadonlyArray<Candle> => {
  const { now } = present
  const found: Array<Candle> = []
  for (let time = Math.ceil(from / dayMs) * dayMs; time < Math.min(to, now); time += dayMs) {
    const hours = hoursOf(book, { from: time, to: time + dayMs }, present)
    if (hours.length < 24 && (time + dayMs <= now || hours.length === 0)) continue
    found.push({
      ...hours[0]!,
      high: Math.max(...hours.map(({ high }) => high)),
      low: Math.min(...hours.map(({ low }) => low)),
      close: hours.at(-1)!.close,
      quoteVolume: hours.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
      closed: time + dayMs <= now
    })
  }
  return found
}

const pointOf = ({ phase }: Book, time: number): PerpetualPoint => ({
  time,
  fundingRate: 1e-4 * (1 + Math.sin(time / (37 * hourMs) + phase)),
  fundingIntervalHours: 8,
  openInterest: 1_000 * (1 + 0.2 * Math.sin(time / (53 * hourMs) + phase)),
  openInterestUsd: null,
  longShortRatio: 1.2,
  markPrice: null,
  indexPrice: null
})

const instants = ({ from, to }: Interval, stepMs: number): ReadonlyArray<number> =>
  Array.from(
    { length: Math.max(0, Math.ceil(to / stepMs) - Math.ceil(from / stepMs)) },
    (_, i) => (Math.ceil(from / stepMs) + i) * stepMs
  )

const absent = Effect.die(new Error("the venue has none"))

const some = <A extends { readonly time: number }>(
  coin: string,
  found: ReadonlyArray<A>,
  sourceOf: (time: number) => string
) =>
  found.length === 0
    ? Effect.fail(nothing(coin))
    : Effect.succeed(
      reading(found, [sourceOf(found[0]!.time), sourceOf(found.at(-1)!.time)], found.at(-1)!.time)
    )

const candleSource = (time: number): string => time < movedAt ? formerSource : source

/** The state that the venue's ports share. */
interface Venue {
  readonly books: ReadonlyMap<string, Book>
  readonly asked: Map<string, number>
  readonly present: Effect.Effect<Present>
  /** Unique across venues and runs, so that no revision occurs twice. */
  readonly name: string
}

const bookOf = ({ books }: Venue, coin: string): Effect.Effect<Book, MarketError> => {
  const book = books.get(coin)
  return book === undefined ? Effect.fail(new UnknownSymbol({ symbol: coin })) : Effect.succeed(book)
}

const recordedOf = (
  { books, name, present }: Venue,
  sources: ReadonlyArray<string>,
  has: (book: Book) => boolean
): RecordedRead =>
(coins) =>
  Effect.map(present, ({ now, recorded }) => {
    const known = coins.flatMap((coin) => books.get(coin) ?? []).filter(has)
    const recordOf = ({ edits }: Book) => ({ contiguousUntil: recorded, revision: `${name} ${edits.length}` })
    return reading(new Map(known.map((book) => [book.facts.coin, recordOf(book)])), sources, now)
  })

const pricesOf = (venue: Venue): CoinPrices["Service"] => ({
  coins: Effect.map(
    venue.present,
    ({ now }) => reading([...venue.books.values()].map(({ facts }) => facts), source, now)
  ),
  coin: (coin) =>
    Effect.zipWith(bookOf(venue, coin), venue.present, ({ facts }, { now }) => reading(facts, source, now)),
  candles: () => absent,
  candleRange: Effect.fnUntraced(function*({ coin, timeframe, ...interval }) {
    const book = yield* bookOf(venue, coin)
    const present = yield* venue.present
    const hourly = timeframe === "1h"
    if (hourly && interval.to - interval.from > hourMs) venue.asked.set(coin, (venue.asked.get(coin) ?? 0) + 1)
    return yield* some(coin, (hourly ? hoursOf : daysOf)(book, interval, present), candleSource)
  }),
  recorded: recordedOf(venue, [formerSource, source], () => true),
  priceAt: () => absent,
  minutes: () => absent,
  candlesByCoin: () => absent,
  ticker: () => absent,
  tickers: absent,
  totalMarket: absent
})

const derivativesOf = (venue: Venue): CoinDerivatives["Service"] => {
  const recordsOf = Effect.fnUntraced(function*(coin: string, { from, to }: Interval, stepMs: number) {
    const book = yield* Effect.filterOrFail(bookOf(venue, coin), hasPerpetual, () => nothing(coin))
    const { recorded } = yield* venue.present
    const times = instants({ from: Math.max(from, listedAt), to: Math.min(to, recorded + 1) }, stepMs)
    return yield* some(coin, times.map((time) => pointOf(book, time)), () => perpetualSource)
  })
  return {
    perpetual: () => absent,
    perpetuals: absent,
    perpetualHistory: ({ coin, stepMs, ...interval }) =>
      Effect.map(recordsOf(coin, interval, stepMs), (read) => mapReading(read, (points) => ({ points, gaps: [] }))),
    fundingPrints: ({ coin, ...interval }) =>
      Effect.map(
        recordsOf(coin, interval, 8 * hourMs),
        (read) =>
          mapReading(read, (points) =>
            points.map(({ fundingRate, time }): FundingPrint => ({
              time,
              fundingRate: fundingRate ?? 0,
              intervalHours: 8
            })))
      ),
    recorded: recordedOf(venue, [perpetualSource], hasPerpetual),
    fundingByVenue: () => absent,
    openInterestByVenue: () => absent,
    takerFlow: () => absent,
    futures: () => absent,
    liquidations: () => absent
  }
}

const makeBook = (coin: string, i: number): Book => ({
  phase: i * 1.7,
  place: i,
  edits: [],
  facts: {
    coin,
    name: coin,
    sector: "layer1",
    circulatingSupply: 1e6 - i,
    maxSupply: null,
    listedAt,
    delistedAt: null,
    isStablecoin: false
  }
})

/** Creates a venue of `count` coins, BTC and ETH first, whose prices are waves. Every seventh coin has no perpetual. */
export const makeBackfilledVenue = (count: number): BackfilledVenue => {
  const coins = ["BTC", "ETH", ...Array.from({ length: count }, (_, i) => `C${i}`)].slice(0, count)
  const books = new Map(coins.map((coin, i) => [coin, makeBook(coin, i)]))
  const asked = new Map<string, number>()
  let lagMs = 0
  // Recorded data stays recorded when the lag grows.
  let newest = -Infinity
  let running = -Infinity
  const present = Effect.map(Clock.currentTimeMillis, (now) => {
    newest = Math.min(now, Math.max(newest, now - lagMs))
    if (newest === now) running = Math.floor(now / hourMs) * hourMs
    return { now, recorded: newest, running }
  })
  const venue: Venue = { books, asked, present, name: globalThis.crypto.randomUUID() }
  const edit = (coin: string, lost: boolean, interval: Interval): void => {
    books.get(coin)?.edits.push({ ...interval, lost })
  }
  return {
    layer: Layer.mergeAll(
      Layer.succeed(CoinPrices, pricesOf(venue)),
      Layer.succeed(CoinDerivatives, derivativesOf(venue)),
      SocialFeed.layerNone
    ),
    coins,
    asked,
    correct: (coin, interval) => edit(coin, false, interval),
    lose: (coin, interval) => edit(coin, true, interval),
    lag: (ms) => {
      lagMs = ms
    }
  }
}
