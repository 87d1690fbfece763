import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"
import { getYieldCurve } from "./getYieldCurve.ts"

export { getEconomicCalendar, getYieldCurve }

/** The area's specifications, in the order of the catalogue. */
export const macroSpecifications = [
  getEconomicCalendar,
  getYieldCurve
] as const

/**
 * The handlers by tool name. They are modules that an engine loads when it is built, so that importing the
 * specifications loads no handler. A default export, which `export *` does not re-export.
 */
export default {
  get_economic_calendar: () => import("./getEconomicCalendar.handler.ts"),
  get_yield_curve: () => import("./getYieldCurve.handler.ts")
} satisfies HandlersFrom<typeof macroSpecifications>
