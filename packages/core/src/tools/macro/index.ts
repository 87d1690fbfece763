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
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_economic_calendar: () => import("./getEconomicCalendar.handler.ts"),
  get_yield_curve: () => import("./getYieldCurve.handler.ts")
} satisfies HandlersFrom<typeof macroSpecifications>
