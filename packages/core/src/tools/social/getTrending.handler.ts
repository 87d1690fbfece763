import { Clock, Effect } from "effect"
import { compareWithDayBefore, sumDayBefore } from "../../analysis/social/socialActivity.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getTrending } from "./getTrending.ts"
import { makeUnrecordedNotes } from "./unrecordedNotes.ts"

export const handler = handlerOf(
  getTrending,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ top }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const reading = yield* feed.activityByCoin({ from: until - 2 * dayMs, to: until, stepMs: hourMs })
      if (reading.value.length === 0) {
        return yield* new NoData({
          subject: "posts",
          reason: { key: "none_recorded", params: { symbol: "posts" } }
        })
      }
      const days = reading.value.map((hours) => ({
        hours,
        day: sumDayBefore(hours, until),
        change: compareWithDayBefore(hours, until)
      }))
      const totalMentions = days.reduce((sum, { day }) => sum + day.mentions, 0)
      const ranked = days.toSorted((a, b) =>
        (b.change.z ?? -Infinity) - (a.change.z ?? -Infinity) || b.day.mentions - a.day.mentions
      )
      const notes = [...makeUnrecordedNotes(reading.value.flatMap(({ gaps }) => gaps), until - 2 * dayMs, until)]
      const unknownCount = days.filter(({ change }) => change.z === null).length
      if (unknownCount > 0) notes.push(`No acceleration because of too few records: ${unknownCount}.`)
      return {
        until: formatInstant(until),
        coins: ranked.slice(0, top).map(({ change, day, hours }) => ({
          coin: hours.coin,
          mentions_24h: day.mentions,
          ...change,
          sentiment: day.sentiment,
          share_pct: totalMentions === 0 ? null : (100 * day.mentions) / totalMentions
        })),
        n: days.length,
        mentions_24h_all: totalMentions,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
