import { Clock, Effect } from "effect"
import { findStock } from "../../equities/findStock.ts"
import { localDate } from "../../equities/localDate.ts"
import type { EarningsEvent } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { type EventMove, eventMove } from "../../options/eventMove.ts"
import { expiryDate } from "../../options/expiry.ts"
import { termOf } from "../../options/term.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant, provenanceOf, sourceOf } from "../../tool/result.ts"
import { amount } from "../../tool/rounding.ts"
import { getUsEarnings } from "./getUsEarnings.ts"

const from = { country: "US", instead: "get_kr_stock" } as const

/** A company announces once a quarter. */
const nextDays = 120
/** Rows of the calendar that are told at most. */
const mostShown = 50

const expectedRow = ({ date, epsEstimate, name, period, symbol, time, when }: EarningsEvent) => ({
  symbol,
  name,
  period,
  date,
  time: time === null ? null : instant(time),
  when,
  eps_estimate: epsEstimate
})

/** Of the figures as they are written. */
const surpriseOf = ({ eps, epsEstimate }: EarningsEvent): number | null =>
  eps === null || epsEstimate === null
    ? null
    : finiteOrNull(100 * (amount(eps) - amount(epsEstimate)) / Math.abs(amount(epsEstimate)))

const pastRow = (event: EarningsEvent) => ({
  date: event.date,
  period: event.period,
  eps: event.eps,
  eps_estimate: event.epsEstimate,
  surprise_pct: surpriseOf(event),
  move_pct: event.movePct
})

const meanSize = (history: ReadonlyArray<EarningsEvent>): number | null => {
  const moves = history.flatMap(({ movePct }) => movePct === null ? [] : [Math.abs(movePct)])
  return finiteOrNull(moves.reduce((sum, move) => sum + move, 0) / moves.length)
}

interface Implied {
  readonly move: EventMove | null
  readonly note: string | null
}

const untold = (why: string): Effect.Effect<Reading<Implied>> =>
  Effect.succeed(reading({ move: null, note: `implied_move_pct is null: ${why}.` }, [], Infinity))

/** What options expect of an announcement; where there are none, or their source is not set up, why not. */
const impliedOf = (
  equities: EquityMarkets["Service"],
  symbol: string,
  event: EarningsEvent
): Effect.Effect<Reading<Implied>, MarketError> =>
  equities.options({ symbol }).pipe(
    Effect.map(({ asOf, sources, value }): Reading<Implied> => {
      const move = eventMove(termOf(value), event)
      const note = "implied_move_pct is null: no expiries around the announcement tell what they expect of it."
      return reading({ move, note: move === null ? note : null }, sources, asOf)
    }),
    Effect.catchTag("NoData", () => untold("it has no options")),
    Effect.catchTag("SourceUnavailable", (error) =>
      error.failure === "not_configured" ? untold("no source of options is set up") : Effect.fail(error))
  )

export const handler = handlerOf(
  getUsEarnings,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets

    const one = Effect.fnUntraced(function*(asked: string, days: number) {
      const { notes: taken, stock: { symbol } } = yield* findStock(equities, asked, from)
      const now = yield* Clock.currentTimeMillis
      const read = yield* equities.earnings({ symbol, days: Math.max(days, nextDays) })
      const { history, upcoming } = read.value
      const [next] = upcoming
      const implied = next === undefined ? null : yield* impliedOf(equities, symbol, next)
      const last = localDate("US", now + days * dayMs)
      const within = upcoming.filter(({ date, time }) => time === null ? date <= last : time < now + days * dayMs)
      const notes = [...taken]
      if (next === undefined) notes.push(`No announcement is expected within ${nextDays} days.`)
      const note = implied?.value.note ?? null
      if (note !== null) notes.push(note)
      if (history.some((event) => surpriseOf(event) === null)) {
        notes.push("surprise_pct is null where no source tells the result or an estimate.")
      }
      const move = implied?.value.move ?? null
      return {
        symbol,
        upcoming: within.map(expectedRow),
        next: next === undefined ? null : expectedRow(next),
        history: history.map(pastRow),
        mean_abs_move_pct: meanSize(history),
        implied_move_pct: move?.pct ?? null,
        implied_expiry: move === null ? null : expiryDate(move.expiryAt),
        notes,
        ...provenanceOf(read),
        source: implied === null ? sourceOf(read) : sourceOf(read, implied)
      }
    })

    return Effect.fnUntraced(function*({ days, symbol }) {
      if (symbol !== undefined) return yield* one(symbol, days)
      const read = yield* equities.earnings({ days })
      const { upcoming } = read.value
      const notes = upcoming.length > mostShown
        ? [`The first ${mostShown} of ${upcoming.length} announcements are shown; ask for fewer days, or by symbol.`]
        : upcoming.length === 0
        ? [`No announcement is expected within ${days} days.`]
        : []
      return {
        symbol: null,
        upcoming: upcoming.slice(0, mostShown).map(expectedRow),
        next: null,
        history: [],
        mean_abs_move_pct: null,
        implied_move_pct: null,
        implied_expiry: null,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
