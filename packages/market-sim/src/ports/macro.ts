/** Implements core's `MacroCalendar`: calendar and yields. */
import { MacroCalendar } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { releases, seenAt } from "../macro/calendar.ts"
import { yieldCurveAt } from "../macro/yields.ts"
import type { World } from "../world.ts"
import { simulated } from "./source.ts"

/** The `MacroCalendar` port of a world. */
export const macroCalendar = (world: World): MacroCalendar["Service"] =>
  MacroCalendar.of({
    events: ({ from, to, country }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        simulated(
          releases(world, from, to)
            .filter((release) => country === undefined || release.country === country)
            .map((release) => seenAt(release, now)),
          now
        )),
    yieldCurve: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const curve = yieldCurveAt(world, country, now)
        return simulated(curve, curve.time)
      })
  })
