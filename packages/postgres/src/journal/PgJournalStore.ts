import { PgClient } from "@effect/sql-pg"
import type { Actor, StoreUnavailable } from "@tapeline/core/engine"
import {
  decideJournalChange,
  type JournalChange,
  type JournalChangeError,
  type JournalChangeResult,
  type JournalEffects,
  JournalStore,
  noProfile
} from "@tapeline/core/personal"
import { Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { hasActorEnded } from "../access/actorLock.ts"
import { mapSqlErrors } from "../errors.ts"
import { makeLockRetry, type OrRowLocked, rowLocked, runTransaction } from "../rowLocks.ts"
import {
  coinsJson,
  type JournalRow,
  noteJson,
  notesJson,
  positionJson,
  positionsJson,
  profileJson,
  toState,
  tradeJson,
  tradesJson,
  writtenJson
} from "./rows.ts"
import {
  deletePosition,
  insertJournal,
  insertNote,
  insertTrade,
  lockJournal,
  selectClosed,
  selectHistory,
  selectHoldings,
  selectNamed,
  storeWrite,
  updateCounts,
  updateProfile,
  updateWatchlist,
  upsertPosition
} from "./statements.ts"

type LockedJournalRow = { readonly there: boolean } & (JournalRow | { readonly [K in keyof JournalRow]: null })

interface NamedRow {
  readonly id: number
  readonly now: number
  readonly answer: string | null
  readonly hasTrade: boolean
  readonly position: string | null
}

/** Returns the trade id and the position id of a change, with 0 for a missing id. */
const readNamedIds = (change: JournalChange) => ({
  trade: change._tag === "AddNote" ? change.tradeId ?? 0 : 0,
  position: "id" in change ? change.id : 0
})

const toStatements = (effects: JournalEffects): ReadonlyArray<readonly [string, string]> => {
  const { note, profile, put, remove, trade, watchlist } = effects
  return [
    ...(put === undefined ? [] : [[upsertPosition, positionJson.write(put)] as const]),
    ...(remove === undefined ? [] : [[deletePosition, String(remove)] as const]),
    ...(trade === undefined ? [] : [[insertTrade, tradeJson.write(trade)] as const]),
    ...(note === undefined ? [] : [[insertNote, noteJson.write(note)] as const]),
    ...(profile === undefined ? [] : [[updateProfile, profileJson.write(profile)] as const]),
    ...(watchlist === undefined ? [] : [[updateWatchlist, coinsJson.write(watchlist)] as const])
  ]
}

const countGrowth = (change: JournalChange, { note, remove, trade }: JournalEffects) => ({
  positions: change._tag === "Open" ? 1 : remove === undefined ? 0 : -1,
  trades: trade === undefined ? 0 : 1,
  notes: note === undefined ? 0 : 1
})

type WriteAttempt = Effect.Effect<
  OrRowLocked<Result.Result<JournalChangeResult, JournalChangeError>>,
  SqlError | StoreUnavailable
>

const attemptWrite = (
  sql: PgClient.PgClient,
  account: number,
  callId: string,
  change: JournalChange,
  actor: Actor | undefined
): WriteAttempt =>
  runTransaction(
    sql,
    Effect.gen(function*() {
      const [row] = yield* sql.unsafe<LockedJournalRow>(lockJournal(sql), [String(account)])
      if (row!.positions === null) {
        // If two changes of an account are its first and run at the same time, one change inserts the row, and both
        // changes retry.
        if (!row!.there) yield* sql.unsafe(insertJournal, [String(account)])
        return rowLocked
      }
      const { position, trade } = readNamedIds(change)
      const [named] = yield* sql.unsafe<NamedRow>(selectNamed, [
        String(account),
        callId,
        String(trade),
        String(position)
      ])
      if (named!.answer !== null) return Result.succeed(writtenJson.read(named!.answer))
      const decision = decideJournalChange(
        change,
        { ...toState(row!, named!), hasEnded: yield* hasActorEnded(sql, account, actor) },
        named!
      )
      if (Result.isFailure(decision)) return Result.fail(decision.failure)
      const { effects, result } = decision.success
      for (const [text, parameter] of toStatements(effects)) yield* sql.unsafe(text, [String(account), parameter])
      const { notes, positions, trades } = countGrowth(change, effects)
      if (notes !== 0 || positions !== 0 || trades !== 0) {
        yield* sql.unsafe(updateCounts, [account, positions, trades, notes].map(String))
      }
      yield* sql.unsafe(storeWrite, [String(account), callId, writtenJson.write(result)])
      return Result.succeed(result)
    })
  )

/** Implements `JournalStore` with PostgreSQL or PGlite, and takes all times from the clock of the database. */
export const PgJournalStore: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  JournalStore,
  Effect.map(PgClient.PgClient, (sql) => {
    const mapErrors = mapSqlErrors("JournalStore")
    const runChange = makeLockRetry("JournalStore")
    return {
      write: (account, callId, journalChange, actor) =>
        Effect.flatMap(
          runChange(attemptWrite(sql, account, callId, journalChange, actor)),
          (written) => Effect.fromResult(written)
        ),
      holdings: (account) =>
        Effect.map(
          mapErrors(
            sql.unsafe<{ positions: string; profile: string | null; watchlist: string | null }>(selectHoldings, [
              String(account)
            ])
          ),
          ([row]) => ({
            positions: positionsJson.read(row!.positions),
            profile: row!.profile === null ? noProfile : profileJson.read(row!.profile),
            watchlist: row!.watchlist === null ? [] : coinsJson.read(row!.watchlist)
          })
        ),
      history: (account, { coin, limit, withinMs }) =>
        Effect.map(
          mapErrors(sql.unsafe<{ trades: string; total: number; notes: string }>(selectHistory, [
            String(account),
            String(withinMs),
            coin ?? "",
            String(limit)
          ])),
          ([row]) => ({
            trades: tradesJson.read(row!.trades),
            total: row!.total,
            notes: notesJson.read(row!.notes)
          })
        ),
      listClosedTrades: (account, withinMs) =>
        Effect.map(
          mapErrors(sql.unsafe<{ trades: string }>(selectClosed, [String(account), String(withinMs)])),
          ([row]) => tradesJson.read(row!.trades)
        )
    }
  })
)
