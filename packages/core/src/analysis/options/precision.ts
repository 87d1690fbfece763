/** The precision of greeks. Specifications import this file, so it depends only on rounding. */
import { roundToDecimals, roundToDigits } from "../../engine/tool/rounding.ts"

export const roundDelta = roundToDecimals(6)
export const roundGreek = roundToDigits(6)
