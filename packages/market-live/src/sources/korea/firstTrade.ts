import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { type Answer, answering } from "../../source/index.ts"
import { type KrwCandleLength, krwLengths } from "./candles.ts"
import type { FirstTrade, KrwSource } from "./types.ts"

/** 200 months, the days of one month, the hours of one day, the minutes of one hour: each fits into one response. */
const lengths: ReadonlyArray<KrwCandleLength> = ["1M", "1d", "1h", "1m"]

/**
 * Finds the first trade in a coin's market, by four requests for shorter and shorter candles. It replaces the market's
 * opening time, which these exchanges do not report. It is as exact as the shortest candles that the exchange still
 * has. Null if the coin has no market, or no trade yet.
 */
export const firstTradeOf = Effect.fnUntraced(
  function*(
    source: KrwSource,
    coin: string
  ): Effect.fn.Return<Answer<FirstTrade | null>, SourceUnavailable> {
    const answer = yield* source.oldest({ coin, length: lengths[0]! })
    let found = answering<FirstTrade | null>(answer, null)
    let opened = answer.value
    for (const [i, length] of lengths.entries()) {
      if (opened === null) return found
      const { ms } = krwLengths[length]
      found = answering(answer, { time: opened, withinMs: ms })
      const shorter = lengths[i + 1]
      if (shorter === undefined) return found
      opened = (yield* source.oldest({ coin, length: shorter, before: opened + ms })).value
    }
    return found
  }
)
