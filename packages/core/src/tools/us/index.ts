import type { HandlersFrom } from "../../tool/implement.ts"
import { getUsStock } from "./getUsStock.ts"

export { getUsStock }

/** The area's specifications, in the order of the catalogue. */
export const usSpecifications = [getUsStock] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_us_stock: () => import("./getUsStock.handler.ts")
} satisfies HandlersFrom<typeof usSpecifications>
