import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { amount } from "../../engine/tool/rounding.ts"
import { type EconomicEvent, MacroCalendar } from "../../market/MacroCalendar.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"

/** The maximum number of rows. Two months of all countries have some hundreds. */
const mostShown = 500

/** Returns the difference of two rounded figures, with the same number of decimals. */
const surpriseOf = ({ actual, forecast }: EconomicEvent): number | null =>
  actual === null || forecast === null ? null : Number((amount(actual) - amount(forecast)).toFixed(8)) + 0

const rowOf = (event: EconomicEvent) => ({
  time: event.time === null ? null : instant(event.time),
  date: event.date,
  country: event.country,
  name: event.name,
  importance: event.importance,
  unit: event.unit,
  forecast: event.forecast,
  previous: event.previous,
  actual: event.actual,
  surprise: surpriseOf(event)
})

const notesOn = (events: ReadonlyArray<EconomicEvent>, now: number, country: string | undefined) => {
  const notes: Array<string> = []
  if (events.length === 0) {
    notes.push(`No event${country === undefined ? "" : ` of ${country}`} is known in these days.`)
  }
  if (events.length > mostShown) {
    notes.push(`The first ${mostShown} of ${events.length} events are shown; ask for fewer days.`)
  }
  const out = events.filter(({ time }) => time !== null && time <= now)
  if (out.some(({ forecast }) => forecast === null)) {
    notes.push("surprise is null where no source tells a forecast.")
  }
  if (events.some(({ time }) => time === null)) notes.push("time is null where the source gives the date alone.")
  return notes
}

export const handler = handlerOf(
  getEconomicCalendar,
  Effect.gen(function*() {
    const calendar = yield* MacroCalendar
    return Effect.fnUntraced(function*({ country, days, days_back }) {
      const now = yield* Clock.currentTimeMillis
      const read = yield* calendar.events({
        from: now - days_back * dayMs,
        to: now + days * dayMs,
        ...(country === undefined ? {} : { country })
      })
      const events = read.value
      const next = events.find(({ importance, time }) => importance === "high" && time !== null && time > now)
      return {
        events: events.slice(0, mostShown).map(rowOf),
        next_high: next === undefined ? null : { time: instant(next.time!), country: next.country, name: next.name },
        notes: notesOn(events, now, country),
        ...provenanceOf(read)
      }
    })
  })
)
