/** The simulated market of a stock or an index: sessions, traded prices, adjusted prices and candles. */
import {
  bucketStart,
  type Candle,
  durationMs,
  type EquityCountry,
  type EquityHistory,
  type EquityTimeframe,
  lastSession,
  mergeCandles,
  previousSession,
  sessionOf,
  type TradingSession
} from "@tapeline/core/market"
import type { Bar } from "../path/bar.ts"
import { canPass } from "../path/extremes.ts"
import type { Interval, Series, Sum } from "../path/Series.ts"
import {
  type ActionHistory,
  type CorporateAction,
  type Factors,
  getFactors,
  getPublishedActions,
  makeActionHistory
} from "./corporateActions.ts"
import { getSegmentDay, getSegments, sessionIndex } from "./equitySeries.ts"
import type { ResultMoves } from "./facts/results.ts"
import { clamp, makePriceLimits, type PriceRange, roundToKoreanTick } from "./priceLimits.ts"

export interface EquityMarketOptions {
  readonly name: string
  readonly country: EquityCountry
  /** The path of traded prices, adjusted for splits to the reference time. */
  readonly series: Series
  readonly actions: ReadonlyArray<CorporateAction>
  /** The price moves caused by a company's quarterly results, or undefined for an index. */
  readonly results?: ResultMoves
  /** The time at which the prices of `series` equal the traded prices. */
  readonly referenceTime: number
  readonly listedAt: number
  /** The close of the last session of a delisted stock, or null while the stock is traded. */
  readonly delistedAt?: number | null
  readonly valueUnit: number
  /** Whether prices follow the tick sizes and the daily price limit of the Korea Exchange. */
  readonly isKoreanStock: boolean
  readonly hasVolume: boolean
  /** The calculation of an index, which returns the logarithm of the index level every `everyMs` milliseconds. */
  readonly indexCalculation?: { readonly getLogLevel: (time: number) => number; readonly everyMs: number }
}

interface PriceScale {
  readonly factor: number
  readonly shares: number
  readonly roundPrice: (price: number) => number
}

/** A margin for the rounding of prices to ticks, in log points. */
const tickTolerance = 0.01

export class EquityMarket {
  readonly #options: EquityMarketOptions
  readonly #history: ActionHistory
  readonly #referenceFactors: Factors
  /** Returns the price limits of a session, or null if prices are unlimited. */
  readonly #getPriceLimits: (session: TradingSession) => PriceRange | null

