import type { PgClient } from "@effect/sql-pg"
import type { Fence, GenerationEvent, StoredStep } from "@tapeline/core/agent"
import { groupCommit, type StoreUnavailable } from "@tapeline/core/engine"
import { Cause, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { bigints, texts } from "../parameters.ts"
import { nowMsSql, type OrRowLocked, rowLocked } from "../rowLocks.ts"

/*
 * Writes events, steps and renewals for the process that holds a generation's fence. A statement contains the writes of
 * many generations, but each write succeeds or fails separately.
 */

/** A write to a generation. The database rejects the write if its fencing token is outdated. */
export interface FencedWrite {
  readonly fence: Fence
  readonly steps: ReadonlyArray<StoredStep>
  readonly events: ReadonlyArray<GenerationEvent>
}

const fenceCondition =
  "g.id = w.id and g.epoch = w.epoch and g.state = 'running' and (w.next_n is null or g.next_n = w.next_n)"

const writeAllSql = `with t as (select ${nowMsSql} as now), w as (
    select * from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $13::bigint[])
      with ordinality as w (id, epoch, events, steps, next_n, slot)
  ), s as (
    select * from unnest($9::integer[], $10::integer[], $11::text[], $12::text[]) as s (slot, place, name, content)
  ), l as (
    select g.account, g.id, g.next_n, g.next_step, w.slot, w.events, w.steps
    from w join generations g on ${fenceCondition}
    for no key update of g skip locked
  ), twice as (
    select distinct l.slot from l join s on s.slot = l.slot
    join generation_steps x on x.account = l.account and x.generation = l.id and x.name = s.name
  ), ok as (
    select l.* from l where not exists (select from twice where twice.slot = l.slot)
  ), u as (
    update generations g set renewed_at = greatest(g.renewed_at, t.now), next_n = g.next_n + ok.events,
      next_step = g.next_step + ok.steps
    from ok, t where g.account = ok.account and g.id = ok.id
  ), e as (
    insert into generation_events (account, generation, n, kind, data)
    select ok.account, ok.id, ok.next_n + e.place, e.kind, e.data
    from unnest($5::integer[], $6::integer[], $7::text[], $8::text[]) as e (slot, place, kind, data)
    join ok on ok.slot = e.slot order by ok.account, ok.id, e.place
  ), p as (
    insert into generation_steps (account, generation, name, place, content)
    select ok.account, ok.id, s.name, ok.next_step + s.place, s.content from s join ok on ok.slot = s.slot
  )
  select ok.next_n, exists (select from twice where twice.slot = w.slot) as twice,
    l.slot is null and exists (
      select from generations g where ${fenceCondition}
    ) as held
  from w left join l on l.slot = w.slot left join ok on ok.slot = w.slot order by w.slot`

interface WriteRow {
  readonly next_n: number | null
  readonly twice: boolean
  readonly held: boolean
}

/**
 * Combines the items of several writes in one list. Adds to each item the 1-based number of its write and the item's
 * index within the write.
 */
const flattenWithSlots = <A>(lists: ReadonlyArray<ReadonlyArray<A>>) => {
  const items = lists.flatMap((list, i) => list.map((item, place) => ({ slot: i + 1, place, item })))
  return {
    slots: bigints(items.map(({ slot }) => slot)),
    places: bigints(items.map(({ place }) => place)),
    items: items.map(({ item }) => item)
  }
}

const runStatement = (sql: PgClient.PgClient, writes: ReadonlyArray<FencedWrite>) => {
  const events = flattenWithSlots(writes.map((write) => write.events))
  const steps = flattenWithSlots(writes.map((write) => write.steps))
  return sql.unsafe<WriteRow>(writeAllSql, [
    bigints(writes.map(({ fence }) => fence.generation)),
    bigints(writes.map(({ fence }) => fence.epoch)),
    bigints(writes.map((write) => write.events.length)),
    bigints(writes.map((write) => write.steps.length)),
    events.slots,
    events.places,
    texts(events.items.map(({ kind }) => kind)),
    texts(events.items.map(({ data }) => JSON.stringify(data))),
    steps.slots,
    steps.places,
    texts(steps.items.map(({ name }) => name)),
    texts(steps.items.map(({ content }) => JSON.stringify(content))),
    bigints(writes.map(({ fence }) => fence.nextN ?? null))
  ])
}

/** The number of a generation's last event after a write, or null if the write's fencing token is outdated. */
type WriteExit = Exit.Exit<OrRowLocked<number | null>, StoreUnavailable>

const dieOfDuplicateStep = ({ generation }: Fence) =>
  Exit.die(new Error(`A step of generation ${generation} is already stored`))

/**
 * Divides writes into rounds, and each round becomes one statement. A round contains at most one write of each
 * generation.
 */
const divideIntoRounds = (writes: ReadonlyArray<FencedWrite>): ReadonlyArray<ReadonlyArray<number>> => {
  const roundOfGeneration = new Map<number, number>()
  const rounds: Array<Array<number>> = []
  writes.forEach(({ fence }, i) => {
    const round = roundOfGeneration.get(fence.generation) ?? 0
    roundOfGeneration.set(fence.generation, round + 1)
    ;(rounds[round] ??= []).push(i)
  })
  return rounds
}

const batchLimits = { maxBatch: 64, batchesInFlight: 2 } as const

/** Creates a function that combines concurrent fenced writes of several callers in one batch. */
export const makeFencedWriter = (
  sql: PgClient.PgClient,
  mapErrors: <A>(effect: Effect.Effect<A, SqlError>) => Effect.Effect<A, StoreUnavailable>
) => {
  const runRound = (writes: ReadonlyArray<FencedWrite>): Effect.Effect<ReadonlyArray<WriteExit>, StoreUnavailable> =>
    Effect.map(mapErrors(runStatement(sql, writes)), (rows) =>
      rows.map((row, i): WriteExit => {
        const { events, fence } = writes[i]!
        if (row.twice) return dieOfDuplicateStep(fence)
        return Exit.succeed(row.held ? rowLocked : row.next_n === null ? null : row.next_n + events.length - 1)
      }))

  /**
   * Runs a batch of writes, or each write separately if the schema rejects the batch, so that only the invalid write
   * fails.
   */
  const runRoundIsolated = (writes: ReadonlyArray<FencedWrite>): Effect.Effect<ReadonlyArray<WriteExit>> =>
    Effect.flatMap(Effect.exit(runRound(writes)), (exit): Effect.Effect<ReadonlyArray<WriteExit>> => {
      if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
      if (writes.length === 1 || !Cause.hasDies(exit.cause)) {
        return Effect.succeed(writes.map((): WriteExit => Exit.failCause(exit.cause)))
      }
      return Effect.map(Effect.forEach(writes, (write) => runRoundIsolated([write])), (exits) => exits.flat())
    })

  const runBatch = (writes: ReadonlyArray<FencedWrite>): Effect.Effect<ReadonlyArray<WriteExit>> =>
    Effect.map(
      Effect.forEach(divideIntoRounds(writes), (indexes) =>
        Effect.map(
          runRoundIsolated(indexes.map((i) => writes[i]!)),
          (exits) => exits.map((exit, i) => [indexes[i]!, exit] as const)
        )),
      (rounds) => rounds.flat().sort(([a], [b]) => a - b).map(([, exit]) => exit)
    )

  return Effect.map(
    groupCommit(runBatch, batchLimits),
    (commit) => (write: FencedWrite): Effect.Effect<OrRowLocked<number | null>, StoreUnavailable> => {
      const names = write.steps.map(({ name }) => name)
      return new Set(names).size < names.length ? dieOfDuplicateStep(write.fence) : Effect.flatten(commit(write))
    }
  )
}
