import { instant } from "../../engine/tool/result.ts"
import { minuteMs } from "../../market/timeframe.ts"

/** A record older than this is said to be. */
const oldRecordMs = 10 * minuteMs

/** The note on a perpetual whose newest record lags. */
export const recordNotes = (time: number, now: number): ReadonlyArray<string> =>
  now - time <= oldRecordMs ? [] : [`The newest record of the perpetual is of ${instant(time)}.`]

/** The note on quantities that a record does not have, by their names. */
export const unrecordedNotes = (row: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const names = Object.entries(row).flatMap(([name, value]) => value === null ? [name] : [])
  return names.length === 0 ? [] : [`Not recorded, so null: ${names.join(", ")}.`]
}
