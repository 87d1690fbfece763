/** The precision of greeks. Specifications import this file, so it has no other dependencies. */
import { decimals, digits } from "../../engine/tool/rounding.ts"

export const deltaDigits = decimals(6)
export const greekDigits = digits(6)
