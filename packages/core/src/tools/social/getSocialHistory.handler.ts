import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { omittedGapsNote, toGapRows } from "../../market/resultRows.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getSocialHistory } from "./getSocialHistory.ts"
import { makeUnrecordedNotes } from "./unrecordedNotes.ts"

export const handler = handlerOf(
  getSocialHistory,
  Effect.gen(function*() {
    const feed = yield* SocialFeed
    return Effect.fnUntraced(function*({ coin, hours }) {
      const now = yield* Clock.currentTimeMillis
      const from = (Math.floor(now / hourMs) - hours + 1) * hourMs
      const to = now + 1
      const reading = yield* feed.activity({ coin, from, to, stepMs: hourMs })
      const { gaps, points } = reading.value
      return {
        coin,
        points: points.map(({ authors, mentions, sentiment, time }) => ({
          time: formatInstant(time),
          mentions,
          authors,
          sentiment,
          ...(time + hourMs > now ? { closed: false as const } : {})
        })),
        gaps: toGapRows(gaps),
        notes: [...makeUnrecordedNotes(gaps, from, to), ...omittedGapsNote(gaps)],
        ...provenanceOf(reading)
      }
    })
  })
)
