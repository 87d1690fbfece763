import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { UnknownSymbol } from "../../market/errors.ts"
import { type JournalChange, type PositionFields } from "../../personal/journal/change.ts"
import { decimal, numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { isLiquidatedFirst, liquidationOf } from "../../personal/journal/liquidation.ts"
import type { Position, Written } from "../../personal/journal/records.ts"

/** Writes a change to the journal of the call's account, and expects a result with `tag`. */
export const makeWriting = Effect.map(
  Effect.service(JournalStore),
  (store) =>
    Effect.fnUntraced(function*<Tag extends Written["_tag"]>(
      { callId, principal }: CallContext,
      change: JournalChange,
      tag: Tag
    ) {
      const written = yield* store.write(principal.account, callId, change, principal.actor)
      if (written._tag === tag) return written as Extract<Written, { readonly _tag: Tag }> // by its tag
      return yield* Effect.die(new Error(`the call ${callId} has written a ${written._tag} before`))
    })
)

/**
 * Fails for a coin that was never listed. If the market is unavailable, any name is accepted, so that the journal stays
 * usable.
 */
export const mustBeListed = (prices: CoinPrices["Service"], coin: string): Effect.Effect<void, UnknownSymbol> =>
  Effect.asVoid(prices.coin(coin)).pipe(
    Effect.catchTags({ SourceUnavailable: () => Effect.void, NoData: () => Effect.void })
  )

/** Converts the given arguments to fields with decimals. */
export const positionFieldsOf = (given: {
  readonly leverage?: number
  readonly size_usd?: number
  readonly entry?: number
  readonly stop?: number
  readonly takes?: ReadonlyArray<number>
  readonly notes?: string
}): PositionFields => ({
  ...(given.leverage === undefined ? {} : { leverage: decimal(given.leverage) }),
  ...(given.size_usd === undefined ? {} : { sizeUsd: decimal(given.size_usd) }),
  ...(given.entry === undefined ? {} : { entry: decimal(given.entry) }),
  ...(given.stop === undefined ? {} : { stop: decimal(given.stop) }),
  ...(given.takes === undefined ? {} : { takes: given.takes.map(decimal) }),
  ...(given.notes === undefined ? {} : { notes: given.notes })
})

/** Returns warnings about a position as it was recorded. */
export const warningsOf = ({ entry: at, initialStop, leverage, side, stop: ends, takes }: Position) => {
  const [entry, stop, first] = [numberOrNull(at), numberOrNull(ends), numberOrNull(initialStop)]
  const sign = side === "long" ? 1 : -1
  const liquidation = liquidationOf({ side, entry, leverage: numberOrNull(leverage) })
  const beyond = entry === null ? [] : takes.filter((take) => (numberOrNull(take)! - entry) * sign <= 0)
  return [
    ...(isLiquidatedFirst(side, liquidation, stop)
      ? [`It is liquidated near ${liquidation!.toPrecision(8)}, before the stop: the stop protects nothing.`]
      : []),
    ...(entry !== null && first !== null && (entry - first) * sign <= 0
      ? ["The first stop lies on the winning side of the entry, so that R cannot be told."]
      : []),
    ...(beyond.length > 0 ? ["A take lies on the losing side of the entry."] : [])
  ]
}
