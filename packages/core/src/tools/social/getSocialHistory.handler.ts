import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { gapNotes, gapRowsOf } from "../../market/gapRows.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getSocialHistory } from "./getSocialHistory.ts"
import { unrecordedNotes } from "./unrecorded.ts"

export const handler = handlerOf(
  getSocialHistory,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ coin, hours }) {
      const now = yield* Clock.currentTimeMillis
      const from = (Math.floor(now / hourMs) - hours + 1) * hourMs
      const to = now + 1
      const read = yield* feed.activity({ coin, from, to, stepMs: hourMs })
      const { gaps, points } = read.value
      return {
        coin,
        points: points.map(({ authors, mentions, sentiment, time }) => ({
          time: instant(time),
          mentions,
          authors,
          sentiment,
          ...(time + hourMs > now ? { closed: false as const } : {})
        })),
        gaps: gapRowsOf(gaps),
        notes: [...unrecordedNotes(gaps, from, to), ...gapNotes(gaps)],
        ...provenanceOf(read)
      }
    })
  })
)
