import { Clock, Effect } from "effect"
import {
  classifyTrajectory,
  compareWithDayBefore,
  percentilePeriodMs,
  rankMentionsUntil,
  sumDayBefore
} from "../../analysis/social/socialActivity.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getSocialMomentum } from "./getSocialMomentum.ts"
import { makeUnrecordedNotes } from "./unrecordedNotes.ts"

export const handler = handlerOf(
  getSocialMomentum,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ coin }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const reading = yield* feed.activity({ coin, from: until - percentilePeriodMs, to: until, stepMs: hourMs })
      const day = sumDayBefore(reading.value, until)
      const prior = sumDayBefore(reading.value, until - dayMs)
      const change = compareWithDayBefore(reading.value, until)
      const { sampleSize, percentile } = rankMentionsUntil(reading.value, until)
      const notes = [...makeUnrecordedNotes(reading.value.gaps, until - 2 * dayMs, until)]
      if (change.acceleration === null) {
        notes.push(
          "acceleration, z and trajectory are null: too few hours are recorded on both days, or there are too few posts."
        )
      }
      if (percentile === null) notes.push(`mentions_percentile_7d is null: ${sampleSize} of 168 sums are known.`)
      return {
        coin,
        until: formatInstant(until),
        mentions_24h: day.mentions,
        mentions_prior_24h: prior.mentions,
        velocity: day.isComplete ? day.mentions / 24 : null,
        ...change,
        breadth: day.mentions === 0 ? null : day.authors / day.mentions,
        sentiment: day.sentiment,
        sentiment_prior_24h: prior.sentiment,
        trajectory: classifyTrajectory(change),
        mentions_percentile_7d: percentile,
        percentile_n: sampleSize,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
