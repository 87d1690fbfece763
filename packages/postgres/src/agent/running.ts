import type { PgClient } from "@effect/sql-pg"
import type { Generation, GenerationStore, StoredStep } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { held, nowMs, nowMsOnce, type OrHeld } from "../patiently.ts"
import { generationColumns, type GenerationRow, toGeneration } from "./generationRows.ts"

type Store = GenerationStore["Service"]

const free = `id = $1::bigint and state = 'running' and (epoch = 0 or renewed_at <= ${nowMs} - $2::bigint)`

const takeGeneration = `with t as (select ${nowMs} as now), l as (
    select account, id from generations g where ${free} for no key update skip locked
  ), u as (
    update generations g set epoch = g.epoch + $3::bigint, renewed_at = greatest(g.renewed_at, t.now) from l, t
    where g.account = l.account and g.id = l.id returning g.*
  )
  select not exists (select from l) and exists (select from generations g where ${free}) as held, u.*
  from (select) one left join (select ${generationColumns("u")} from u) u on true`

type TakeRow = { readonly held: boolean } & { readonly [K in keyof GenerationRow]: GenerationRow[K] | null }

/** Takes an available generation, unless another transaction holds its row. */
export const takeOnce = (
  sql: PgClient.PgClient,
  generation: number,
  staleMs: number,
  epochs: number
): Effect.Effect<OrHeld<Generation | null>, SqlError> =>
  Effect.map(
    sql.unsafe<TakeRow>(takeGeneration, [String(generation), String(Math.ceil(staleMs)), String(epochs)]),
    ([row]) =>
      // A row with an id is complete.
      row!.held ? held : row!.id === null ? null : toGeneration(row as GenerationRow)
  )

const select = `select ${generationColumns("g")} from generations g where`

const abandonedGenerations = `${select} g.state = 'running'
  and g.renewed_at <= ${nowMsOnce} - case when g.epoch = 0 then $3::bigint else $1::bigint end
  order by g.renewed_at, g.id limit $2::bigint`

const generationByKey = `${select} g.account = $1::bigint and g.idempotency_key = $2 order by g.id desc limit 1`

const runningGeneration = `${select} g.account = $1::bigint and g.conversation = $2::bigint and g.state = 'running'`

const stepsOf = `select s.name, s.content from generations g
  join generation_steps s on s.account = g.account and s.generation = g.id
  where g.id = $1::bigint order by s.place`

export const readSteps = (
  sql: PgClient.PgClient,
  generation: number
): Effect.Effect<ReadonlyArray<StoredStep>, SqlError> =>
  Effect.map(
    sql.unsafe<{ readonly name: string; readonly content: string }>(stepsOf, [String(generation)]),
    (rows) => rows.map(({ content, name }) => ({ name, content: JSON.parse(content) }))
  )

/** The read-only operations on generations. */
export const reading = (
  sql: PgClient.PgClient,
  guard: <A>(
    effect: Effect.Effect<A, SqlError>
  ) => ReturnType<Store["find"]> extends Effect.Effect<infer _, infer E> ? Effect.Effect<A, E>
    : never
): Pick<Store, "find" | "byKey" | "running" | "abandoned" | "steps"> => {
  const rows = (text: string, parameters: ReadonlyArray<string>) =>
    Effect.map(guard(sql.unsafe<GenerationRow>(text, parameters)), (found) => found.map(toGeneration))
  const one = (text: string, parameters: ReadonlyArray<string>) =>
    Effect.map(rows(text, parameters), ([generation]) => generation ?? null)
  return {
    find: (generation) => one(`${select} g.id = $1::bigint`, [String(generation)]),
    byKey: (account, key) => one(generationByKey, [String(account), key]),
    running: (account, conversation) => one(runningGeneration, [String(account), String(conversation)]),
    abandoned: ({ limit, staleMs, untakenMs }) =>
      rows(abandonedGenerations, [String(Math.floor(staleMs)), String(limit), String(Math.floor(untakenMs))]),
    steps: (generation) => guard(readSteps(sql, generation))
  }
}
