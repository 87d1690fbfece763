import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"
import { getYieldCurve } from "./getYieldCurve.ts"

export { getEconomicCalendar, getYieldCurve }

/** The specifications of the macro tools, in the order of the catalogue. */
export const macroSpecifications = [
  getEconomicCalendar,
  getYieldCurve
] as const

/**
 * The handlers of the macro tools, by tool name. Each handler is a module that an engine loads when it is built, so
 * that importing the specifications loads no handler. `export *` does not re-export a default export.
 */
export default {
  get_economic_calendar: () => import("./getEconomicCalendar.handler.ts"),
  get_yield_curve: () => import("./getYieldCurve.handler.ts")
} satisfies HandlersFrom<typeof macroSpecifications>
