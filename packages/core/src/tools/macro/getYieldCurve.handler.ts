import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { MacroCalendar, type YieldPoint } from "../../market/MacroCalendar.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getYieldCurve } from "./getYieldCurve.ts"

const roundYield = roundToDecimals(4)

/** Returns the difference of two rounded yields, in basis points. */
const toBasisPoints = (from: number | null | undefined, to: number | null | undefined): number | null =>
  from === null || from === undefined || to === null || to === undefined
    ? null
    : 100 * (roundYield(to) - roundYield(from))

export const handler = handlerOf(
  getYieldCurve,
  Effect.gen(function*() {
    const calendar = yield* MacroCalendar
    return Effect.fnUntraced(function*({ country }) {
      const reading = yield* calendar.yieldCurve(country)
      const { points } = reading.value
      const pointAt = (tenor: string): YieldPoint | undefined => points.find((point) => point.tenor === tenor)
      const [months, two, ten] = [pointAt("3M"), pointAt("2Y"), pointAt("10Y")]
      const spread = toBasisPoints(two?.yieldPct, ten?.yieldPct)
      const previousSpread = toBasisPoints(two?.yield1mAgoPct, ten?.yield1mAgoPct)
      const notes: Array<string> = []
      if (spread === null) notes.push("The spread is null: no source reports both the two-year and the ten-year yield.")
      if (points.some(({ yield1mAgoPct }) => yield1mAgoPct === null)) {
        notes.push("Changes are null if the yield of 30 days earlier is not recorded.")
      }
      return {
        country,
        tenors: points.map(({ tenor, yield1mAgoPct, yieldPct, years }) => ({
          tenor,
          years,
          yield_pct: yieldPct,
          yield_1m_ago_pct: yield1mAgoPct,
          change_1m_bps: toBasisPoints(yield1mAgoPct, yieldPct)
        })),
        spread_10y_2y_bps: spread,
        spread_10y_3m_bps: toBasisPoints(months?.yieldPct, ten?.yieldPct),
        inverted: spread === null ? null : spread < 0,
        change_1m_bps: spread === null || previousSpread === null ? null : spread - previousSpread,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
