import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"
import { getYieldCurve } from "./getYieldCurve.ts"

export { getEconomicCalendar, getYieldCurve }

export const macroSpecifications = [
  getEconomicCalendar,
  getYieldCurve
] as const

/** Functions that import the handlers of the macro tools, by tool name. */
export default {
  get_economic_calendar: () => import("./getEconomicCalendar.handler.ts"),
  get_yield_curve: () => import("./getYieldCurve.handler.ts")
} satisfies HandlersFrom<typeof macroSpecifications>
