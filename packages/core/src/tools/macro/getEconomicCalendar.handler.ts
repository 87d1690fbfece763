import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { amount } from "../../engine/tool/rounding.ts"
import { type EconomicEvent, MacroCalendar } from "../../market/MacroCalendar.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getEconomicCalendar } from "./getEconomicCalendar.ts"

/** The maximum number of events in the result. All countries together have some hundreds of events in two months. */
const maxEvents = 500

/** Returns the rounded actual value minus the rounded forecast, without binary rounding errors. */
const computeSurprise = ({ actual, forecast }: EconomicEvent): number | null =>
  actual === null || forecast === null ? null : Number((amount(actual) - amount(forecast)).toFixed(8)) + 0

const toRow = (event: EconomicEvent) => ({
  time: event.time === null ? null : formatInstant(event.time),
  date: event.date,
  country: event.country,
  name: event.name,
  importance: event.importance,
  unit: event.unit,
  forecast: event.forecast,
  previous: event.previous,
  actual: event.actual,
  surprise: computeSurprise(event)
})

const makeNotes = (events: ReadonlyArray<EconomicEvent>, now: number, country: string | undefined) => {
  const notes: Array<string> = []
  if (events.length === 0) {
    notes.push(`No event${country === undefined ? "" : ` of ${country}`} is known in this period.`)
  }
  if (events.length > maxEvents) {
    notes.push(`The first ${maxEvents} of ${events.length} events are listed; request fewer days.`)
  }
  const publishedEvents = events.filter(({ time }) => time !== null && time <= now)
  if (publishedEvents.some(({ forecast }) => forecast === null)) {
    notes.push("surprise is null if no source reports a forecast.")
  }
  if (events.some(({ time }) => time === null)) notes.push("time is null if the source reports only the date.")
  return notes
}

export const handler = handlerOf(
  getEconomicCalendar,
  Effect.gen(function*() {
    const calendar = yield* MacroCalendar
    return Effect.fnUntraced(function*({ country, days, days_back }) {
      const now = yield* Clock.currentTimeMillis
      const reading = yield* calendar.events({
        from: now - days_back * dayMs,
        to: now + days * dayMs,
        ...(country === undefined ? {} : { country })
      })
      const events = reading.value
      const next = events.find(({ importance, time }) => importance === "high" && time !== null && time > now)
      return {
        events: events.slice(0, maxEvents).map(toRow),
        next_high: next === undefined
          ? null
          : { time: formatInstant(next.time!), country: next.country, name: next.name },
        notes: makeNotes(events, now, country),
        ...provenanceOf(reading)
      }
    })
  })
)
