import { Clock, Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { formatLocalDate } from "../../analysis/equities/localDate.ts"
import { deriveEventMove, type EventMove, type NoEventMove } from "../../analysis/options/eventMove.ts"
import { formatExpiryDate } from "../../analysis/options/expiry.ts"
import { readTerm } from "../../analysis/options/termStructure.ts"
import { Compute, type ComputeError } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { finiteOrNull, formatInstant } from "../../engine/tool/result.ts"
import { amount } from "../../engine/tool/rounding.ts"
import type { EarningsEvent } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getUsEarnings } from "./getUsEarnings.ts"

const lookupOptions = { country: "US", otherTool: "get_kr_stock" } as const

/**
 * The number of days ahead in which the next earnings announcement is searched. The period is longer than a quarter, so
 * that it contains the next announcement.
 */
const nextDays = 120
const maxAnnouncements = 50

const toExpectedRow = ({ date, epsEstimate, name, period, symbol, time, when }: EarningsEvent) => ({
  symbol,
  name,
  period,
  date,
  time: time === null ? null : formatInstant(time),
  when,
  eps_estimate: epsEstimate
})

/** Returns the surprise in percent, computed from the rounded figures. */
const computeSurprisePct = ({ eps, epsEstimate }: EarningsEvent): number | null =>
  eps === null || epsEstimate === null
    ? null
    : finiteOrNull(100 * (amount(eps) - amount(epsEstimate)) / Math.abs(amount(epsEstimate)))

const toPastRow = (event: EarningsEvent) => ({
  date: event.date,
  period: event.period,
  eps: event.eps,
  eps_estimate: event.epsEstimate,
  surprise_pct: computeSurprisePct(event),
  move_pct: event.movePct
})

const computeMeanSize = (history: ReadonlyArray<EarningsEvent>): number | null => {
  const moves = history.flatMap(({ movePct }) => movePct === null ? [] : [Math.abs(movePct)])
  return finiteOrNull(moves.reduce((sum, move) => sum + move, 0) / moves.length)
}

interface ImpliedMove {
  readonly move: EventMove | null
  readonly note: string | null
}

/** The reasons why `implied_move_pct` is null although the stock has options. */
const noMoveReasons: Readonly<Record<NoEventMove, string>> = {
  no_expiry_after: "no quoted expiry lies after the announcement",
  no_usual_rate: "no neighbouring interval between expiries is without an announcement",
  no_excess: "options imply no more variance around the announcement than in neighbouring intervals"
}

const makeWithoutMove = (reason: string): ImpliedMove => ({ move: null, note: `implied_move_pct is null: ${reason}.` })

/** Returns the move that options imply for the next announcement, or a note on why no move is known. */
const readImpliedMove = (
  compute: typeof Compute["Service"],
  equities: EquityMarkets["Service"],
  symbol: string,
  announcements: readonly [EarningsEvent, ...ReadonlyArray<EarningsEvent>]
): Effect.Effect<Reading<ImpliedMove>, MarketError | ComputeError> =>
  equities.options({ symbol }).pipe(
    Effect.flatMap(({ asOf, sources, value }) =>
      Effect.map(readTerm(compute, value), (term): Reading<ImpliedMove> => {
        const move = deriveEventMove(term, announcements)
        const implied = typeof move === "string" ? makeWithoutMove(noMoveReasons[move]) : { move, note: null }
        return makeReading(implied, sources, asOf)
      })
    ),
    Effect.catchTag("NoData", () =>
      Effect.succeed(makeReading(makeWithoutMove("the stock has no options"), [], Infinity))),
    Effect.catchTag("SourceUnavailable", (error) =>
      error.failure === "not_configured"
        ? Effect.succeed(makeReading(makeWithoutMove("no source of options is configured"), [], Infinity))
        : Effect.fail(error))
  )

export const handler = handlerOf(
  getUsEarnings,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const compute = yield* Compute

    const readOneStock = Effect.fnUntraced(function*(requestedSymbol: string, days: number) {
      const { notes: lookupNotes, stock: { symbol } } = yield* findStock(equities, requestedSymbol, lookupOptions)
      const now = yield* Clock.currentTimeMillis
      const sourceReading = yield* equities.earnings({ symbol, days: Math.max(days, nextDays) })
      const { history, upcoming } = sourceReading.value
      const [next, ...later] = upcoming
      const implied = next === undefined ? null : yield* readImpliedMove(compute, equities, symbol, [next, ...later])
      const last = formatLocalDate("US", now + days * dayMs)
      const upcomingWithin = upcoming.filter(({ date, time }) =>
        time === null ? date <= last : time < now + days * dayMs
      )
      const notes = [...lookupNotes]
      if (next === undefined) notes.push(`No announcement is expected within ${nextDays} days.`)
      const note = implied?.value.note ?? null
      if (note !== null) notes.push(note)
      if (history.some((event) => computeSurprisePct(event) === null)) {
        notes.push("surprise_pct is null if no source reports the result or an estimate.")
      }
      const move = implied?.value.move ?? null
      return {
        symbol,
        upcoming: upcomingWithin.map(toExpectedRow),
        next: next === undefined ? null : toExpectedRow(next),
        history: history.map(toPastRow),
        mean_abs_move_pct: computeMeanSize(history),
        implied_move_pct: move?.pct ?? null,
        implied_expiry: move === null ? null : formatExpiryDate(move.expiryAt),
        notes,
        ...provenanceOf(sourceReading),
        source: implied === null ? sourceText(sourceReading) : sourceText(sourceReading, implied)
      }
    })

    return Effect.fnUntraced(function*({ days, symbol }) {
      if (symbol !== undefined) return yield* readOneStock(symbol, days)
      const sourceReading = yield* equities.earnings({ days })
      const { upcoming } = sourceReading.value
      const notes = upcoming.length > maxAnnouncements
        ? [
          `The first ${maxAnnouncements} of ${upcoming.length} announcements are listed; request fewer days, or pass a symbol.`
        ]
        : upcoming.length === 0
        ? [`No announcement is expected within ${days} days.`]
        : []
      return {
        symbol: null,
        upcoming: upcoming.slice(0, maxAnnouncements).map(toExpectedRow),
        next: null,
        history: [],
        mean_abs_move_pct: null,
        implied_move_pct: null,
        implied_expiry: null,
        notes,
        ...provenanceOf(sourceReading)
      }
    })
  })
)
