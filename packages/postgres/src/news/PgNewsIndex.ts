import { PgClient } from "@effect/sql-pg"
import {
  type IndexedArticle,
  type IndexedDay,
  NewsIndex,
  type NewsIndexService,
  type TermGroup
} from "@tapeline/core/analysis"
import { type Context, Data, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { texts } from "../parameters.ts"
import { findNearest, packVector } from "./nearest.ts"

/** Another process has written newer data of the day, or has deleted an article that the write expects to exist. */
class Outdated extends Data.TaggedError("Outdated") {}

const selectDays = `select day::float8, read_at::float8 as "readAt", as_of::float8 as "asOf", sources from news_days
  where model = $1 and day >= $2::bigint and day < $3::bigint order by day`

// The statement makes writers of the same day wait for each other, so that the following statements see the earlier
// writer's data.
const upsertDay = `insert into news_days as known (model, day, read_at, as_of, sources)
  values ($1, $2::bigint, $3::bigint, $4::bigint, $5::text[])
  on conflict (model, day) do update
  set read_at = excluded.read_at, as_of = excluded.as_of, sources = excluded.sources
  where known.read_at <= excluded.read_at
  returning 1 as written`

const countKept = `select count(*)::integer as count from news_articles
  where model = $1 and day = $2::bigint and id = any ($3::text[])`

const deleteOtherArticles = "delete from news_articles where model = $1 and day = $2::bigint and id <> all ($3::text[])"

const upsertArticles = `with put as (
    select * from json_to_recordset($3::json) as put (
      id text, time bigint, digest text, source text, url text, title text, body text, coins text[], terms integer[],
      numbers real[], packed text
    ) order by id
  ), written as (
    insert into news_articles (model, id, day, time, digest, source, url, title, body, coins, terms)
    select $1, id, $2::bigint, time, digest, source, url, title, body, coins, terms from put order by id
    on conflict (model, id) do update set
      day = excluded.day, time = excluded.time, digest = excluded.digest, source = excluded.source, url = excluded.url,
      title = excluded.title, body = excluded.body, coins = excluded.coins, terms = excluded.terms
    returning 1
  )
  insert into news_vectors (model, id, time, coins, numbers, packed)
  select $1, id, time, coins, numbers, decode(packed, 'base64') from put order by id
  on conflict (model, id) do update
  set time = excluded.time, coins = excluded.coins, numbers = excluded.numbers, packed = excluded.packed`

/** The maximum number of articles that one statement writes. 100 articles have a size of a few hundred kilobytes. */
const maxArticlesPerStatement = 100

const toJson = (articles: ReadonlyArray<IndexedArticle>): string =>
  JSON.stringify(articles.map(({ vector, ...article }) => ({
    ...article,
    numbers: [...vector],
    packed: Buffer.from(packVector(vector)).toString("base64")
  })))

const writeDay = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { articles, asOf, day, unchangedIds, model, readAt, sources }: Parameters<NewsIndexService["write"]>[0]
) {
  const written = yield* sql.unsafe(upsertDay, [
    model,
    String(day),
    String(readAt),
    String(Math.floor(asOf)),
    texts(sources)
  ])
  if (written.length === 0) return yield* new Outdated()
  if (unchangedIds.length > 0) {
    const [found] = yield* sql.unsafe<{ readonly count: number }>(countKept, [model, String(day), texts(unchangedIds)])
    if (found!.count !== new Set(unchangedIds).size) return yield* new Outdated()
  }
  yield* sql.unsafe(deleteOtherArticles, [model, String(day), texts(unchangedIds)])
  for (let from = 0; from < articles.length; from += maxArticlesPerStatement) {
    yield* sql.unsafe(upsertArticles, [
      model,
      String(day),
      toJson(articles.slice(from, from + maxArticlesPerStatement))
    ])
  }
})

const filterSql = "model = $1 and time >= $2::bigint and time < $3::bigint and ($4::text is null or $4 = any (coins))"

