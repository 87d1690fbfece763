/**
 * How finely greeks are told; specifications read it, so it stands on nothing.
 */
import { decimals, digits } from "../../engine/tool/rounding.ts"

export const deltaDigits = decimals(6)
export const greekDigits = digits(6)
