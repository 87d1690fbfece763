import type { Month } from "./month.ts"

/** Identifies a charged call by its reservation. An answer of the analyst is a call, too. */
export interface CallReference {
  readonly month: Month
  readonly entry: number
}

/** Returns the id of a call, such as `call_202611_4711`. */
export const formatCallId = ({ entry, month }: CallReference): string => `call_${month.replace("-", "")}_${entry}`

/** Returns the call that an id names, or null if the text is not an id in the form that `formatCallId` returns. */
export const parseCallId = (text: string): CallReference | null => {
  const [, year, month, digits] = /^call_(\d{4})(0[1-9]|1[0-2])_([1-9]\d{0,15})$/.exec(text) ?? []
  const entry = Number(digits)
  return Number.isSafeInteger(entry) ? { month: `${year}-${month}`, entry } : null
}
