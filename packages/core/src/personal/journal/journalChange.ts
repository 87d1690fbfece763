import { Result } from "effect"
import { ActorEnded } from "../../engine/access/ActorEnded.ts"
import { RecordChanged } from "../../engine/access/RecordChanged.ts"
import { type Decimal, decimal, formatOrNull } from "./decimal.ts"
import { type JournalChangeError, JournalFull, NotInJournal } from "./errors.ts"
import { splitPosition } from "./profit.ts"
import {
  type JournalChangeResult,
  journalLimits,
  type JournalNote,
  type Position,
  type RiskProfile,
  type Side,
  type Trade
} from "./records.ts"

/** The fields of a position that its owner can set and change; an absent field stays unchanged. */
export interface PositionFields {
  readonly leverage?: Decimal
  readonly sizeUsd?: Decimal
  readonly entry?: Decimal
  readonly stop?: Decimal
  readonly takes?: ReadonlyArray<Decimal>
  readonly notes?: string
}

/** A change of an account's journal. */
type JournalChangeFields =
  | { readonly _tag: "Open"; readonly coin: string; readonly side: Side; readonly fields: PositionFields }
  | { readonly _tag: "Update"; readonly id: number; readonly fields: PositionFields }
  | {
    readonly _tag: "Close"
    readonly id: number
    readonly exit: Decimal
    /** The fraction of the open position to close, above 0 and at most 1. */
    readonly fraction: Decimal
    readonly feesUsd: Decimal
    readonly notes: string | null
  }
  | { readonly _tag: "Delete"; readonly id: number }
  | {
    readonly _tag: "AddNote"
    readonly text: string
    readonly tradeId: number | null
    readonly coin: string | null
  }
  | { readonly _tag: "SetProfile"; readonly profile: Partial<RiskProfile> }
  | { readonly _tag: "Watch"; readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }

export type JournalChange = JournalChangeFields & {
  /** The version that the changed position or risk profile must have; undefined to change any version. */
  readonly recordVersion?: string | undefined
}

/** Returns the version of a position, which differs after each change. */
export const positionVersion = ({ entry, leverage, notes, share, sizeUsd, stop, takes, updatedAt }: Position): string =>
  JSON.stringify([updatedAt, [share, sizeUsd, entry, stop, leverage].map(formatOrNull), takes.map(formatOrNull), notes])

/** Returns the version of a risk profile. Profiles with equal values have equal versions. */
export const profileVersion = ({ accountUsd, maxLeverage, maxOpenRiskPct, riskPct }: RiskProfile): string =>
  JSON.stringify([accountUsd, riskPct, maxLeverage, maxOpenRiskPct].map(formatOrNull))

const hasOtherVersion = ({ recordVersion }: JournalChange, version: string): boolean =>
  recordVersion !== undefined && recordVersion !== version

/** The data of an account's journal that `decideJournalChange` needs. */
export interface JournalState {
  /** Whether the session or key that requests the change has ended, or the key lacks `write:personal`. */
  readonly hasEnded: boolean
  /** The position that the change names, or null if the account has no such open position. */
  readonly position: Position | null
  readonly hasTrade: boolean
  readonly counts: { readonly positions: number; readonly trades: number; readonly notes: number }
  readonly profile: RiskProfile
  readonly watchlist: ReadonlyArray<string>
}

/**
 * The records that the store must write after a change of a journal. An absent field leaves the stored record
 * unchanged.
 */
export interface JournalEffects {
  /** A new position, or the replacement of the position with an equal id. */
  readonly put?: Position
  /** The id of the position to delete from the open positions. */
  readonly remove?: number
  readonly trade?: Trade
  readonly note?: JournalNote
  readonly profile?: RiskProfile
  readonly watchlist?: ReadonlyArray<string>
}

/** The decision on a change of a journal: the records to write, and the result of the call. */
export interface Decision {
  readonly result: JournalChangeResult
  readonly effects: JournalEffects
}

type DecisionResult = Result.Result<Decision, JournalChangeError>

/** The id for a new record, and the current time of the store's clock. */
export interface Stamp {
  readonly id: number
  readonly now: number
}

const storePosition = (position: Position): DecisionResult =>
  Result.succeed({ result: { _tag: "Position", position }, effects: { put: position } })

