import type { PgClient } from "@effect/sql-pg"
import { type FoundArticle, innerProduct, newestFirst, type NewsFilter, TopItems } from "@tapeline/core/analysis"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

type NearestQuery = NewsFilter & { readonly vector: Int16Array; readonly minProduct: number; readonly limit: number }
type NearestArticle = FoundArticle & { readonly product: number }
type FindNearest = Effect.Effect<ReadonlyArray<NearestArticle>, SqlError>

const filterSql = "model = $1 and time >= $2::bigint and time < $3::bigint and ($4::text is null or $4 = any (coins))"
const toParameters = ({ coin, from, model, to }: NewsFilter) => [model, String(from), String(to), coin ?? null]

const selectVectorSchema = `select quote_ident(n.nspname) as schema
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`

/** Compares all vectors with pgvector, whose operator `<#>` returns the negative inner product. */
const findInDatabase = (sql: PgClient.PgClient, schema: string, query: NearestQuery): FindNearest =>
  sql.unsafe<NearestArticle>(
    `select id, time::float8, product from (
      select id, time, -(numbers::${schema}.vector operator(${schema}.<#>) $5::real[]::${schema}.vector) as product
      from news_vectors where ${filterSql}
    ) as compared
    where product >= $6::float8 order by product desc, time desc, id limit $7::integer`,
    [...toParameters(query), `{${query.vector.join(",")}}`, query.minProduct, query.limit]
  )

/** The period whose vectors one statement reads, in ms. The vectors of one day have a size of a few MB. */
const dayMs = 86_400_000
interface Row {
  readonly id: string
  readonly time: number
  readonly bytes: Uint8Array
}

/** Encodes a vector as 16-bit integers in little-endian order. */
export const packVector = (vector: Int16Array): Uint8Array => {
  const view = new DataView(new ArrayBuffer(2 * vector.length))
  for (const [i, x] of vector.entries()) view.setInt16(2 * i, x, true)
  return new Uint8Array(view.buffer)
}

const unpackVector = (bytes: Uint8Array): Int16Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Int16Array(bytes.byteLength / 2)
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getInt16(2 * i, true)
  return numbers
}

const selectTimeRange = `select min(time)::float8 as first, max(time)::float8 as last from news_vectors
  where model = $1 and time >= $2::bigint and time < $3::bigint`

interface TimeRange {
  readonly first: number | null
  readonly last: number | null
}

const selectDay = `select id, time::float8, packed as bytes from news_vectors where ${filterSql}`

/** Compares vectors in the current process. Reads the vectors of one day at a time. */
const findInProcess = Effect.fnUntraced(function*(sql: PgClient.PgClient, query: NearestQuery) {
  const best = new TopItems<NearestArticle>((a, b) => b.product - a.product || newestFirst(a, b), query.limit)
  const [found] = yield* sql.unsafe<TimeRange>(selectTimeRange, toParameters(query).slice(0, 3))
  const { first, last } = found!
  if (first === null || last === null) return []
  for (let from = first; from <= last; from += dayMs) {
    const to = Math.min(from + dayMs, query.to)
    for (const row of yield* sql.unsafe<Row>(selectDay, toParameters({ ...query, from, to }))) {
      const product = innerProduct(query.vector, unpackVector(row.bytes))
      if (product >= query.minProduct) best.add({ id: row.id, time: row.time, product })
    }
    yield* Effect.yieldNow
  }
  return best.toArray()
})

/**
 * Returns the articles that are nearest to a vector. The database compares vectors if the extension pgvector is
 * installed, and the process otherwise.
 */
export const findNearest = (sql: PgClient.PgClient, query: NearestQuery): FindNearest =>
  Effect.flatMap(
    sql.unsafe<{ readonly schema: string }>(selectVectorSchema),
    ([found]) => found === undefined ? findInProcess(sql, query) : findInDatabase(sql, found.schema, query)
  )
