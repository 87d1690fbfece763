import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"
import { getYieldCurve } from "./getYieldCurve.ts"

export { getEconomicCalendar, getYieldCurve }

/** The specifications of the macro tools, in the order of the catalogue. */
export const macroSpecifications = [
  getEconomicCalendar,
  getYieldCurve
] as const

/** The handlers of the macro tools, by tool name. A handler is imported only when an engine is built. */
export default {
  get_economic_calendar: () => import("./getEconomicCalendar.handler.ts"),
  get_yield_curve: () => import("./getYieldCurve.handler.ts")
} satisfies HandlersFrom<typeof macroSpecifications>