const openPosition = (
  { coin, fields, side }: JournalChange & { readonly _tag: "Open" },
  { counts }: JournalState,
  { id, now }: Stamp
): DecisionResult => {
  if (counts.positions >= journalLimits.positions) return Result.fail(new JournalFull({ kind: "positions" }))
  const { entry = null, leverage = null, notes = null, sizeUsd = null, stop = null, takes = [] } = fields
  const recordedFields = { coin, side, leverage, sizeUsd, entry, stop, initialStop: stop, takes, notes }
  return storePosition({ id, ...recordedFields, share: decimal(1), openedAt: now, updatedAt: now })
}

const closePosition = (
  { exit, feesUsd, fraction, notes }: JournalChange & { readonly _tag: "Close" },
  position: Position,
  { counts }: JournalState,
  { id, now }: Stamp
): DecisionResult => {
  if (counts.trades >= journalLimits.trades) return Result.fail(new JournalFull({ kind: "trades" }))
  const { coin, entry, initialStop, openedAt, side } = position
  const { closed, remainder } = splitPosition(position, exit, fraction, feesUsd)
  const trade: Trade = {
    id,
    positionId: position.id,
    coin,
    side,
    fraction: remainder === null ? decimal(1) : fraction,
    ...closed,
    entry,
    exit,
    initialStop,
    feesUsd,
    closes: remainder === null,
    notes,
    openedAt,
    closedAt: now
  }
  const remainingPosition = remainder === null ? null : { ...position, ...remainder, updatedAt: now }
  return Result.succeed({
    result: { _tag: "Closed", trade, position: remainingPosition },
    effects: { trade, ...(remainingPosition === null ? { remove: position.id } : { put: remainingPosition }) }
  })
}

const addNote = (
  { coin, text, tradeId }: JournalChange & { readonly _tag: "AddNote" },
  { counts, hasTrade }: JournalState,
  { id, now }: Stamp
): DecisionResult => {
  if (tradeId !== null && !hasTrade) return Result.fail(new NotInJournal({ kind: "trade", id: tradeId }))
  if (counts.notes >= journalLimits.notes) return Result.fail(new JournalFull({ kind: "notes" }))
  const note: JournalNote = { id, text, tradeId, coin, writtenAt: now }
  return Result.succeed({ result: { _tag: "Note", note }, effects: { note } })
}

const changeWatchlist = (
  { add, remove }: JournalChange & { readonly _tag: "Watch" },
  { watchlist }: JournalState
): DecisionResult => {
  // A coin that is both removed and added moves to the end.
  const remainingCoins = watchlist.filter((coin) => !remove.includes(coin))
  const coins = [...remainingCoins, ...add.filter((coin) => !remainingCoins.includes(coin))]
  if (coins.length > journalLimits.watchlist) return Result.fail(new JournalFull({ kind: "watchlist" }))
  return Result.succeed({ result: { _tag: "Watchlist", coins }, effects: { watchlist: coins } })
}

/**
 * Decides how a change affects an account's journal. Every journal store uses this function, so that all stores decide
 * equally.
 */
export const decideJournalChange = (change: JournalChange, state: JournalState, stamp: Stamp): DecisionResult => {
  if (state.hasEnded) return Result.fail(new ActorEnded())
  switch (change._tag) {
    case "Open":
      return openPosition(change, state, stamp)
    case "AddNote":
      return addNote(change, state, stamp)
    case "Watch":
      return changeWatchlist(change, state)
    case "SetProfile": {
      if (hasOtherVersion(change, profileVersion(state.profile))) return Result.fail(new RecordChanged())
      const profile = { ...state.profile, ...change.profile }
      return Result.succeed({ result: { _tag: "Profile", profile }, effects: { profile } })
    }
  }
  const { position } = state
  if (position === null) {
    return Result.fail(
      change.recordVersion === undefined ? new NotInJournal({ kind: "position", id: change.id }) : new RecordChanged()
    )
  }
  if (hasOtherVersion(change, positionVersion(position))) return Result.fail(new RecordChanged())
  switch (change._tag) {
    case "Update": {
      const { fields } = change
      const initialStop = position.initialStop ?? fields.stop ?? null
      return storePosition({ ...position, ...fields, initialStop, updatedAt: stamp.now })
    }
    case "Close":
      return closePosition(change, position, state, stamp)
    case "Delete":
      return Result.succeed({
        result: { _tag: "Deleted", id: position.id },
        effects: { remove: position.id }
      })
  }
}
