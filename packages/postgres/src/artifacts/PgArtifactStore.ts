import { PgClient } from "@effect/sql-pg"
import { artifactRetentionMs, ArtifactStore, isArtifactId, makeArtifactId, maxArtifacts } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"
import { mapSqlErrors } from "../errors.ts"

const isExpiredSql = `kept_at <= clock_timestamp() - ${artifactRetentionMs} * interval '1 millisecond'`

// Replaces an expired artifact of a call. If two processes store the artifact of a call at the same time, the second
// process finds the artifact of the first process.
const insertArtifact = `insert into artifacts as kept (account, id, call, about, png, svg)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (account, call) do update
  set id = excluded.id, about = excluded.about, png = excluded.png, svg = excluded.svg, kept_at = clock_timestamp()
  where kept.${isExpiredSql}
  returning id, about`

const findArtifact = "select id, about from artifacts where account = $1 and call = $2"

// Deletes the surplus artifacts of an account. The new artifact is never deleted, even if the clock was set back,
// because the URL of the new artifact is about to be returned.
const deleteSurplus = `delete from artifacts using (
    select account, id from (
      select account, id, row_number() over (order by id = $2 desc, kept_at desc, id) as place
      from artifacts where account = $1
    ) as mine where place > ${maxArtifacts}
  ) as beyond
  where artifacts.account = beyond.account and artifacts.id = beyond.id and artifacts.account = $1`

/** The maximum number of expired artifacts that one insert deletes. The deleted artifacts may belong to any account. */
const deletedAtOnce = 20

const deleteExpired = `delete from artifacts using (
    select account, id from artifacts where ${isExpiredSql} order by kept_at limit ${deletedAtOnce}
    for update skip locked
  ) as old
  where artifacts.account = old.account and artifacts.id = old.id`

const selectImageSql = (format: "png" | "svg"): string =>
  `select ${format} as bytes from artifacts where account = $1 and id = $2 and not (${isExpiredSql})`

interface StoredRow {
  readonly id: string
  readonly about: Uint8Array
}

const mapErrors = mapSqlErrors("ArtifactStore")
const decoder = new TextDecoder()

/** Implements `ArtifactStore` with PostgreSQL, and takes all times from the clock of the database. */
export const PgArtifactStore: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  ArtifactStore,
  Effect.map(PgClient.PgClient, (sql) => ({
    save: ({ about, account, callId, images }) =>
      mapErrors(Effect.gen(function*() {
        const row = [String(account), makeArtifactId(), callId, new TextEncoder().encode(about), images.png, images.svg]
        let [stored] = yield* sql.unsafe<StoredRow>(insertArtifact, row)
        // If another call deletes the artifact between the two statements, the artifact is inserted again.
        if (stored === undefined) [stored] = yield* sql.unsafe<StoredRow>(findArtifact, [String(account), callId])
        if (stored === undefined) [stored] = yield* sql.unsafe<StoredRow>(insertArtifact, row)
        yield* sql.unsafe(deleteSurplus, [String(account), stored!.id])
        yield* sql.unsafe(deleteExpired)
        return { id: stored!.id, about: decoder.decode(stored!.about) }
      })),
    readImage: ({ account, format, id }) =>
      // Only valid artifact ids are queried, because the database rejects texts with a NUL.
      isArtifactId(id)
        ? mapErrors(Effect.map(
          sql.unsafe<{ readonly bytes: Uint8Array }>(selectImageSql(format), [String(account), id]),
          ([found]) => found?.bytes ?? null
        ))
        : Effect.succeed(null)
  }))
)
