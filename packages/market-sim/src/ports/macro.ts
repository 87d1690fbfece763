/**
 * Calendar and yields behind core's `MacroCalendar`.
 */
import { MacroCalendar } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { releases, seenAt } from "../macro/calendar.ts"
import { yieldCurveAt } from "../macro/yields.ts"
import type { World } from "../world.ts"

/** `MacroCalendar` of a world. */
export const macroCalendar = (world: World, source: string): MacroCalendar["Service"] =>
  MacroCalendar.of({
    source,
    events: ({ from, to, country }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        releases(world, from, to)
          .filter((release) => country === undefined || release.country === country)
          .map((release) => seenAt(release, now))),
    yieldCurve: (country) => Effect.map(Clock.currentTimeMillis, (now) => yieldCurveAt(world, country, now))
  })
