import type { HandlersFrom } from "../../tool/implement.ts"
import { getKimchiPremium } from "./getKimchiPremium.ts"
import { getKrStock } from "./getKrStock.ts"

export { getKimchiPremium, getKrStock }

/** The area's specifications, in the order of the catalogue. */
export const koreaSpecifications = [getKimchiPremium, getKrStock] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_kimchi_premium: () => import("./getKimchiPremium.handler.ts"),
  get_kr_stock: () => import("./getKrStock.handler.ts")
} satisfies HandlersFrom<typeof koreaSpecifications>
