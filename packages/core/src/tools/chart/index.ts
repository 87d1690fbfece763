import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { makeChart } from "./makeChart.ts"

export { makeChart }

/** The area's specifications, in the order of the catalogue. */
export const chartSpecifications = [makeChart] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  make_chart: () => import("./makeChart.handler.ts")
} satisfies HandlersFrom<typeof chartSpecifications>
