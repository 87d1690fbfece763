import { formatInstant } from "../../engine/tool/result.ts"
import { minuteMs } from "../../market/timeframe.ts"

const maxRecordAgeMs = 10 * minuteMs

/** Returns a note if the newest record of a perpetual is older than ten minutes. */
export const staleRecordNotes = (time: number, now: number): ReadonlyArray<string> =>
  now - time <= maxRecordAgeMs ? [] : [`The latest record of the perpetual is from ${formatInstant(time)}.`]

export const nullFieldNotes = (row: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const names = Object.entries(row).flatMap(([name, value]) => value === null ? [name] : [])
  return names.length === 0 ? [] : [`Null because it was not recorded: ${names.join(", ")}.`]
}
