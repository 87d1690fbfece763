import { Clock, Effect } from "effect"
import { changeUntil, dayBefore } from "../../analysis/social/activityWindow.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getTrending } from "./getTrending.ts"
import { unrecordedNotes } from "./unrecorded.ts"

export const handler = handlerOf(
  getTrending,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ top }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const read = yield* feed.activityByCoin({ from: until - 2 * dayMs, to: until, stepMs: hourMs })
      if (read.value.length === 0) {
        return yield* new NoData({
          subject: "posts",
          reason: { key: "none_recorded", params: { symbol: "posts" } }
        })
      }
      const days = read.value.map((hours) => ({
        hours,
        day: dayBefore(hours, until),
        change: changeUntil(hours, until)
      }))
      const all = days.reduce((sum, { day }) => sum + day.mentions, 0)
      const ranked = days.toSorted((a, b) =>
        (b.change.z ?? -Infinity) - (a.change.z ?? -Infinity) || b.day.mentions - a.day.mentions
      )
      const notes = [...unrecordedNotes(read.value.flatMap(({ gaps }) => gaps), until - 2 * dayMs, until)]
      const unknown = days.filter(({ change }) => change.z === null).length
      if (unknown > 0) notes.push(`Without acceleration, since too little is known of them: ${unknown}.`)
      return {
        until: instant(until),
        coins: ranked.slice(0, top).map(({ change, day, hours }) => ({
          coin: hours.coin,
          mentions_24h: day.mentions,
          ...change,
          sentiment: day.sentiment,
          share_pct: all === 0 ? null : (100 * day.mentions) / all
        })),
        n: days.length,
        mentions_24h_all: all,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
