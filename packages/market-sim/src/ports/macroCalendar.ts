import { MacroCalendar } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { getReleases, toKnownEvent } from "../macro/calendar.ts"
import { getYieldCurve } from "../macro/yields.ts"
import type { World } from "../world.ts"
import { simulatedReading } from "./source.ts"

export const makeMacroCalendar = (world: World): MacroCalendar["Service"] =>
  MacroCalendar.of({
    events: ({ from, to, country }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        simulatedReading(
          getReleases(world, from, to)
            .filter((release) => country === undefined || release.country === country)
            .map((release) => toKnownEvent(release, now)),
          now
        )),
    yieldCurve: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const curve = getYieldCurve(world, country, now)
        return simulatedReading(curve, curve.time)
      })
  })
