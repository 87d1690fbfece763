/**
 * Rounds deltas and other greeks for tool results. Tool specifications import this file, so the file may import only
 * rounding functions.
 */
import { roundToDecimals, roundToDigits } from "../../engine/tool/rounding.ts"

export const roundDelta = roundToDecimals(6)
export const roundGreek = roundToDigits(6)
