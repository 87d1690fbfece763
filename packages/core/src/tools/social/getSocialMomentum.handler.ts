import { Clock, Effect } from "effect"
import {
  changeUntil,
  dayBefore,
  percentileMs,
  percentileUntil,
  trajectoryOf
} from "../../analysis/social/activityWindow.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getSocialMomentum } from "./getSocialMomentum.ts"
import { unrecordedNotes } from "./unrecorded.ts"

export const handler = handlerOf(
  getSocialMomentum,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ coin }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const read = yield* feed.activity({ coin, from: until - percentileMs, to: until, stepMs: hourMs })
      const day = dayBefore(read.value, until)
      const prior = dayBefore(read.value, until - dayMs)
      const change = changeUntil(read.value, until)
      const { n, percentile } = percentileUntil(read.value, until)
      const notes = [...unrecordedNotes(read.value.gaps, until - 2 * dayMs, until)]
      if (change.acceleration === null) {
        notes.push("acceleration, z and trajectory are null: too few hours recorded on both days, or too few posts.")
      }
      if (percentile === null) notes.push(`mentions_percentile_7d is null: ${n} of 168 sums are known.`)
      return {
        coin,
        until: instant(until),
        mentions_24h: day.mentions,
        mentions_prior_24h: prior.mentions,
        velocity: day.whole ? day.mentions / 24 : null,
        ...change,
        breadth: day.mentions === 0 ? null : day.authors / day.mentions,
        sentiment: day.sentiment,
        sentiment_prior_24h: prior.sentiment,
        trajectory: trajectoryOf(change),
        mentions_percentile_7d: percentile,
        percentile_n: n,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
