import {
  dayMs,
  type EconomicEvent,
  hourMs,
  type Interval,
  localDay,
  MacroCalendar,
  makeReading,
  NoData,
  type SourceUnavailable
} from "@tapeline/core/market"
import { Clock, Effect, Layer, Result } from "effect"
import { BeaSchedule } from "../bea/BeaSchedule.ts"
import { BlsSchedule } from "../bls/BlsSchedule.ts"
import { Ecos } from "../ecos/Ecos.ts"
import { FedCalendar } from "../federalReserve/FedCalendar.ts"
import type { SourceResponse } from "../source/index.ts"
import { TreasuryAuctions } from "../usTreasury/TreasuryAuctions.ts"
import { TreasuryYields } from "../usTreasury/TreasuryYields.ts"
import { curveLookbackMs, type DailyYields, toCurve } from "./dailyYields.ts"
import type { EventSource } from "./EventSource.ts"

/** Returns the time by which events are sorted, which is midnight of the date in UTC for an event without a time. */
const sortTimeOf = ({ date, time }: EconomicEvent): number => time ?? Date.parse(date)

const compareEvents = (a: EconomicEvent, b: EconomicEvent): number =>
  a.date.localeCompare(b.date) || sortTimeOf(a) - sortTimeOf(b) || a.country.localeCompare(b.country) ||
  a.name.localeCompare(b.name)

const monthsOf = ({ from, to }: Interval): ReadonlyArray<readonly [year: number, month: number]> => {
  const months = new Map<string, readonly [number, number]>()
  for (let day = localDay("US", from); day <= localDay("US", to); day++) {
    const date = new Date(day * dayMs)
    months.set(date.toISOString().slice(0, 7), [date.getUTCFullYear(), date.getUTCMonth() + 1])
  }
  return [...months.values()]
}

/** Joins several responses into one response. The joined response has the time of the oldest response. */
const mergeResponses = <A>(
  answers: ReadonlyArray<SourceResponse<ReadonlyArray<A>>>
): SourceResponse<ReadonlyArray<A>> => ({
  value: answers.flatMap(({ value }) => value),
  receivedAt: Math.min(...answers.map(({ receivedAt }) => receivedAt)),
  date: answers.reduce<number | null>(
    (first, { date }) => (date === null ? first : Math.min(first ?? date, date)),
    null
  )
})

const fetchUsYields = (treasury: TreasuryYields["Service"], interval: Interval) =>
  Effect.map(
    Effect.forEach(monthsOf(interval), ([year, month]) => treasury.month(year, month), { concurrency: 3 }),
    mergeResponses
  )

const makeBaseRateSource = (ecos: Ecos["Service"]): EventSource => ({
  events: ({ from, to }) =>
    Effect.map(ecos.baseRate({ from: from - 7 * dayMs, to }), (answer) => ({
      ...answer,
      value: answer.value.flatMap(({ ratePct, time }, i, all): ReadonlyArray<EconomicEvent> => {
        const before = all[i - 1]
        if (before === undefined || before.ratePct === ratePct) return []
        return [{
          // The date of the event is the date in Korea, because the Bank of Korea does not publish the time of its
          // decision.
          date: new Date(time + 12 * hourMs).toISOString().slice(0, 10),
          time: null,
          country: "KR",
          name: "Bank of Korea Base Rate Change",
          importance: "high",
          unit: "%",
          forecast: null,
          previous: before.ratePct,
          actual: ratePct
        }]
      })
    }))
})

/** Removes the actual figures of future events, even if a source already reports them. */
const hideFutureFigures = (event: EconomicEvent, now: number): EconomicEvent =>
  sortTimeOf(event) > now ? { ...event, actual: null } : event

interface CalendarSource {
  readonly source: string
  readonly country: string
  readonly events: EventSource
}

/** Fetches the events of an interval from each source, and omits a failed source if another source responds. */
const fetchEvents = Effect.fnUntraced(function*(sources: ReadonlyArray<CalendarSource>, interval: Interval) {
  const answers = yield* Effect.forEach(
    sources,
    ({ events, source }) => Effect.result(Effect.map(events.events(interval), (answer) => ({ source, answer }))),
    { concurrency: "unbounded" }
  )
  const succeeded = answers.flatMap((answer) => Result.isSuccess(answer) ? [answer.success] : [])
  const failed: ReadonlyArray<SourceUnavailable> = answers.flatMap((answer) =>
    Result.isFailure(answer) ? [answer.failure] : []
  )
  return { succeeded, failed }
})

const make = Effect.gen(function*() {
  const treasury = yield* TreasuryYields
  const ecos = yield* Ecos
  const sources: ReadonlyArray<CalendarSource> = [
    { source: "federal_reserve", country: "US", events: yield* FedCalendar },
    { source: "bls", country: "US", events: yield* BlsSchedule },
    { source: "bea", country: "US", events: yield* BeaSchedule },
    { source: "us_treasury", country: "US", events: yield* TreasuryAuctions },
    { source: "ecos", country: "KR", events: makeBaseRateSource(ecos) }
  ]

  return MacroCalendar.of({
    events: Effect.fnUntraced(function*({ country, from, to }) {
      const selected = sources.filter((one) => country === undefined || one.country === country)
      // For a country without sources, no request is sent and the result is empty.
      const { failed, succeeded } = yield* fetchEvents(selected, { from, to })
      const [fault] = failed
      if (succeeded.length === 0 && fault !== undefined) return yield* fault
      const now = yield* Clock.currentTimeMillis
      const events = succeeded
        .flatMap(({ answer }) => answer.value)
        .filter((event) => sortTimeOf(event) >= from && sortTimeOf(event) < to)
        .map((event) => hideFutureFigures(event, now))
        .toSorted(compareEvents)
      const names = succeeded.length === 0 ? sources.map(({ source }) => source) : succeeded.map(({ source }) => source)
      return makeReading(events, names, Math.min(now, ...succeeded.map(({ answer }) => answer.receivedAt)))
    }),

    yieldCurve: Effect.fnUntraced(function*(country) {
      const now = yield* Clock.currentTimeMillis
      const interval = { from: now - curveLookbackMs, to: now }
      const days: SourceResponse<ReadonlyArray<DailyYields>> = yield* country === "US"
        ? fetchUsYields(treasury, interval)
        : ecos.yields(interval)
      const curve = toCurve(country, days, now)
      if (curve === undefined) {
        return yield* new NoData({
          subject: `${country} yields`,
          reason: { key: "none_recorded", params: { symbol: `${country} yields` } }
        })
      }
      return makeReading(curve, country === "US" ? "us_treasury" : "ecos", curve.time)
    })
  })
})

/**
 * Provides `MacroCalendar` with data from the publishing authorities, without forecasts, because no reliable source
 * exists. Only US authorities publish a schedule of future events.
 */
export const layerMacroCalendar: Layer.Layer<
  MacroCalendar,
  never,
  TreasuryYields | Ecos | FedCalendar | BlsSchedule | BeaSchedule | TreasuryAuctions
> = Layer.effect(MacroCalendar, make)
