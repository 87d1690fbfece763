import { type DocumentsWrite, marketBounds, tooMany } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, texts } from "../parameters.ts"
import { lockWrite } from "./locking.ts"
import type { Once } from "./once.ts"
import { ownSubject } from "./tables.ts"

const countDocuments = `select
    (select count(*)::integer from market_documents where kind = $1 and key = any ($2::text[])) as known,
    (select count(*)::integer from market_documents where kind = $1 and key = any ($3::text[])) as going,
    (select count(*)::integer from market_documents where kind = $1) as total`

export const putDocuments = `with put as (
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

export const documentsOnce = ({ documents, fence, kind, now, removed = [] }: DocumentsWrite): Once => {
  const needs = { kind, subjects: [ownSubject], sources: documents.map(({ source }) => source), times: [] }
  return {
    fence,
    needs,
    run: (sql, within) =>
      Effect.gen(function*() {
        // This lock lets only one transaction at a time write documents of the kind.
        const { sources } = yield* lockWrite(sql, needs)
        const keys = texts(documents.map(({ key }) => key))
        const [counts] = yield* sql.unsafe<{ readonly known: number; readonly going: number; readonly total: number }>(
          countDocuments,
          [kind.name, keys, texts(removed)]
        )
        const { going, known, total } = counts!
        const fresh = documents.length - known
        if (fresh > 0 && total + fresh - going > marketBounds.documents) {
          return yield* tooMany(kind.name, "documents", marketBounds.documents)
        }
        const [row] = yield* sql.unsafe<{ readonly changed: number }>(putDocuments, [
          kind.name,
          texts(removed),
          keys,
          bigints(documents.map(({ time }) => time)),
          bigints(documents.map(({ source }) => sources.get(source)!)),
          texts(documents.map(({ document }) => document)),
          now === undefined ? null : String(now)
        ])
        yield* within
        return { changed: row!.changed }
      })
  }
}