  constructor(options: EquityMarketOptions) {
    this.#options = options
    this.#history = makeActionHistory(options.actions)
    this.#referenceFactors = getFactors(this.#history, options.referenceTime)
    this.#getPriceLimits = options.isKoreanStock
      ? makePriceLimits({
        listedAt: options.listedAt,
        getUnlimitedClose: (session) => {
          const scale = this.#scale(session.openAt, session.openAt)
          return scale.roundPrice(Math.exp(this.#getSessionBar(session).close) * scale.factor)
        },
        shareFactor: (time) => this.getShareFactor(time)
      })
      : () => null
  }

  get name(): string {
    return this.#options.name
  }

  get country(): EquityCountry {
    return this.#options.country
  }

  get listedAt(): number {
    return this.#options.listedAt
  }

  get delistedAt(): number | null {
    return this.#options.delistedAt ?? null
  }

  isTradedAt(time: number): boolean {
    return this.listedAt <= time && (this.delistedAt === null || time < this.delistedAt)
  }

  /** The splits and dividends from 2020 on, including future splits and dividends. */
  get actions(): ReadonlyArray<CorporateAction> {
    return this.#options.actions
  }

  /** Returns the number of shares at `time` that correspond to one share at the reference time. */
  getShareFactor(time: number): number {
    return getFactors(this.#history, time).shares / this.#referenceFactors.shares
  }

  /**
   * Returns the conversion of simulated prices at `time` to prices that are adjusted for splits and dividends up to
   * `seenAt`.
   */
  #scale(time: number, seenAt: number): PriceScale {
    const factorsThen = getFactors(this.#history, time)
    const now = getFactors(this.#history, seenAt)
    const isRescaled = factorsThen.dividendFactor !== now.dividendFactor || factorsThen.shares !== now.shares
    const makeRounding = (unit: number) => (price: number): number => Math.round(price * unit) / unit
    const roundPrice = this.#options.isKoreanStock
      ? isRescaled ? makeRounding(1) : roundToKoreanTick
      : makeRounding(isRescaled ? 10_000 : 100)
    // Simulated prices are per share of the reference time. Dividends between `time` and `seenAt` reduce the adjusted
    // price.
    return {
      factor: now.dividendFactor / factorsThen.dividendFactor * this.#referenceFactors.shares / now.shares,
      shares: now.shares,
      roundPrice
    }
  }

  #makeLimiter(session: TradingSession): (logPrice: number) => number {
    const range = this.#getPriceLimits(session)
    if (range === null) return (logPrice) => logPrice
    const shares = this.getShareFactor(session.openAt)
    const logs = { low: Math.log(range.low * shares), high: Math.log(range.high * shares) }
    return (logPrice) => clamp(logs, logPrice)
  }

  #getSessionBar(session: TradingSession): Bar {
    return this.#options.series.getSegment(session.day, getSegments(this.country, session.day), sessionIndex)
  }

  /**
   * Returns the log price at the opening of a session, and after each step of `seconds` seconds. `start` is the opening
   * time in seconds.
   */
  getSteps(start: number, seconds: number): { readonly open: number; readonly closes: ReadonlyArray<number> } {
    const session = lastSession(this.country, start * 1000)
    const bar = this.#getSessionBar(session)
    const limit = this.#makeLimiter(session)
    return { open: limit(bar.open), closes: this.#options.series.getCloses(bar, seconds).map(limit) }
  }

  /** Returns the log price of the path at any time, including times outside sessions. */
  getLogPrice(time: number): number {
    const { indexCalculation, results, series } = this.#options
    if (indexCalculation !== undefined) return indexCalculation.getLogLevel(time)
    const day = getSegmentDay(this.country, time)
    const segments = getSegments(this.country, day)
    const second = Math.floor(time / 1000)
    const index = segments.findIndex((segment) => second < segment.start + segment.seconds)
    const path = this.#limitLogPrice(day, index, series.getLogPrice(series.getSegment(day, segments, index), second))
    // The bar of a segment contains the results that were announced before the segment, so the price moves of later
    // results are added.
    return results === undefined
      ? path
      : path + results.getMoveUpTo(time) - results.getMoveUpTo(segments[index]!.start * 1000)
  }

  /** Limits a log price to the session's price limits; after the session, the path continues from the limited close. */
  #limitLogPrice(day: number, index: number, logPrice: number): number {
    const session = index < sessionIndex ? undefined : sessionOf(this.country, day)
    if (session === undefined || this.#getPriceLimits(session) === null) return logPrice
    const limit = this.#makeLimiter(session)
    if (index === sessionIndex) return limit(logPrice)
    const { close } = this.#getSessionBar(session)
    return logPrice + limit(close) - close
  }

  /** Returns the logarithm of the simulated price without the price moves of quarterly results. */
  getLogPriceWithoutResults(time: number): number {
    return this.getLogPrice(time) - (this.#options.results?.getMoveUpTo(time) ?? 0)
  }

  #getSession(time: number): TradingSession {
    return lastSession(this.country, Math.min(time, this.delistedAt ?? Infinity))
  }

  /** Returns the time of the last trade or index calculation up to `time`. */
  getLastTradeTime(time: number): number {
    const { closeAt, openAt } = this.#getSession(time)
    const at = Math.min(time, closeAt)
    const { indexCalculation } = this.#options
    return indexCalculation === undefined ? at : at - (at - openAt) % indexCalculation.everyMs
  }

  #getLastTradeLogPrice(time: number): number {
    const second = Math.floor(this.getLastTradeTime(time) / 1000)
    const session = this.#getSession(time)
    return this.#makeLimiter(session)(this.#options.series.getLogPrice(this.#getSessionBar(session), second))
  }

  /** Returns the traded price of the last trade up to `time`. */
  price(time: number): number {
    const scale = this.#scale(time, time)
    return scale.roundPrice(Math.exp(this.#getLastTradeLogPrice(time)) * scale.factor)
  }

  /**
   * Returns the close of the previous session, adjusted for splits but not for dividends, or null without a session.
   */
  getPreviousClose(time: number): number | null {
    const previous = previousSession(this.country, this.#getSession(time).day)
    if (previous.closeAt <= this.listedAt) return null
    const tradedClose = this.price(previous.closeAt)
    const splitFactor = this.getShareFactor(time) / this.getShareFactor(previous.closeAt)
    return splitFactor === 1 ? tradedClose : Math.round(tradedClose / splitFactor * 10_000) / 10_000
  }

  /** Returns the price of a future on the instrument at any time. The price also changes outside trading sessions. */
  getFuturePrice(time: number): number {
    const { factor } = this.#scale(time, time)
    return Math.round(Math.exp(this.getLogPrice(time)) * factor * 100) / 100
  }

  /** Returns the pre-market or post-market price. */
  getExtendedPrice(time: number): number {
    const scale = this.#scale(time, time)
    return scale.roundPrice(Math.exp(this.getLogPrice(time)) * scale.factor)
  }

  /**
   * Returns the traded value between the seconds `from` and `to`. The value is computed from prices within the
   * session's price limits.
   */
  #computeValue(session: TradingSession, root: Bar, from: number, to: number, sum: Sum): number {
    const { series, valueUnit } = this.#options
    const limit = this.#makeLimiter(session)
    if (limit(root.high) === root.high && limit(root.low) === root.low) return sum.value * valueUnit
    let value = 0
    for (const { seconds, start } of series.getIntervals(root, durationMs["15m"] / 1000, from, to)) {
      const intervalSum = series.sumInterval([root], Math.max(from, start), Math.min(to, start + seconds))
      if (intervalSum === undefined) continue
      const getValueAt = (logPrice: number): number =>
        Math.exp(limit(logPrice)) * intervalSum.volume * this.#referenceFactors.shares
      value += clamp(
        { low: getValueAt(intervalSum.low), high: getValueAt(intervalSum.high) },
        intervalSum.value * valueUnit
      )
    }
    return value
  }

  #candle(session: TradingSession, root: Bar, interval: Interval, scale: PriceScale, now: number): Candle {
    const time = interval.start * 1000
    const endAt = time + interval.seconds * 1000
    const limit = this.#makeLimiter(session)
    const toShownPrice = (logPrice: number): number => scale.roundPrice(Math.exp(limit(logPrice)) * scale.factor)
    const open = toShownPrice(interval.open)
    let sum: Sum | undefined = interval
    if (endAt > now) {
      sum = this.#options.series.sumInterval([root], interval.start, Math.floor(this.getLastTradeTime(now) / 1000))
    }
    const volumes = sum === undefined || !this.#options.hasVolume
      ? { volume: 0, quoteVolume: 0, takerBuyVolume: 0 }
      : {
        volume: sum.volume * scale.shares,
        quoteVolume: this.#computeValue(session, root, interval.start, Math.min(endAt, now) / 1000, sum),
        takerBuyVolume: sum.takerBuyVolume * scale.shares
      }
    return sum === undefined
      ? { time, open, high: open, low: open, close: open, ...volumes, closed: false }
      : {
        time,
        open,
        high: toShownPrice(sum.high),
        low: toShownPrice(sum.low),
        close: toShownPrice(sum.close),
        ...volumes,
        closed: endAt <= now
      }
  }

  #day(session: TradingSession, scale: PriceScale, now: number): Candle {
    const root = this.#getSessionBar(session)
    return this.#candle(session, root, root, scale, now)
  }

  #getSessionCandles(
    session: TradingSession,
    timeframe: "15m" | "1h",
    scale: PriceScale,
    now: number
  ): ReadonlyArray<Candle> {
    const from = session.openAt / 1000
    const to = Math.min(session.closeAt, now + 1) / 1000
    const root = this.#getSessionBar(session)
    return this.#options.series
      .getIntervals(root, durationMs[timeframe] / 1000, from, to)
      .map((interval) => this.#candle(session, root, interval, scale, now))
  }

  /** Returns the newest `count` candles at `now`, optionally corrected for later splits and dividends. */
  getLastCandles(timeframe: EquityTimeframe, count: number, now: number, adjusted: boolean): ReadonlyArray<Candle> {
    const candles: Array<Candle> = []
    let week: Array<Candle> = []
    const closeWeek = (): void => {
      const [first, ...rest] = week.toReversed()
      if (first !== undefined) candles.push(mergeCandles(first.time, [first, ...rest], (rest.at(-1) ?? first).closed))
      week = []
    }
    let session = this.#getSession(now)
    while (session.openAt >= this.listedAt) {
      const scale = this.#scale(session.openAt, adjusted ? now : session.openAt)
      if (timeframe === "1d") candles.push(this.#day(session, scale, now))
      else if (timeframe === "1w") {
        const day = this.#day(session, scale, now)
        if (week.length > 0 && bucketStart("1w", day.time) !== bucketStart("1w", week[0]!.time)) closeWeek()
        if (candles.length >= count) break
        week.push(day)
      } else candles.push(...this.#getSessionCandles(session, timeframe, scale, now).toReversed())
      if (timeframe !== "1w" && candles.length >= count) break
      session = previousSession(this.country, session.day)
    }
    if (candles.length < count) closeWeek()
    const newestCandles = candles.slice(0, count).toReversed()
    const last = newestCandles.at(-1)
    // A weekly candle is open until the last session of the week has closed.
    if (timeframe === "1w" && last !== undefined && last.closed && this.#isWeekUnfinished(last.time, now)) {
      newestCandles[newestCandles.length - 1] = { ...last, closed: false }
    }
    return newestCandles
  }

  /** Returns the price range of the last `count` sessions before `end`, adjusted for splits up to `now`. */
  getPriceRange(count: number, end: number, now: number): PriceRange {
    const shares = this.getShareFactor(now)
    let low = Infinity
    let high = -Infinity
    let session = this.#getSession(end)
    for (let i = 0; i < count && session.openAt >= this.listedAt; i++) {
      const root = this.#getSessionBar(session)
      const scale = this.#scale(session.openAt, session.openAt)
      const perShare = this.getShareFactor(session.openAt) / shares
      const limit = this.#makeLimiter(session)
      const includePoint = (logPrice: number): void => {
        const price = scale.roundPrice(Math.exp(limit(logPrice)) * scale.factor) * perShare
        low = Math.min(low, price)
        high = Math.max(high, price)
      }
      const toLogPrice = (price: number): number => Math.log(price / (scale.factor * perShare))
      includePoint(root.open)
      for (const point of root.points) includePoint(point)
      if (canPass(1, root, toLogPrice(low) + tickTolerance)) includePoint(root.low)
      if (canPass(-1, root, toLogPrice(high) - tickTolerance)) includePoint(root.high)
      session = previousSession(this.country, session.day)
    }
    return { low, high }
  }

  #isWeekUnfinished(time: number, now: number): boolean {
    const monday = bucketStart("1w", time)
    for (let day = getSegmentDay(this.country, monday) + 6; day >= getSegmentDay(this.country, monday); day--) {
      const session = sessionOf(this.country, day)
      if (session !== undefined && bucketStart("1w", session.openAt) === monday) return session.closeAt > now
    }
    return false
  }

  /** Returns candles, and the splits and dividends in the period of the candles. */
  history(timeframe: EquityTimeframe, count: number, now: number, adjusted: boolean): EquityHistory {
    const candles = this.getLastCandles(timeframe, count, now, adjusted)
    const from = candles[0]?.time ?? now
    const actions = getPublishedActions(
      this.actions,
      from,
      now + 1,
      (time) => this.price(time - 1),
      this.#options.isKoreanStock ? 0 : 2
    )
    return { candles, adjusted, ...actions }
  }
}
