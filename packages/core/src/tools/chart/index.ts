import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { makeChart } from "./makeChart.ts"

export { makeChart }

export const chartSpecifications = [makeChart] as const

/** The handlers of the chart tools, by tool name, each imported only when an engine is built. */
export default {
  make_chart: () => import("./makeChart.handler.ts")
} satisfies HandlersFrom<typeof chartSpecifications>
