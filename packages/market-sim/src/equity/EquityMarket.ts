/** The market of a stock or an index: sessions, traded and adjusted prices, candles. */
import {
  addUp,
  bucketStart,
  type Candle,
  durationMs,
  type EquityCountry,
  type EquityHistory,
  type EquityTimeframe,
  lastSession,
  previousSession,
  sessionOf,
  type TradingSession
} from "@tapeline/core/market"
import type { Bar } from "../path/bar.ts"
import { mayPass } from "../path/extremes.ts"
import type { Interval, Series, Sum } from "../path/Series.ts"
import { type Action, type ActionHistory, type Factors, factorsAt, historyOf, published } from "./corporate.ts"
import { segmentDay, segmentsOf, sessionIndex } from "./equitySeries.ts"
import type { ResultMoves } from "./facts/results.ts"
import { onKoreanTick, priceLimits, type PriceRange, within } from "./priceLimits.ts"

export interface EquityMarketOptions {
  readonly name: string
  readonly country: EquityCountry
  /** The price path in shares of the reference time: as traded, except for splits. */
  readonly series: Series
  readonly actions: ReadonlyArray<Action>
  /** The price moves that a company's results caused. Undefined for an index. */
  readonly results?: ResultMoves
  /** The time at which the level of the series is the traded price, including the effects of earlier actions. */
  readonly reference: number
  readonly listedAt: number
  /** The close of its last session. Null while it is traded. */
  readonly delistedAt?: number | null
  readonly valueUnit: number
  /** Whether prices follow the Korean tick table and the Korean price limit. False for an index. */
  readonly isKoreanStock: boolean
  readonly hasVolume: boolean
  /** For an index: the logarithm of its members' sum at a time, and its calculation interval in a session. */
  readonly calculated?: { readonly sumAt: (time: number) => number; readonly everyMs: number }
}

/** The conversion of a path's prices to prices as seen at a time: a factor, and the rounding. */
interface Scale {
  readonly factor: number
  readonly shares: number
  readonly show: (price: number) => number
}

/** The maximum distance of a price from its tick, in log points. */
const tickSlack = 0.01

export class EquityMarket {
  readonly #options: EquityMarketOptions
  readonly #history: ActionHistory
  readonly #reference: Factors
  /** The price range of a session. Null without a limit. */
  readonly #rangeOf: (session: TradingSession) => PriceRange | null

