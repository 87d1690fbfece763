import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { makeChart } from "./makeChart.ts"

export { makeChart }

/** The specifications of the chart tools, in the order of the catalogue. */
export const chartSpecifications = [makeChart] as const

/**
 * The handlers of the chart tools, by tool name. Each handler is a module that an engine loads when it is built, so
 * that importing the specifications loads no handler. `export *` does not re-export a default export.
 */
export default {
  make_chart: () => import("./makeChart.handler.ts")
} satisfies HandlersFrom<typeof chartSpecifications>
