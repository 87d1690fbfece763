import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { makeChart } from "./makeChart.ts"

export { makeChart }

/** The area's specifications, in the order of the catalogue. */
export const chartSpecifications = [makeChart] as const

/**
 * The handlers by tool name. They are modules that an engine loads when it is built, so that importing the
 * specifications loads no handler. A default export, which `export *` does not re-export.
 */
export default {
  make_chart: () => import("./makeChart.handler.ts")
} satisfies HandlersFrom<typeof chartSpecifications>
