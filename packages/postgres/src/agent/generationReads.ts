import type { PgClient } from "@effect/sql-pg"
import type { Generation, GenerationStore, StoredStep } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { nowMsOnceSql, nowMsSql, type OrRowLocked, rowLocked } from "../rowLocks.ts"
import { generationColumns, type GenerationRow, toGeneration } from "./generationRows.ts"

type Store = GenerationStore["Service"]

const isAvailableSql = `id = $1::bigint and state = 'running' and (epoch = 0 or renewed_at <= ${nowMsSql} - $2::bigint)`

const takeGeneration = `with t as (select ${nowMsSql} as now), l as (
    select account, id from generations g where ${isAvailableSql} for no key update skip locked
  ), u as (
    update generations g set epoch = g.epoch + $3::bigint, renewed_at = greatest(g.renewed_at, t.now) from l, t
    where g.account = l.account and g.id = l.id returning g.*
  )
  select not exists (select from l) and exists (select from generations g where ${isAvailableSql}) as held, u.*
  from (select) one left join (select ${generationColumns("u")} from u) u on true`

type TakenGenerationRow = { readonly held: boolean } & { readonly [K in keyof GenerationRow]: GenerationRow[K] | null }

export const attemptTake = (
  sql: PgClient.PgClient,
  generation: number,
  staleMs: number,
  epochs: number
): Effect.Effect<OrRowLocked<Generation | null>, SqlError> =>
  Effect.map(
    sql.unsafe<TakenGenerationRow>(takeGeneration, [String(generation), String(Math.ceil(staleMs)), String(epochs)]),
    ([row]) =>
      // A row with an id is complete.
      row!.held ? rowLocked : row!.id === null ? null : toGeneration(row as GenerationRow)
  )

const selectGenerations = `select ${generationColumns("g")} from generations g where`

const abandonedGenerations = `${selectGenerations} g.state = 'running'
  and g.renewed_at <= ${nowMsOnceSql} - case when g.epoch = 0 then $3::bigint else $1::bigint end
  order by g.renewed_at, g.id limit $2::bigint`

const runningOfAccount =
  `${selectGenerations} g.account = $1::bigint and g.state = 'running' order by g.id limit $2::bigint`

const runningOfInactiveAccounts = `${selectGenerations} g.state = 'running'
  and g.account in (select id from accounts where status <> 'active') order by g.id limit $1::bigint`

const generationByKey =
  `${selectGenerations} g.account = $1::bigint and g.idempotency_key = $2 order by g.id desc limit 1`

const runningGeneration =
  `${selectGenerations} g.account = $1::bigint and g.conversation = $2::bigint and g.state = 'running'`

const selectSteps = `select s.name, s.content from generations g
  join generation_steps s on s.account = g.account and s.generation = g.id
  where g.id = $1::bigint order by s.place`

export const readSteps = (
  sql: PgClient.PgClient,
  generation: number
): Effect.Effect<ReadonlyArray<StoredStep>, SqlError> =>
  Effect.map(
    sql.unsafe<{ readonly name: string; readonly content: string }>(selectSteps, [String(generation)]),
    (rows) => rows.map(({ content, name }) => ({ name, content: JSON.parse(content) }))
  )

export const makeReadMethods = (
  sql: PgClient.PgClient,
  mapErrors: <A>(
    effect: Effect.Effect<A, SqlError>
  ) => ReturnType<Store["find"]> extends Effect.Effect<infer _, infer E> ? Effect.Effect<A, E>
    : never
): Pick<
  Store,
  "find" | "findByKey" | "findRunning" | "listRunning" | "listInactive" | "listAbandoned" | "listSteps"
> => {
  const queryGenerations = (text: string, parameters: ReadonlyArray<string>) =>
    Effect.map(mapErrors(sql.unsafe<GenerationRow>(text, parameters)), (found) => found.map(toGeneration))
  const queryGeneration = (text: string, parameters: ReadonlyArray<string>) =>
    Effect.map(queryGenerations(text, parameters), ([generation]) => generation ?? null)
  return {
    find: (generation) => queryGeneration(`${selectGenerations} g.id = $1::bigint`, [String(generation)]),
    findByKey: (account, key) => queryGeneration(generationByKey, [String(account), key]),
    findRunning: (account, conversation) => queryGeneration(runningGeneration, [String(account), String(conversation)]),
    listRunning: (account, limit) => queryGenerations(runningOfAccount, [String(account), String(limit)]),
    listInactive: (limit) => queryGenerations(runningOfInactiveAccounts, [String(limit)]),
    listAbandoned: ({ limit, staleMs, untakenMs }) =>
      queryGenerations(abandonedGenerations, [
        String(Math.floor(staleMs)),
        String(limit),
        String(Math.floor(untakenMs))
      ]),
    listSteps: (generation) => mapErrors(readSteps(sql, generation))
  }
}
