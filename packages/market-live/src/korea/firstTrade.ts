import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { type SourceResponse, withValue } from "../source/index.ts"
import { type KrwCandleLength, krwLengths } from "./candles.ts"
import type { FirstTrade, KrwSource } from "./KrwSource.ts"

/**
 * The candle lengths with which the first trade of a market is searched. For each candle length, one response holds all
 * candles within one candle of the next longer length.
 */
const lengths: ReadonlyArray<KrwCandleLength> = ["1M", "1d", "1h", "1m"]

/**
 * Finds the first trade in a coin's market with requests for shorter and shorter candles, because exchanges do not
 * report opening times. Returns null if the coin has no market, or no trade yet.
 */
export const findFirstTrade = Effect.fnUntraced(
  function*(
    source: KrwSource,
    coin: string
  ): Effect.fn.Return<SourceResponse<FirstTrade | null>, SourceUnavailable> {
    const answer = yield* source.oldestCandleAt({ coin, length: lengths[0]! })
    let result = withValue<FirstTrade | null>(answer, null)
    let openedAt = answer.value
    for (const [i, length] of lengths.entries()) {
      if (openedAt === null) return result
      const { ms } = krwLengths[length]
      result = withValue(answer, { time: openedAt, withinMs: ms })
      const shorter = lengths[i + 1]
      if (shorter === undefined) return result
      openedAt = (yield* source.oldestCandleAt({ coin, length: shorter, before: openedAt + ms })).value
    }
    return result
  }
)