interface Match {
  readonly mask: number
  readonly count: number
  readonly id: string
  readonly time: number
}

/** Returns the SQL statement that matches articles with `terms` search terms. */
const selectMatchesSql = (terms: number): string => {
  const mask = Array.from(
    { length: terms },
    (_, i) => `case when ($5::integer[])[${i + 1}] = any (terms) then ${2 ** i}::bigint else 0 end`
  ).join(" + ")
  return `with hits as materialized (
      select id, time, ${mask} as mask from news_articles where ${filterSql} and terms && $5::integer[]
    ), placed as (
      select mask, id, time, count(*) over (partition by mask) as count,
        row_number() over (partition by mask order by time desc, id) as place
      from hits
    )
    select mask::float8, count::integer, id, time::float8 from placed where place <= $6::integer order by mask, place`
}

const findMatches = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { coin, from, limit, model, terms, to }: Parameters<NewsIndexService["matchTerms"]>[0]
) {
  const filter = [model, String(from), String(to), coin ?? null]
  const [all] = yield* sql.unsafe<{ readonly count: number }>(
    `select count(*)::integer as count from news_articles where ${filterSql}`,
    filter
  )
  const matches = terms.length === 0
    ? []
    : yield* sql.unsafe<Match>(selectMatchesSql(terms.length), [...filter, `{${terms.join(",")}}`, limit])
  const groups = [...Map.groupBy(matches, ({ mask }) => mask)].map(([mask, matchesOfMask]): TermGroup => ({
    mask,
    count: matchesOfMask[0]!.count,
    newest: matchesOfMask.map(({ id, time }) => ({ id, time }))
  }))
  return { articles: all!.count, groups }
})

const selectArticles = `select id, time::float8, source, url, title, body, coins from news_articles
  where model = $1 and id = any ($2::text[])`

type ArticleRow = Omit<IndexedArticle, "terms" | "vector" | "digest">

/**
 * Implements `NewsIndex` with PostgreSQL, on background sessions. If the database has the extension `vector`
 * (pgvector), the database compares vectors; if not, the process compares vectors with equal results.
 */
export const PgNewsIndex: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  NewsIndex,
  Effect.gen(function*() {
    const context = yield* Effect.context<PgClient.PgClient>()
    const { run } = yield* makeBackgroundPool
    const runApart = <A>(useClient: (sql: PgClient.PgClient) => Effect.Effect<A, SqlError>) =>
      mapSqlErrors("NewsIndex")(Effect.updateContext(run(useClient), (_: Context.Context<never>) => context))
    return {
      days: ({ from, model, to }) =>
        runApart((sql) => sql.unsafe<IndexedDay>(selectDays, [model, String(from), String(to)])),
      digests: ({ day, model }) =>
        Effect.map(
          runApart((sql) =>
            sql.unsafe<{ readonly id: string; readonly digest: string }>(
              "select id, digest from news_articles where model = $1 and day = $2::bigint",
              [model, String(day)]
            )
          ),
          (rows) => new Map(rows.map(({ digest, id }) => [id, digest]))
        ),
      write: (query) =>
        runApart((sql) =>
          sql.withTransaction(writeDay(sql, query)).pipe(
            Effect.as(true),
            Effect.catchTag("Outdated", () => Effect.succeed(false))
          )
        ),
      matchTerms: (query) => runApart((sql) => findMatches(sql, query)),
      findNearest: (query) => runApart((sql) => findNearest(sql, query)),
      articles: ({ ids, model }) =>
        Effect.map(
          runApart((sql) => sql.unsafe<ArticleRow>(selectArticles, [model, texts(ids)])),
          (rows) => new Map(rows.map((row) => [row.id, row]))
        ),
      deleteDays: ({ before }) =>
        runApart((sql) =>
          Effect.andThen(
            sql.unsafe("delete from news_articles where day < $1::bigint", [String(before)]),
            sql.unsafe("delete from news_days where day < $1::bigint", [String(before)])
          )
        ).pipe(Effect.asVoid)
    }
  })
)
