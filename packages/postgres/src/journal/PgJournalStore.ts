import { PgClient } from "@effect/sql-pg"
import type { Actor, StoreUnavailable } from "@tapeline/core/engine"
import {
  decide,
  type JournalChange,
  type JournalEffects,
  type JournalRefusal,
  JournalStore,
  noProfile,
  type Written
} from "@tapeline/core/personal"
import { Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { hasActorEnded } from "../access/actorRows.ts"
import { unavailable } from "../errors.ts"
import { held, type OrHeld, patiently, wholly } from "../patiently.ts"
import {
  coinsJson,
  type JournalRow,
  noteJson,
  notesJson,
  positionJson,
  positionsJson,
  profileJson,
  stateOf,
  tradeJson,
  tradesJson,
  writtenJson
} from "./rows.ts"
import {
  addNote,
  addTrade,
  countJournal,
  keepWrite,
  lockJournal,
  openJournal,
  putPosition,
  readClosed,
  readHistory,
  readHoldings,
  readNamed,
  removePosition,
  setProfile,
  setWatchlist
} from "./statements.ts"

type Locked = { readonly there: boolean } & (JournalRow | { readonly [K in keyof JournalRow]: null })

interface NamedRow {
  readonly id: number
  readonly now: number
  readonly answer: string | null
  readonly hasTrade: boolean
  readonly position: string | null
}

/** The ids of the trade and of the position that a change names; 0 if it names none. */
const namedBy = (change: JournalChange) => ({
  trade: change._tag === "AddNote" ? change.tradeId ?? 0 : 0,
  position: "id" in change ? change.id : 0
})

/** Returns the statements of a change's effects, with their parameters. */
const statementsOf = (effects: JournalEffects): ReadonlyArray<readonly [string, string]> => {
  const { note, profile, put, remove, trade, watchlist } = effects
  return [
    ...(put === undefined ? [] : [[putPosition, positionJson.write(put)] as const]),
    ...(remove === undefined ? [] : [[removePosition, String(remove)] as const]),
    ...(trade === undefined ? [] : [[addTrade, tradeJson.write(trade)] as const]),
    ...(note === undefined ? [] : [[addNote, noteJson.write(note)] as const]),
    ...(profile === undefined ? [] : [[setProfile, profileJson.write(profile)] as const]),
    ...(watchlist === undefined ? [] : [[setWatchlist, coinsJson.write(watchlist)] as const])
  ]
}

const grownBy = (change: JournalChange, { note, remove, trade }: JournalEffects) => ({
  positions: change._tag === "Open" ? 1 : remove === undefined ? 0 : -1,
  trades: trade === undefined ? 0 : 1,
  notes: note === undefined ? 0 : 1
})

type Once = Effect.Effect<OrHeld<Result.Result<Written, JournalRefusal>>, SqlError | StoreUnavailable>

const writeOnce = (
  sql: PgClient.PgClient,
  account: number,
  callId: string,
  change: JournalChange,
  by: Actor | undefined
): Once =>
  wholly(
    sql,
    Effect.gen(function*() {
      const [row] = yield* sql.unsafe<Locked>(lockJournal(sql), [String(account)])
      if (row!.positions === null) {
        // If two first changes run at once, one inserts the row, and both retry.
        if (!row!.there) yield* sql.unsafe(openJournal, [String(account)])
        return held
      }
      const { position, trade } = namedBy(change)
      const [named] = yield* sql.unsafe<NamedRow>(readNamed, [String(account), callId, String(trade), String(position)])
      if (named!.answer !== null) return Result.succeed(writtenJson.read(named!.answer))
      const decision = decide(
        change,
        { ...stateOf(row!, named!), hasEnded: yield* hasActorEnded(sql, account, by) },
        named!
      )
      if (Result.isFailure(decision)) return Result.fail(decision.failure)
      const { effects, written } = decision.success
      for (const [text, given] of statementsOf(effects)) yield* sql.unsafe(text, [String(account), given])
      const { notes, positions, trades } = grownBy(change, effects)
      if (notes !== 0 || positions !== 0 || trades !== 0) {
        yield* sql.unsafe(countJournal, [account, positions, trades, notes].map(String))
      }
      yield* sql.unsafe(keepWrite, [String(account), callId, writtenJson.write(written)])
      return Result.succeed(written)
    })
  )

/** `JournalStore` on PostgreSQL or PGlite, on a current schema. Times are the database's. */
export const PgJournalStore: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  JournalStore,
  Effect.map(PgClient.PgClient, (sql) => {
    const guard = unavailable("JournalStore")
    const change = patiently("JournalStore")
    return {
      write: (account, callId, asked, by) =>
        Effect.flatMap(
          change(writeOnce(sql, account, callId, asked, by)),
          (written) => Effect.fromResult(written)
        ),
      holdings: (account) =>
        Effect.map(
          guard(sql.unsafe<{ positions: string; profile: string | null; watchlist: string | null }>(readHoldings, [
            String(account)
          ])),
          ([row]) => ({
            positions: positionsJson.read(row!.positions),
            profile: row!.profile === null ? noProfile : profileJson.read(row!.profile),
            watchlist: row!.watchlist === null ? [] : coinsJson.read(row!.watchlist)
          })
        ),
      history: (account, { coin, limit, withinMs }) =>
        Effect.map(
          guard(sql.unsafe<{ trades: string; total: number; notes: string }>(readHistory, [
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
      closed: (account, withinMs) =>
        Effect.map(
          guard(sql.unsafe<{ trades: string }>(readClosed, [String(account), String(withinMs)])),
          ([row]) => tradesJson.read(row!.trades)
        )
    }
  })
)
