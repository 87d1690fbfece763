import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { formatLocalDate } from "../../analysis/equities/localDate.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { roundParts } from "../../engine/tool/rounding.ts"
import type { InvestorFlow } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrInvestorFlows } from "./getKrInvestorFlows.ts"

const lookupOptions = { country: "KR", otherTool: "get_us_stock" } as const

const investorKinds = ["foreign", "institution", "retail", "other"] as const
type NetFlows = Readonly<Record<(typeof investorKinds)[number], number | null>>

/**
 * The maximum rounding error of the sum of all four kinds of investor, in KRW. The sources round each value to one
 * million won. If the error is within this limit, the largest value is adjusted so that all four values add up to 0.
 */
const maxRoundingKrw = 4e6

const toNetFlows = ({ foreignKrw, institutionKrw, otherKrw, retailKrw }: InvestorFlow): NetFlows => {
  const reportedNets = [foreignKrw, institutionKrw, retailKrw, otherKrw]
  const knownNets = reportedNets.flatMap((net) => net ?? [])
  const remainder = knownNets.reduce((sum, net) => sum + net, 0)
  const [foreign = null, institution = null, retail = null, other = null] =
    knownNets.length === investorKinds.length && Math.abs(remainder) <= maxRoundingKrw
      ? roundParts(knownNets, 0, 0)
      : reportedNets
  return { foreign, institution, retail, other }
}

/**
 * Returns the total of one kind of investor over several sessions. Returns null if there are no sessions or a value is
 * unknown.
 */
const computeTotal = (points: ReadonlyArray<NetFlows>, kind: keyof NetFlows): number | null =>
  points.length === 0
    ? null
    : points.reduce<number | null>((sum, { [kind]: net }) => sum === null || net === null ? null : sum + net, 0)

/**
 * Returns the number of sessions in a row in which foreigners bought (positive) or sold (negative), or null if unknown.
 */
const computeStreak = (points: ReadonlyArray<NetFlows>): number | null => {
  const sign = Math.sign(points.at(-1)?.foreign ?? NaN)
  if (Number.isNaN(sign)) return null
  const lastOtherIndex = points.findLastIndex(({ foreign }) => foreign === null || Math.sign(foreign) !== sign)
  return sign * (points.length - 1 - lastOtherIndex) + 0
}

export const handler = handlerOf(
  getKrInvestorFlows,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ days, symbol: requestedSymbol }) {
      const foundStock = requestedSymbol === undefined
        ? undefined
        : yield* findStock(equities, requestedSymbol, lookupOptions)
      const symbol = foundStock?.stock.symbol
      const reading = yield* equities.investorFlows({ ...(symbol === undefined ? {} : { symbol }), days })
      const points = reading.value.map((flow) => ({
        date: formatLocalDate("KR", flow.time),
        ...toNetFlows(flow),
        provisional: flow.provisional
      }))
      const notes = [...(foundStock?.notes ?? [])]
      const unreportedKinds = investorKinds.filter((kind) => points.some(({ [kind]: net }) => net === null))
      if (unreportedKinds.length > 0) {
        notes.push(`Not reported in at least one session: ${unreportedKinds.join(", ")}.`)
      }
      if (points.length < days) notes.push(`Only ${points.length} of ${formatCount(days, "session")} are recorded.`)
      return {
        symbol: symbol ?? null,
        name: foundStock?.stock.name ?? null,
        points,
        totals: {
          foreign: computeTotal(points, "foreign"),
          institution: computeTotal(points, "institution"),
          retail: computeTotal(points, "retail"),
          other: computeTotal(points, "other")
        },
        foreign_streak: computeStreak(points),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
