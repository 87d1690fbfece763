import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { AnalystRatings, RatingChange, RatingGrade, StockRatingChange } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsAnalystRatings } from "./getUsAnalystRatings.ts"

const lookupOptions = { country: "US", otherTool: "get_kr_stock" } as const

/**
 * The grades of analysts, best first. The score of a grade is its position in the list, starting with 1 for
 * `strong_buy`.
 */
const grades: ReadonlyArray<RatingGrade> = ["strong_buy", "buy", "hold", "sell", "strong_sell"]
const maxChanges = 40

const classifyAction = ({ from, to }: RatingChange) =>
  from === null
    ? "initiate" as const
    : from === to
    ? "reiterate" as const
    : grades.indexOf(to) < grades.indexOf(from)
    ? "upgrade" as const
    : "downgrade" as const

const toChangeRow = (change: StockRatingChange) => ({
  time: formatInstant(change.time),
  symbol: change.symbol,
  firm: change.firm,
  action: classifyAction(change),
  from: change.from,
  to: change.to,
  target_usd: change.target
})

const computeConsensus = ({ counts }: AnalystRatings) => {
  const n = grades.reduce((sum, grade) => sum + counts[grade], 0)
  if (n === 0) return null
  const score = grades.reduce((sum, grade, i) => sum + (i + 1) * counts[grade], 0) / n
  return { grade: grades[Math.round(score) - 1]!, score, n, counts }
}

const makeNotes = (changes: ReadonlyArray<RatingChange>): ReadonlyArray<string> => [
  ...(changes.length > maxChanges ? [`The newest ${maxChanges} of ${changes.length} changes are listed.`] : []),
  ...(changes.some(({ target }) => target === null) ? ["target_usd is null if no target was published."] : [])
]

export const handler = handlerOf(
  getUsAnalystRatings,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets

    const readOneStock = Effect.fnUntraced(function*(requestedSymbol: string) {
      const { notes: lookupNotes, stock: { symbol } } = yield* findStock(equities, requestedSymbol, lookupOptions)
      const reading = yield* equities.ratings(symbol)
      const quote = yield* equities.quote(symbol)
      const { changes, target } = reading.value
      const { price } = quote.value
      const consensus = computeConsensus(reading.value)
      const notes = [...lookupNotes, ...makeNotes(changes)]
      if (consensus === null) notes.push("consensus is null: no analyst rates the stock.")
      if (target === null) notes.push("target is null: no source reports a target.")
      return {
        symbol,
        consensus,
        target: target === null ? null : { ...target, price, upside_pct: 100 * (target.mean / price - 1) },
        changes: changes.slice(-maxChanges).map((change) => toChangeRow({ ...change, symbol })),
        notes,
        ...provenanceOf(reading, quote)
      }
    })

    return Effect.fnUntraced(function*({ symbol }) {
      if (symbol !== undefined) return yield* readOneStock(symbol)
      const reading = yield* equities.ratingChanges({ limit: maxChanges })
      return {
        symbol: null,
        consensus: null,
        target: null,
        changes: reading.value.map(toChangeRow),
        notes: makeNotes(reading.value),
        ...provenanceOf(reading)
      }
    })
  })
)
