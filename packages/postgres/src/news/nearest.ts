import type { PgClient } from "@effect/sql-pg"
import { FirstFew, type FoundArticle, newestFirst, type NewsFilter, productOf } from "@tapeline/core/analysis"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

type Nearest = NewsFilter & { readonly vector: Int16Array; readonly least: number; readonly limit: number }
type Near = FoundArticle & { readonly product: number }
type Found = Effect.Effect<ReadonlyArray<Near>, SqlError>

const fits = "model = $1 and time >= $2::bigint and time < $3::bigint and ($4::text is null or $4 = any (coins))"
const parametersOf = ({ coin, from, model, to }: NewsFilter) => [model, String(from), String(to), coin ?? null]

/** Reads the schema of pgvector, as a quoted name. */
const extension = `select quote_ident(n.nspname) as schema
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`

/** Compares all rows with pgvector. Its operator `<#>` returns the negative inner product. */
const inDatabase = (sql: PgClient.PgClient, schema: string, query: Nearest): Found =>
  sql.unsafe<Near>(
    `select id, time::float8, product from (
      select id, time, -(numbers::${schema}.vector operator(${schema}.<#>) $5::real[]::${schema}.vector) as product
      from news_vectors where ${fits}
    ) as compared
    where product >= $6::float8 order by product desc, time desc, id limit $7::integer`,
    [...parametersOf(query), `{${query.vector.join(",")}}`, query.least, query.limit]
  )

/** Vectors are read one day at a time, by the index on times: a few MB, without a sort. */
const dayMs = 86_400_000
interface Row {
  readonly id: string
  readonly time: number
  readonly bytes: Uint8Array
}

/** Encodes a vector as bytes: 16 bits for each number, the low byte first. */
export const packed = (vector: Int16Array): Uint8Array => {
  const view = new DataView(new ArrayBuffer(2 * vector.length))
  for (const [i, x] of vector.entries()) view.setInt16(2 * i, x, true)
  return new Uint8Array(view.buffer)
}

const unpacked = (bytes: Uint8Array): Int16Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Int16Array(bytes.byteLength / 2)
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getInt16(2 * i, true)
  return numbers
}

const ends = `select min(time)::float8 as first, max(time)::float8 as last from news_vectors
  where model = $1 and time >= $2::bigint and time < $3::bigint`

interface Ends {
  readonly first: number | null
  readonly last: number | null
}

const readDay = `select id, time::float8, packed as bytes from news_vectors where ${fits}`

/** Compares vectors in this process, day by day, from the first to the last day with articles. */
const inCode = Effect.fnUntraced(function*(sql: PgClient.PgClient, query: Nearest) {
  const best = new FirstFew<Near>((a, b) => b.product - a.product || newestFirst(a, b), query.limit)
  const [found] = yield* sql.unsafe<Ends>(ends, parametersOf(query).slice(0, 3))
  const { first, last } = found!
  if (first === null || last === null) return []
  for (let from = first; from <= last; from += dayMs) {
    const to = Math.min(from + dayMs, query.to)
    for (const row of yield* sql.unsafe<Row>(readDay, parametersOf({ ...query, from, to }))) {
      const product = productOf(query.vector, unpacked(row.bytes))
      if (product >= query.least) best.offer({ id: row.id, time: row.time, product })
    }
    yield* Effect.yieldNow
  }
  return best.all()
})

/**
 * Returns the nearest articles. Compares them in the database if it has pgvector, which can be installed at any time.
 */
export const nearestIn = (sql: PgClient.PgClient, query: Nearest): Found =>
  Effect.flatMap(
    sql.unsafe<{ readonly schema: string }>(extension),
    ([found]) => found === undefined ? inCode(sql, query) : inDatabase(sql, found.schema, query)
  )
