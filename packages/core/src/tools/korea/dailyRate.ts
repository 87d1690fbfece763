import { instant } from "../../engine/tool/result.ts"
import { type FxRate, isDailyRate } from "../../market/korea.ts"
import type { Reading } from "../../market/reading.ts"

/** Returns a note if the exchange rate is published only once a day. */
export const dailyRateNotes = (usd: Reading<FxRate>, what: string): ReadonlyArray<string> =>
  isDailyRate(usd)
    ? [
      `The dollar's rate is the reference rate of ${
        instant(usd.value.quotedAt)
      }, one a working day: ${what} what the dollar has moved since.`
    ]
    : []
