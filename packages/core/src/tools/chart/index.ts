import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { makeChart } from "./makeChart.ts"

export { makeChart }

/** The specifications of the chart tools, in the order of the catalogue. */
export const chartSpecifications = [makeChart] as const

/** The handlers of the chart tools, by tool name. A handler is imported only when an engine is built. */
export default {
  make_chart: () => import("./makeChart.handler.ts")
} satisfies HandlersFrom<typeof chartSpecifications>
