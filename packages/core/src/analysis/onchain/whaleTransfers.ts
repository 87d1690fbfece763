import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import { combineReadings, type Reading } from "../../market/reading.ts"
import type { WhaleTransfer } from "../../market/token.ts"
import type { TokenMarkets } from "../../market/TokenMarkets.ts"

const maxTransfersPerRead = 1_000
const maxReads = 20

export interface AllTransfers {
  /** The transfers, oldest first. */
  readonly transfers: ReadonlyArray<WhaleTransfer>
  /**
   * The time from which the list of transfers is complete, in epoch ms. If the interval has too many transfers,
   * `completeFrom` is later than the interval's start.
   */
  readonly completeFrom: number
}

/** Returns the transfers of an interval. The transfers are read backwards in time with at most `maxReads` reads. */
export const readAllTransfers: (
  tokens: TokenMarkets["Service"],
  query: { readonly coin: string; readonly from: number; readonly to: number; readonly minUsd: number }
) => Effect.Effect<Reading<AllTransfers>, MarketError> = Effect.fnUntraced(function*(tokens, query) {
  const first = yield* tokens.whaleTransfers(query)
  let read = first
  let older: ReadonlyArray<WhaleTransfer> = read.value
  let transfers: ReadonlyArray<WhaleTransfer> = []
  for (let reads = 1; older.length >= maxTransfersPerRead; reads++) {
    // The read may have omitted transfers at the oldest time, so the next read includes that time again.
    const { time } = older[0]!
    const complete = older.filter((transfer) => transfer.time > time)
    transfers = [...complete, ...transfers]
    if (reads === maxReads || complete.length === 0) {
      return combineReadings({ transfers, completeFrom: time + 1 }, [first])
    }
    read = yield* tokens.whaleTransfers({ ...query, to: time + 1 })
    older = read.value
  }
  return combineReadings({ transfers: [...older, ...transfers], completeFrom: query.from }, [first])
})
