import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { UnknownSymbol } from "../../market/errors.ts"
import { decimal, numberOrNull } from "../../personal/journal/decimal.ts"
import { NotInJournal } from "../../personal/journal/errors.ts"
import {
  type JournalChange,
  type PositionFields,
  positionVersion,
  profileVersion
} from "../../personal/journal/journalChange.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { computeLiquidationPrice, isLiquidatedFirst } from "../../personal/journal/positionRisk.ts"
import type { JournalChangeResult, Position } from "../../personal/journal/records.ts"

/**
 * Creates the function that changes the journal of a call's account. The function dies if an earlier write with an
 * equal `callId` returned another kind of result.
 */
export const makeJournalWriter = Effect.map(
  Effect.service(JournalStore),
  (store) =>
    Effect.fnUntraced(function*<Tag extends JournalChangeResult["_tag"]>(
      { callId, principal, recordVersion }: CallContext,
      change: JournalChange,
      tag: Tag
    ) {
      const result = yield* store.write(principal.account, callId, { ...change, recordVersion }, principal.actor)
      if (result._tag === tag) return result as Extract<JournalChangeResult, { readonly _tag: Tag }> // by the tag
      return yield* Effect.die(new Error(`the call ${callId} has already written a ${result._tag}`))
    })
)

/** Creates the function that returns the version of an open position of an account. */
export const makePositionVersionReader = Effect.map(
  Effect.service(JournalStore),
  (store) => ({ id }: { readonly id: number }, account: number) =>
    Effect.flatMap(store.holdings(account), ({ positions }) => {
      const position = positions.find((one) => one.id === id)
      return position === undefined
        ? Effect.fail(new NotInJournal({ kind: "position", id }))
        : Effect.succeed(positionVersion(position))
    })
)

/** Creates the function that returns the version of the risk profile of an account. */
export const makeProfileVersionReader = Effect.map(
  Effect.service(JournalStore),
  (store) => (_: unknown, account: number) =>
    Effect.map(store.holdings(account), ({ profile }) => profileVersion(profile))
)

/** Fails for a coin that was never listed, but accepts any name while the market is unavailable. */
export const requireListed = (prices: CoinPrices["Service"], coin: string): Effect.Effect<void, UnknownSymbol> =>
  Effect.asVoid(prices.coin(coin)).pipe(
    Effect.catchTags({ SourceUnavailable: () => Effect.void, NoData: () => Effect.void })
  )

export const toPositionFields = (args: {
  readonly leverage?: number
  readonly size_usd?: number
  readonly entry?: number
  readonly stop?: number
  readonly takes?: ReadonlyArray<number>
  readonly notes?: string
}): PositionFields => ({
  ...(args.leverage === undefined ? {} : { leverage: decimal(args.leverage) }),
  ...(args.size_usd === undefined ? {} : { sizeUsd: decimal(args.size_usd) }),
  ...(args.entry === undefined ? {} : { entry: decimal(args.entry) }),
  ...(args.stop === undefined ? {} : { stop: decimal(args.stop) }),
  ...(args.takes === undefined ? {} : { takes: args.takes.map(decimal) }),
  ...(args.notes === undefined ? {} : { notes: args.notes })
})

export const makePositionWarnings = (
  { entry: entryDecimal, initialStop, leverage, side, stop: stopDecimal, takes }: Position
) => {
  const [entry, stop, firstStop] = [numberOrNull(entryDecimal), numberOrNull(stopDecimal), numberOrNull(initialStop)]
  const sign = side === "long" ? 1 : -1
  const liquidation = computeLiquidationPrice({ side, entry, leverage: numberOrNull(leverage) })
  const takesOnLosingSide = entry === null ? [] : takes.filter((take) => (numberOrNull(take)! - entry) * sign <= 0)
  return [
    ...(isLiquidatedFirst(side, liquidation, stop)
      ? [
        `The position is liquidated near ${
          liquidation!.toPrecision(8)
        }, before the stop is reached: the stop does not protect it.`
      ]
      : []),
    ...(entry !== null && firstStop !== null && (entry - firstStop) * sign <= 0
      ? ["The first stop is on the winning side of the entry, so R cannot be computed."]
      : []),
    ...(takesOnLosingSide.length > 0 ? ["A target is on the losing side of the entry."] : [])
  ]
}
