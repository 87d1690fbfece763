import {
  type AnalystRatings,
  dayMs,
  type EarningsEvent,
  type EarningsReport,
  localDay,
  makeReading,
  type MarketError,
  type RatingChange,
  type RatingGrade,
  type Reading,
  sessionOf,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect, Schema } from "effect"
import { Name } from "../source/index.ts"
import { findStock, findStocks, noneRecorded } from "./findStocks.ts"
import type { StockList } from "./knownStocks.ts"
import type { YahooQuote, YahooSummary } from "./rows.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

type Service = Yahoo["Service"]

/** The words that analysts' firms use for each grade. */
const wordsByGrade: Readonly<Record<RatingGrade, string>> = {
  strong_buy: "strong buy|conviction buy|action list buy|top pick|speculative strong buy",
  buy: "buy|outperform|outperformer|overweight|accumulate|gradually accumulate|add|positive|market outperform|"
    + "sector outperform|long-term buy|above average|speculative buy",
  hold:
    "hold|neutral|equal-weight|market perform|sector perform|peer perform|perform|performer|sector performer|in-line|"
    + "sector weight|market weight|fair value|average|hold neutral|speculative hold",
  sell: "sell|underperform|underperformer|underweight|reduce|trim|negative|below average|cautious|sector underperform|"
    + "market underperform",
  strong_sell: "strong sell"
}
const grades = new Map(
  Object.entries(wordsByGrade).flatMap(([grade, gradeWords]) =>
    // The keys of `wordsByGrade` are grades.
    gradeWords.split("|").map((word) => [word, grade as RatingGrade] as const)
  )
)
const gradeOf = (word: string | null | undefined): RatingGrade | null =>
  grades.get((word ?? "").trim().toLowerCase().replace("peerperform", "peer perform")) ?? null

const isName = Schema.is(Name)

const maxChangeAgeMs = 180 * dayMs

const toRatingChanges = ({ upgradeDowngradeHistory }: YahooSummary, now: number): ReadonlyArray<RatingChange> =>
  (upgradeDowngradeHistory?.history ?? []).flatMap(
    ({ currentPriceTarget, epochGradeDate: time, firm, fromGrade, toGrade }) => {
      const to = gradeOf(toGrade)
      if (to === null || !isName(firm) || time > now || time <= now - maxChangeAgeMs) return []
      const target = currentPriceTarget ?? 0
      return [{ time, firm, from: gradeOf(fromGrade), to, target: target > 0 ? target : null }]
    }
  ).sort((a, b) => a.time - b.time)

const toPriceTarget = ({ financialData }: YahooSummary): AnalystRatings["target"] => {
  const { targetHighPrice: high, targetLowPrice: low, targetMeanPrice: mean } = financialData ?? {}
  if (high == null || low == null || mean == null) return null
  return low <= mean && mean <= high ? { mean, low, high } : null
}

export const makeRatingsRead = (yahoo: Service) =>
  Effect.fnUntraced(function*(symbol: string): Effect.fn.Return<Reading<AnalystRatings>, MarketError> {
    const { row } = yield* findStock(yahoo, symbol)
    const { receivedAt, value } = yield* yahoo.summary({ symbol: row.symbol, modules: "analysts" })
    const now = Math.min(receivedAt, yield* Clock.currentTimeMillis)
    const trend = value?.recommendationTrend?.trend.find(({ period }) => period === "0m")
    if (value === null || trend === undefined) return yield* noneRecorded(symbol, "ratings")
    const { buy, hold, sell, strongBuy, strongSell } = trend
    return makeReading(
      {
        symbol,
        time: now,
        counts: { strong_buy: strongBuy, buy, hold, sell, strong_sell: strongSell },
        target: toPriceTarget(value),
        changes: toRatingChanges(value, now)
      },
      yahooName,
      now
    )
  })

const dateOf = (stock: Stock, time: number): string =>
  // A date without a time is sent as midnight of the date.
  new Date(time % dayMs === 0 ? time : localDay(stock.country, time) * dayMs).toISOString().slice(0, 10)

/** Converts a fiscal quarter such as `3Q2026` to `2026Q3`, or returns undefined for any other text. */
const periodOf = (text: string | null | undefined): string | undefined => {
  const found = /^([1-4])Q(\d{4})$/u.exec(text ?? "")
  return found === null ? undefined : `${found[2]}Q${found[1]}`
}

/**
 * Returns the last calendar quarter before an announcement, which is used if the company's fiscal quarter is unknown.
 */
const quarterBefore = (time: number): string => {
  const date = new Date(time)
  const quarters = 4 * date.getUTCFullYear() + Math.floor(date.getUTCMonth() / 3) - 1
  return `${Math.floor(quarters / 4)}Q${quarters % 4 + 1}`
}

