import { PgClient } from "@effect/sql-pg"
import { artifactKeptMs, artifactsAtMost, ArtifactStore, isArtifactId, newArtifactId } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"
import { unavailable } from "../errors.ts"

const isOld = `kept_at <= clock_timestamp() - ${artifactKeptMs} * interval '1 millisecond'`

// Replaces an expired artifact of the same call. If two calls store at once, the second finds the artifact of the
// first.
const keep = `insert into artifacts as kept (account, id, call, about, png, svg)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (account, call) do update
  set id = excluded.id, about = excluded.about, png = excluded.png, svg = excluded.svg, kept_at = clock_timestamp()
  where kept.${isOld}
  returning id, about`

const find = "select id, about from artifacts where account = $1 and call = $2"

// Artifacts that another transaction removes at the same time are left to it. The artifact that was just stored is
// never among the oldest, even if the clock changed, because its address is about to be returned.
const trim = `delete from artifacts using (
    select account, id from (
      select account, id, row_number() over (order by id = $2 desc, kept_at desc, id) as place
      from artifacts where account = $1
    ) as mine where place > ${artifactsAtMost}
  ) as beyond
  where artifacts.account = beyond.account and artifacts.id = beyond.id and artifacts.account = $1`

/**
 * Maximum number of expired artifacts, of all accounts, that a new one removes. It is more than one, so that they do
 * not accumulate.
 */
const removedAtOnce = 20

const removeOld = `delete from artifacts using (
    select account, id from artifacts where ${isOld} order by kept_at limit ${removedAtOnce} for update skip locked
  ) as old
  where artifacts.account = old.account and artifacts.id = old.id`

const image = (form: "png" | "svg"): string =>
  `select ${form} as bytes from artifacts where account = $1 and id = $2 and not (${isOld})`

interface KeptRow {
  readonly id: string
  readonly about: Uint8Array
}

const inStore = unavailable("ArtifactStore")
const decoder = new TextDecoder()

/** `ArtifactStore` on PostgreSQL, on a current schema. Times are the database's. */
export const PgArtifactStore: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  ArtifactStore,
  Effect.map(PgClient.PgClient, (sql) => ({
    keep: ({ about, account, callId, forms }) =>
      inStore(Effect.gen(function*() {
        const row = [String(account), newArtifactId(), callId, new TextEncoder().encode(about), forms.png, forms.svg]
        let [kept] = yield* sql.unsafe<KeptRow>(keep, row)
        // Between the two statements, the artifact can only have been removed as surplus or as expired.
        if (kept === undefined) [kept] = yield* sql.unsafe<KeptRow>(find, [String(account), callId])
        if (kept === undefined) [kept] = yield* sql.unsafe<KeptRow>(keep, row)
        yield* sql.unsafe(trim, [String(account), kept!.id])
        yield* sql.unsafe(removeOld)
        return { id: kept!.id, about: decoder.decode(kept!.about) }
      })),
    image: ({ account, form, id }) =>
      // Ids contain no other characters, and the database rejects texts with NUL.
      isArtifactId(id)
        ? inStore(Effect.map(
          sql.unsafe<{ readonly bytes: Uint8Array }>(image(form), [String(account), id]),
          ([found]) => found?.bytes ?? null
        ))
        : Effect.succeed(null)
  }))
)