  constructor(options: EquityMarketOptions) {
    this.#options = options
    this.#history = historyOf(options.actions)
    this.#reference = factorsAt(this.#history, options.reference)
    this.#rangeOf = options.isKoreanStock
      ? priceLimits({
        listedAt: options.listedAt,
        closeOf: (session) => {
          const scale = this.#scale(session.openAt, session.openAt)
          return scale.show(Math.exp(this.#sessionBar(session).close) * scale.factor)
        },
        shareFactor: (time) => this.shareFactor(time)
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

  /** The close of its last session. Null while it is traded. */
  get delistedAt(): number | null {
    return this.#options.delistedAt ?? null
  }

  /** Returns whether the stock or index is traded in the sessions around a time. */
  tradesAt(time: number): boolean {
    return this.listedAt <= time && (this.delistedAt === null || time < this.delistedAt)
  }

  /** Splits and dividends from 2020 on, oldest first, including future ones. */
  get actions(): ReadonlyArray<Action> {
    return this.#options.actions
  }

  /** The number of shares at `time` for one share at the reference. */
  shareFactor(time: number): number {
    return factorsAt(this.#history, time).shares / this.#reference.shares
  }

  /** The scale of prices of `time` as seen at `seen`. Equal times give traded prices. */
  #scale(time: number, seen: number): Scale {
    const then = factorsAt(this.#history, time)
    const now = factorsAt(this.#history, seen)
    const changed = then.kept !== now.kept || then.shares !== now.shares
    const rounded = (unit: number) => (price: number): number => Math.round(price * unit) / unit
    const show = this.#options.isKoreanStock
      ? changed ? rounded(1) : onKoreanTick
      : rounded(changed ? 10_000 : 100)
    // The path is as traded, in shares of the reference. Prices seen from a later time are reduced by the dividends
    // since.
    return { factor: now.kept / then.kept * this.#reference.shares / now.shares, shares: now.shares, show }
  }

  /** Returns a function that limits log prices of the path to a session's price limit. */
  #limitIn(session: TradingSession): (logPrice: number) => number {
    const range = this.#rangeOf(session)
    if (range === null) return (logPrice) => logPrice
    const shares = this.shareFactor(session.openAt)
    const logs = { low: Math.log(range.low * shares), high: Math.log(range.high * shares) }
    return (logPrice) => within(logs, logPrice)
  }

  #sessionBar(session: TradingSession): Bar {
    return this.#options.series.segment(session.day, segmentsOf(this.country, session.day), sessionIndex)
  }

  /** The log prices of the path at the opening of the session that begins at a second, and after each of its steps. */
  stepsOf(start: number, seconds: number): { readonly open: number; readonly closes: ReadonlyArray<number> } {
    const session = lastSession(this.country, start * 1000)
    const bar = this.#sessionBar(session)
    const limited = this.#limitIn(session)
    return { open: limited(bar.open), closes: this.#options.series.closes(bar, seconds).map(limited) }
  }

  /** The logarithm of the path at any time, also outside sessions. A future on the instrument follows it. */
  pathAt(time: number): number {
    const { calculated, results, series } = this.#options
    if (calculated !== undefined) return calculated.sumAt(time)
    const day = segmentDay(this.country, time)
    const segments = segmentsOf(this.country, day)
    const second = Math.floor(time / 1000)
    const index = segments.findIndex((segment) => second < segment.start + segment.seconds)
    const path = this.#limitedAt(day, index, series.logPriceAt(series.segment(day, segments, index), second))
    // A segment's bar includes the results from before its start. Later results are not in its path.
    return results === undefined ? path : path + results.upTo(time) - results.upTo(segments[index]!.start * 1000)
  }

  /** The log price of a segment of a day: limited in the session, and continued from the limited close afterwards. */
  #limitedAt(day: number, index: number, logPrice: number): number {
    const session = index < sessionIndex ? undefined : sessionOf(this.country, day)
    if (session === undefined || this.#rangeOf(session) === null) return logPrice
    const limited = this.#limitIn(session)
    if (index === sessionIndex) return limited(logPrice)
    const { close } = this.#sessionBar(session)
    return logPrice + limited(close) - close
  }

  /** The path without the price moves of results. */
  driftAt(time: number): number {
    return this.pathAt(time) - (this.#options.results?.upTo(time) ?? 0)
  }

  /** The session of the last trade up to `time`. */
  #sessionAt(time: number): TradingSession {
    return lastSession(this.country, Math.min(time, this.delistedAt ?? Infinity))
  }

  /**
   * The last time up to `time` with a price. In a session it is `time` or the last calculation, otherwise the last
   * close.
   */
  lastTradeAt(time: number): number {
    const { closeAt, openAt } = this.#sessionAt(time)
    const at = Math.min(time, closeAt)
    const { calculated } = this.#options
    return calculated === undefined ? at : at - (at - openAt) % calculated.everyMs
  }

  #pathOfLastTrade(time: number): number {
    const second = Math.floor(this.lastTradeAt(time) / 1000)
    const session = this.#sessionAt(time)
    return this.#limitIn(session)(this.#options.series.logPriceAt(this.#sessionBar(session), second))
  }

  /** The price of the last trade up to `time`, as traded. */
  price(time: number): number {
    const scale = this.#scale(time, time)
    return scale.show(Math.exp(this.#pathOfLastTrade(time)) * scale.factor)
  }

  /**
   * The close of the session before the session of `time`, scaled for later splits but not for dividends. Null in the
   * first session.
   */
  previousClose(time: number): number | null {
    const previous = previousSession(this.country, this.#sessionAt(time).day)
    if (previous.closeAt <= this.listedAt) return null
    const traded = this.price(previous.closeAt)
    const splits = this.shareFactor(time) / this.shareFactor(previous.closeAt)
    return splits === 1 ? traded : Math.round(traded / splits * 10_000) / 10_000
  }

  /** The price of a future on it, in or out of a session: the path itself. */
  futurePrice(time: number): number {
    const { factor } = this.#scale(time, time)
    return Math.round(Math.exp(this.pathAt(time)) * factor * 100) / 100
  }

  /** The traded price before or after a session. */
  extendedPrice(time: number): number {
    const scale = this.#scale(time, time)
    return scale.show(Math.exp(this.pathAt(time)) * scale.factor)
  }

  /**
   * The traded value of a sum over `[from, to)` (seconds). In a session that reaches its price limit, the value of each
   * quarter of an hour is its volume at prices between its limited extremes.
   */
  #valueOf(session: TradingSession, root: Bar, from: number, to: number, sum: Sum): number {
    const { series, valueUnit } = this.#options
    const limited = this.#limitIn(session)
    if (limited(root.high) === root.high && limited(root.low) === root.low) return sum.value * valueUnit
    let value = 0
    for (const { seconds, start } of series.intervals(root, durationMs["15m"] / 1000, from, to)) {
      const part = series.sum([root], Math.max(from, start), Math.min(to, start + seconds))
      if (part === undefined) continue
      const worth = (logPrice: number): number => Math.exp(limited(logPrice)) * part.volume * this.#reference.shares
      value += within({ low: worth(part.low), high: worth(part.high) }, part.value * valueUnit)
    }
    return value
  }

  #candle(session: TradingSession, root: Bar, interval: Interval, scale: Scale, now: number): Candle {
    const time = interval.start * 1000
    const endAt = time + interval.seconds * 1000
    const limited = this.#limitIn(session)
    const shown = (logPrice: number): number => scale.show(Math.exp(limited(logPrice)) * scale.factor)
    const open = shown(interval.open)
    let sum: Sum | undefined = interval
    if (endAt > now) sum = this.#options.series.sum([root], interval.start, Math.floor(this.lastTradeAt(now) / 1000))
    const volumes = sum === undefined || !this.#options.hasVolume
      ? { volume: 0, quoteVolume: 0, takerBuyVolume: 0 }
      : {
        volume: sum.volume * scale.shares,
        quoteVolume: this.#valueOf(session, root, interval.start, Math.min(endAt, now) / 1000, sum),
        takerBuyVolume: sum.bought * scale.shares
      }
    return sum === undefined
      ? { time, open, high: open, low: open, close: open, ...volumes, closed: false }
      : {
        time,
        open,
        high: shown(sum.high),
        low: shown(sum.low),
        close: shown(sum.close),
        ...volumes,
        closed: endAt <= now
      }
  }

  #day(session: TradingSession, scale: Scale, now: number): Candle {
    const root = this.#sessionBar(session)
    return this.#candle(session, root, root, scale, now)
  }

  /** The candles of one session at `now`, oldest first. */
  #intraday(session: TradingSession, timeframe: "15m" | "1h", scale: Scale, now: number): ReadonlyArray<Candle> {
    const from = session.openAt / 1000
    const to = Math.min(session.closeAt, now + 1) / 1000
    const root = this.#sessionBar(session)
    return this.#options.series
      .intervals(root, durationMs[timeframe] / 1000, from, to)
      .map((interval) => this.#candle(session, root, interval, scale, now))
  }

  /** At most the last `count` candles at `now`. Adjusted candles are scaled to the present, others are as traded. */
  lastCandles(timeframe: EquityTimeframe, count: number, now: number, adjusted: boolean): ReadonlyArray<Candle> {
    const candles: Array<Candle> = []
    let week: Array<Candle> = []
    const closeWeek = (): void => {
      const [first, ...rest] = week.toReversed()
      if (first !== undefined) candles.push(addUp(first.time, [first, ...rest], (rest.at(-1) ?? first).closed))
      week = []
    }
    let session = this.#sessionAt(now)
    while (session.openAt >= this.listedAt) {
      const scale = this.#scale(session.openAt, adjusted ? now : session.openAt)
      if (timeframe === "1d") candles.push(this.#day(session, scale, now))
      else if (timeframe === "1w") {
        const day = this.#day(session, scale, now)
        if (week.length > 0 && bucketStart("1w", day.time) !== bucketStart("1w", week[0]!.time)) closeWeek()
        if (candles.length >= count) break
        week.push(day)
      } else candles.push(...this.#intraday(session, timeframe, scale, now).toReversed())
      if (timeframe !== "1w" && candles.length >= count) break
      session = previousSession(this.country, session.day)
    }
    if (candles.length < count) closeWeek()
    const kept = candles.slice(0, count).toReversed()
    const last = kept.at(-1)
    // A week is open until its last session has closed.
    if (timeframe === "1w" && last !== undefined && last.closed && this.#weekGoesOn(last.time, now)) {
      kept[kept.length - 1] = { ...last, closed: false }
    }
    return kept
  }

  /**
   * The lowest and the highest price of the last `count` sessions that opened before `end`, as traded, for a share of
   * `now`. The extremes of most sessions are not computed, because their points are too far from those of others.
   */
  range(count: number, end: number, now: number): PriceRange {
    const shares = this.shareFactor(now)
    let low = Infinity
    let high = -Infinity
    let session = this.#sessionAt(end)
    for (let i = 0; i < count && session.openAt >= this.listedAt; i++) {
      const root = this.#sessionBar(session)
      const scale = this.#scale(session.openAt, session.openAt)
      const perShare = this.shareFactor(session.openAt) / shares
      const limited = this.#limitIn(session)
      const include = (logPrice: number): void => {
        const price = scale.show(Math.exp(limited(logPrice)) * scale.factor) * perShare
        low = Math.min(low, price)
        high = Math.max(high, price)
      }
      const logOf = (price: number): number => Math.log(price / (scale.factor * perShare))
      include(root.open)
      for (const point of root.points) include(point)
      if (mayPass(1, root, logOf(low) + tickSlack)) include(root.low)
      if (mayPass(-1, root, logOf(high) - tickSlack)) include(root.high)
      session = previousSession(this.country, session.day)
    }
    return { low, high }
  }

  #weekGoesOn(time: number, now: number): boolean {
    const monday = bucketStart("1w", time)
    for (let day = segmentDay(this.country, monday) + 6; day >= segmentDay(this.country, monday); day--) {
      const session = sessionOf(this.country, day)
      if (session !== undefined && bucketStart("1w", session.openAt) === monday) return session.closeAt > now
    }
    return false
  }

  /** Candles, with the corporate actions in their time. */
  history(timeframe: EquityTimeframe, count: number, now: number, adjusted: boolean): EquityHistory {
    const candles = this.lastCandles(timeframe, count, now, adjusted)
    const from = candles[0]?.time ?? now
    const actions = published(
      this.actions,
      from,
      now + 1,
      (time) => this.price(time - 1),
      this.#options.isKoreanStock ? 0 : 2
    )
    return { candles, adjusted, ...actions }
  }
}