/** Returns the time of a confirmed announcement and its relation to the trading session. */
const announcementTime = (stock: Stock, time: number): Pick<EarningsEvent, "time" | "when"> => {
  const session = sessionOf(stock.country, localDay(stock.country, time))
  if (session === undefined || time % dayMs === 0) return { time: null, when: null }
  return { time, when: time < session.openAt ? "before_open" : time < session.closeAt ? "in_session" : "after_close" }
}

interface EarningsDate {
  readonly time: number
  readonly isConfirmed: boolean
}

const toUpcomingEvent = (
  stock: Stock,
  { isConfirmed, time }: EarningsDate,
  period: string | undefined,
  estimate: number | null
): EarningsEvent => ({
  symbol: stock.symbol,
  name: stock.name,
  period: period ?? quarterBefore(time),
  date: dateOf(stock, time),
  ...(isConfirmed ? announcementTime(stock, time) : { time: null, when: null }),
  epsEstimate: estimate,
  eps: null,
  movePct: null
})

const compareEvents = (a: EarningsEvent, b: EarningsEvent): number =>
  a.date === b.date ? a.symbol < b.symbol ? -1 : 1 : a.date < b.date ? -1 : 1

const maxPastEvents = 8

/**
 * Returns past earnings announcements without price moves. The announcement time is unknown, so the session that shows
 * the price move is unknown too.
 */
const toPastEvents = (stock: Stock, { earnings }: YahooSummary, now: number): ReadonlyArray<EarningsEvent> => {
  const found = (earnings?.earningsChart.quarterly ?? []).flatMap((quarter) => {
    const { actual, date, estimate, fiscalQuarter, reportedDate } = quarter
    const period = periodOf(fiscalQuarter) ?? periodOf(date)
    if (reportedDate == null || reportedDate > now || actual == null || period === undefined) return []
    const event: EarningsEvent = {
      symbol: stock.symbol,
      name: stock.name,
      period,
      date: dateOf(stock, reportedDate),
      time: null,
      when: null,
      epsEstimate: estimate ?? null,
      eps: actual,
      movePct: null
    }
    return [event]
  })
  return [...new Map(found.map((event) => [event.date, event])).values()].sort(compareEvents).slice(-maxPastEvents)
}

const fetchEarnings = Effect.fnUntraced(function*(
  yahoo: Service,
  symbol: string,
  days: number
): Effect.fn.Return<Reading<EarningsReport>, MarketError> {
  const { row, stock } = yield* findStock(yahoo, symbol)
  const { receivedAt, value } = yield* yahoo.summary({ symbol: row.symbol, modules: "earnings" })
  const now = yield* Clock.currentTimeMillis
  if (value === null) return yield* noneRecorded(symbol, "earnings")
  const { earningsAverage, earningsDate = [], isEarningsDateEstimate } = value.calendarEvents?.earnings ?? {}
  const history = toPastEvents(stock, value, now)
  const [time] = earningsDate
  const last = history.at(-1)?.date ?? ""
  const isDue = time !== undefined && time > now && time < now + days * dayMs && dateOf(stock, time) > last
  const isConfirmed = isEarningsDateEstimate === false && earningsDate.length === 1
  const period = periodOf(value.earnings?.earningsChart.currentFiscalQuarter)
  const upcoming = isDue ? [toUpcomingEvent(stock, { time, isConfirmed }, period, earningsAverage ?? null)] : []
  return makeReading({ upcoming, history }, yahooName, Math.min(receivedAt, now))
})

const upcomingEvents = (stock: Stock, row: YahooQuote, now: number, days: number): ReadonlyArray<EarningsEvent> => {
  const { earningsTimestampEnd: to, earningsTimestampStart: time, isEarningsDateEstimate } = row
  if (time == null || time <= now || time >= now + days * dayMs) return []
  const isConfirmed = isEarningsDateEstimate === false && (to ?? time) === time
  return [toUpcomingEvent(stock, { time, isConfirmed }, undefined, null)]
}

/** Returns a function that fetches upcoming earnings announcements of a symbol, or of the listed US stocks. */
export const makeEarningsRead = (yahoo: Service, { US: symbols }: StockList) =>
  Effect.fnUntraced(function*({ days, symbol }: {
    readonly symbol?: string
    readonly days: number
  }): Effect.fn.Return<Reading<EarningsReport>, MarketError> {
    if (symbol !== undefined) return yield* fetchEarnings(yahoo, symbol, days)
    const found = yield* findStocks(yahoo, symbols)
    const now = yield* Clock.currentTimeMillis
    const upcoming = [...found.values()].flatMap(({ row, stock }) => upcomingEvents(stock, row, now, days)).sort(
      compareEvents
    )
    return makeReading({ upcoming, history: [] }, yahooName, now)
  })
