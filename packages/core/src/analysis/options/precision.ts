/** The precision of greeks, in a file that imports only rounding, so that specifications can import it. */
import { roundToDecimals, roundToDigits } from "../../engine/tool/rounding.ts"

export const roundDelta = roundToDecimals(6)
export const roundGreek = roundToDigits(6)
