/** Provides the release schedule of the US Bureau of Economic Analysis, without an API key. */
import { Context, Effect, Layer, Schema } from "effect"
import { contactHeaders, type EventSource, type EventSourceOptions, makeUsEvent } from "../macro/EventSource.ts"
import { makeSource, SourceHealth, withValue } from "../source/index.ts"

export class BeaSchedule extends Context.Service<BeaSchedule, EventSource>()("@tapeline/market-live/BeaSchedule") {}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/u
const isInstant = (text: string): boolean => !Number.isNaN(Date.parse(text))
const Release = Schema.Struct({
  release_dates: Schema.Array(
    Schema.String.check(
      Schema.isPattern(instantPattern, { expected: "an instant with its zone" }),
      Schema.makeFilter(isInstant, { expected: "an instant" })
    )
  )
})

/** The collected BEA releases, with their importance for markets. */
const importances = [
  ["Gross Domestic Product", "high"],
  ["Personal Income and Outlays", "high"],
  ["U.S. International Trade in Goods and Services", "medium"]
] as const

const Schedule = Schema.Struct({
  "Gross Domestic Product": Release,
  "Personal Income and Outlays": Release,
  "U.S. International Trade in Goods and Services": Release
})

/** The BEA publishes no rate limit. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerBeaSchedule = (
  { baseUrl = "https://apps.bea.gov", contact, retryPolicy = {} }: EventSourceOptions = {}
): Layer.Layer<BeaSchedule, never, SourceHealth> =>
  Layer.effect(
    BeaSchedule,
    Effect.map(
      makeSource({ name: "bea", baseUrl, limits, headers: contactHeaders(contact), retryPolicy }),
      (source): EventSource => ({
        events: () =>
          Effect.map(
            source.json({
              label: "release dates",
              path: "/API/signup/release_dates.json",
              schema: Schedule,
              cacheMs: 3_600_000
            }),
            (answer) =>
              withValue(
                answer,
                importances.flatMap(([name, importance]) =>
                  // The BEA's file may list the time of a rescheduled release twice.
                  [...new Set(answer.value[name].release_dates.map((text) => Date.parse(text)))]
                    .map((time) => makeUsEvent(time, name, importance))
                )
              )
          )
      })
    )
  )
