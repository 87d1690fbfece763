import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { localDate } from "../../analysis/equities/localDate.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { parts } from "../../engine/tool/rounding.ts"
import type { InvestorFlow } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrInvestorFlows } from "./getKrInvestorFlows.ts"

const from = { country: "KR", instead: "get_us_stock" } as const

const kinds = ["foreign", "institution", "retail", "other"] as const
type Net = Readonly<Record<(typeof kinds)[number], number | null>>

/**
 * Sources round each kind to a million won. A remainder up to this size goes to the largest kinds, so that all add up
 * to 0.
 */
const mostRounding = 4e6

const netOf = ({ foreignKrw, institutionKrw, otherKrw, retailKrw }: InvestorFlow): Net => {
  const told = [foreignKrw, institutionKrw, retailKrw, otherKrw]
  const known = told.flatMap((net) => net ?? [])
  const rest = known.reduce((sum, net) => sum + net, 0)
  const [foreign = null, institution = null, retail = null, other = null] =
    known.length === kinds.length && Math.abs(rest) <= mostRounding ? parts(known, 0, 0) : told
  return { foreign, institution, retail, other }
}

/** Null without sessions, too. */
const totalOf = (points: ReadonlyArray<Net>, kind: keyof Net): number | null =>
  points.length === 0
    ? null
    : points.reduce<number | null>((sum, { [kind]: net }) => sum === null || net === null ? null : sum + net, 0)

/**
 * Returns the number of consecutive sessions with the sign of the last one, negative for sales; null if it is unknown.
 */
const streakOf = (points: ReadonlyArray<Net>): number | null => {
  const sign = Math.sign(points.at(-1)?.foreign ?? NaN)
  if (Number.isNaN(sign)) return null
  const broken = points.findLastIndex(({ foreign }) => foreign === null || Math.sign(foreign) !== sign)
  return sign * (points.length - 1 - broken) + 0
}

export const handler = handlerOf(
  getKrInvestorFlows,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ days, symbol: asked }) {
      const found = asked === undefined ? undefined : yield* findStock(equities, asked, from)
      const symbol = found?.stock.symbol
      const read = yield* equities.investorFlows({ ...(symbol === undefined ? {} : { symbol }), days })
      const points = read.value.map((flow) => ({
        date: localDate("KR", flow.time),
        ...netOf(flow),
        provisional: flow.provisional
      }))
      const notes = [...(found?.notes ?? [])]
      const untold = kinds.filter((kind) => points.some(({ [kind]: net }) => net === null))
      if (untold.length > 0) notes.push(`No source tells, in some session at least: ${untold.join(", ")}.`)
      if (points.length < days) notes.push(`Only ${points.length} of ${counted(days, "session")} are recorded.`)
      return {
        symbol: symbol ?? null,
        name: found?.stock.name ?? null,
        points,
        totals: {
          foreign: totalOf(points, "foreign"),
          institution: totalOf(points, "institution"),
          retail: totalOf(points, "retail"),
          other: totalOf(points, "other")
        },
        foreign_streak: streakOf(points),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
