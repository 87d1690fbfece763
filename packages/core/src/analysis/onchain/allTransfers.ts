import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import { combine, type Reading } from "../../market/reading.ts"
import type { WhaleTransfer } from "../../market/token.ts"
import type { TokenMarkets } from "../../market/TokenMarkets.ts"

/** What the port gives at once, and how often it is asked. */
const mostAtOnce = 1_000
const mostReads = 20

export interface AllTransfers {
  /** Oldest first. */
  readonly transfers: ReadonlyArray<WhaleTransfer>
  /** From when on they are all there: the beginning of what was asked, or later where there were too many. */
  readonly since: number
}

/** Every transfer of an interval, read backwards. */
export const allTransfers: (
  tokens: TokenMarkets["Service"],
  query: { readonly coin: string; readonly from: number; readonly to: number; readonly minUsd: number }
) => Effect.Effect<Reading<AllTransfers>, MarketError> = Effect.fnUntraced(function*(tokens, query) {
  const first = yield* tokens.whaleTransfers(query)
  let read = first
  let older: ReadonlyArray<WhaleTransfer> = read.value
  let transfers: ReadonlyArray<WhaleTransfer> = []
  for (let reads = 1; older.length >= mostAtOnce; reads++) {
    // Some of the oldest instant may be left out: they are read again, with all that are older.
    const { time } = older[0]!
    const sure = older.filter((one) => one.time > time)
    transfers = [...sure, ...transfers]
    if (reads === mostReads || sure.length === 0) return combine({ transfers, since: time + 1 }, [first])
    read = yield* tokens.whaleTransfers({ ...query, to: time + 1 })
    older = read.value
  }
  return combine({ transfers: [...older, ...transfers], since: query.from }, [first])
})
