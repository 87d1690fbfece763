import { type DocumentsWrite, marketStoreLimits, storeFull } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, texts } from "../parameters.ts"
import { kindSubject } from "./tables.ts"
import { lockRequirements, type MarketWriteTransaction } from "./writeLocks.ts"

const countDocuments = `select
    (select count(*)::integer from market_documents where kind = $1 and key = any ($2::text[])) as known,
    (select count(*)::integer from market_documents where kind = $1 and key = any ($3::text[])) as going,
    (select count(*)::integer from market_documents where kind = $1) as total`

export const upsertDocuments = `with put as (
    insert into market_documents as d (kind, key, time, source, document)
    select $1, n.* from unnest($3::text[], $4::bigint[], $5::smallint[], $6::text[]) n (key, time, source, document)
    order by n.key
    on conflict (kind, key) do update set time = excluded.time, source = excluded.source, document = excluded.document
    where (d.time <= excluded.time or d.time > $7::bigint)
      and (d.time, d.source, d.document) is distinct from (excluded.time, excluded.source, excluded.document)
    returning 1
  ), gone as (
    delete from market_documents where kind = $1 and key = any ($2::text[]) returning 1
  )
  select (select count(*) from put)::integer + (select count(*) from gone)::integer as changed`

export const makeDocumentsTransaction = (
  { documents, fence, kind, now, removed = [] }: DocumentsWrite
): MarketWriteTransaction => {
  const requirements = { kind, subjects: [kindSubject], sources: documents.map(({ source }) => source), times: [] }
  return {
    fence,
    requirements,
    run: (sql, runFailpoint) =>
      Effect.gen(function*() {
        // The lock of the kind's own series lets only one transaction at a time write documents of the kind.
        const { sources } = yield* lockRequirements(sql, requirements)
        const keys = texts(documents.map(({ key }) => key))
        const [counts] = yield* sql.unsafe<{ readonly known: number; readonly going: number; readonly total: number }>(
          countDocuments,
          [kind.name, keys, texts(removed)]
        )
        const { going, known, total } = counts!
        const newDocuments = documents.length - known
        if (newDocuments > 0 && total + newDocuments - going > marketStoreLimits.maxDocuments) {
          return yield* storeFull(kind.name, "documents", marketStoreLimits.maxDocuments)
        }
        const [row] = yield* sql.unsafe<{ readonly changed: number }>(upsertDocuments, [
          kind.name,
          texts(removed),
          keys,
          bigints(documents.map(({ time }) => time)),
          bigints(documents.map(({ source }) => sources.get(source)!)),
          texts(documents.map(({ document }) => document)),
          now === undefined ? null : String(now)
        ])
        yield* runFailpoint
        return { changed: row!.changed }
      })
  }
}
