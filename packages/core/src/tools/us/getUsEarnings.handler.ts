import { Clock, Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { localDate } from "../../analysis/equities/localDate.ts"
import { type EventMove, eventMove, type NoEventMove } from "../../analysis/options/eventMove.ts"
import { expiryDate } from "../../analysis/options/expiry.ts"
import { readTerm } from "../../analysis/options/term.ts"
import { Compute, type ComputeError } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { finiteOrNull, instant } from "../../engine/tool/result.ts"
import { amount } from "../../engine/tool/rounding.ts"
import type { EarningsEvent } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getUsEarnings } from "./getUsEarnings.ts"

const from = { country: "US", instead: "get_kr_stock" } as const

/** Longer than a quarter, the interval between announcements. */
const nextDays = 120
/** The maximum number of rows of the calendar. */
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

/** Computed from the rounded figures. */
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

/** Why `implied_move_pct` is null although the stock has options. */
const noMoveReasons: Readonly<Record<NoEventMove, string>> = {
  no_expiry_after: "no quoted expiry lies after the announcement",
  no_usual_rate: "no interval between expiries without an announcement lies next to that of the announcement",
  no_excess: "options price no more variance around the announcement than in the intervals next to it"
}

const withoutMove = (reason: string): Implied => ({ move: null, note: `implied_move_pct is null: ${reason}.` })

/** Returns the move that options imply for the next announcement, or a note that explains why there is none. */
const impliedOf = (
  compute: typeof Compute["Service"],
  equities: EquityMarkets["Service"],
  symbol: string,
  announcements: readonly [EarningsEvent, ...ReadonlyArray<EarningsEvent>]
): Effect.Effect<Reading<Implied>, MarketError | ComputeError> =>
  equities.options({ symbol }).pipe(
    Effect.flatMap(({ asOf, sources, value }) =>
      Effect.map(readTerm(compute, value), (term): Reading<Implied> => {
        const move = eventMove(term, announcements)
        const implied = typeof move === "string" ? withoutMove(noMoveReasons[move]) : { move, note: null }
        return reading(implied, sources, asOf)
      })
    ),
    Effect.catchTag("NoData", () => Effect.succeed(reading(withoutMove("the stock has no options"), [], Infinity))),
    Effect.catchTag("SourceUnavailable", (error) =>
      error.failure === "not_configured"
        ? Effect.succeed(reading(withoutMove("no source of options is configured"), [], Infinity))
        : Effect.fail(error))
  )

export const handler = handlerOf(
  getUsEarnings,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const compute = yield* Compute

    const one = Effect.fnUntraced(function*(asked: string, days: number) {
      const { notes: taken, stock: { symbol } } = yield* findStock(equities, asked, from)
      const now = yield* Clock.currentTimeMillis
      const read = yield* equities.earnings({ symbol, days: Math.max(days, nextDays) })
      const { history, upcoming } = read.value
      const [next, ...later] = upcoming
      const implied = next === undefined ? null : yield* impliedOf(compute, equities, symbol, [next, ...later])
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
