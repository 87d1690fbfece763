import { Schema } from "effect"
import type { Gap } from "../market/series.ts"
import { Instant, instant } from "../tool/result.ts"

/** Intervals of which nothing is recorded, as results have them. */
export const gapRows = Schema.Array(Schema.Struct({ from: Instant, to: Instant })).annotate({
  description: "Outages: what happened in them is unknown"
})

export const gapRow = ({ from, to }: Gap) => ({ from: instant(from), to: instant(to) })

/** What any of several lists of gaps holds, oldest first, apart from one another. */
export const uniteGaps = (...lists: ReadonlyArray<ReadonlyArray<Gap>>): ReadonlyArray<Gap> => {
  const united: Array<Gap> = []
  for (const gap of lists.flat().sort((a, b) => a.from - b.from)) {
    const last = united.at(-1)
    if (last === undefined || last.to < gap.from) united.push(gap)
    else united[united.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) }
  }
  return united
}
