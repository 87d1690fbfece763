import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { type Answer, answering } from "../../source/index.ts"
import { type KrwCandleLength, krwLengths } from "./candles.ts"
import type { FirstTrade, KrwSource } from "./types.ts"

/** Two hundred months, the days of one, the hours of one, the minutes of one: each fits into one answer. */
const lengths: ReadonlyArray<KrwCandleLength> = ["1M", "1d", "1h", "1m"]

/**
 * When something was traded in a coin's market for the first time, by four requests for ever shorter candles. It stands
 * for the opening of a market whose exchange does not tell that, and is as exact as the shortest candles that the
 * exchange still has. Null where the coin has no market, or nobody has traded in it.
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
