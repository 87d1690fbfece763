import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import type { AnalystRatings, RatingChange, RatingGrade, StockRatingChange } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsAnalystRatings } from "./getUsAnalystRatings.ts"

const from = { country: "US", instead: "get_kr_stock" } as const

/** Best first. A grade's score is its position, from 1. */
const grades: ReadonlyArray<RatingGrade> = ["strong_buy", "buy", "hold", "sell", "strong_sell"]
const mostShown = 40

const actionOf = ({ from, to }: RatingChange) =>
  from === null
    ? "initiate" as const
    : from === to
    ? "reiterate" as const
    : grades.indexOf(to) < grades.indexOf(from)
    ? "upgrade" as const
    : "downgrade" as const

const changeRow = (change: StockRatingChange) => ({
  time: instant(change.time),
  symbol: change.symbol,
  firm: change.firm,
  action: actionOf(change),
  from: change.from,
  to: change.to,
  target_usd: change.target
})

const consensusOf = ({ counts }: AnalystRatings) => {
  const n = grades.reduce((sum, grade) => sum + counts[grade], 0)
  if (n === 0) return null
  const score = grades.reduce((sum, grade, i) => sum + (i + 1) * counts[grade], 0) / n
  return { grade: grades[Math.round(score) - 1]!, score, n, counts }
}

const notesOn = (changes: ReadonlyArray<RatingChange>): ReadonlyArray<string> => [
  ...(changes.length > mostShown ? [`The newest ${mostShown} of ${changes.length} changes are shown.`] : []),
  ...(changes.some(({ target }) => target === null) ? ["target_usd is null where none was published."] : [])
]

export const handler = handlerOf(
  getUsAnalystRatings,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets

    const one = Effect.fnUntraced(function*(asked: string) {
      const { notes: taken, stock: { symbol } } = yield* findStock(equities, asked, from)
      const read = yield* equities.ratings(symbol)
      const quote = yield* equities.quote(symbol)
      const { changes, target } = read.value
      const { price } = quote.value
      const consensus = consensusOf(read.value)
      const notes = [...taken, ...notesOn(changes)]
      if (consensus === null) notes.push("consensus is null: nobody grades it.")
      if (target === null) notes.push("target is null: no source tells one.")
      return {
        symbol,
        consensus,
        target: target === null ? null : { ...target, price, upside_pct: 100 * (target.mean / price - 1) },
        changes: changes.slice(-mostShown).map((change) => changeRow({ ...change, symbol })),
        notes,
        ...provenanceOf(read, quote)
      }
    })

    return Effect.fnUntraced(function*({ symbol }) {
      if (symbol !== undefined) return yield* one(symbol)
      const read = yield* equities.ratingChanges({ limit: mostShown })
      return {
        symbol: null,
        consensus: null,
        target: null,
        changes: read.value.map(changeRow),
        notes: notesOn(read.value),
        ...provenanceOf(read)
      }
    })
  })
)
