import { StoreUnavailable } from "@tapeline/core"
import { artifactRetentionMs, ArtifactStore, makeArtifactId, maxArtifacts } from "@tapeline/core/analysis"
import { Clock, Effect, Layer } from "effect"
import { DatabaseSync } from "node:sqlite"

const schema = `
  create table if not exists artifacts (
    id text primary key, account integer not null, call text not null, kept_at integer not null,
    about text not null, png blob not null, svg blob not null, unique (account, call)
  ) strict;
  create index if not exists artifacts_by_age on artifacts (kept_at);
`

/**
 * Provides an `ArtifactStore` in one SQLite file with `node:sqlite`. Statements are synchronous and transactions
 * exclude other processes, so no statement runs between the statements of a change.
 */
export const sqliteArtifactStore = (path: string): Layer.Layer<never> =>
  Layer.effect(
    ArtifactStore,
    Effect.gen(function*() {
      // A tool call about the past runs under another clock, which the retention must not use.
      const clock = yield* Clock.Clock
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(path, { timeout: 5_000 })),
        (open) => Effect.sync(() => open.close())
      )
      database.exec(`pragma journal_mode = wal; ${schema}`)
      const find = database.prepare("select id, about from artifacts where account = ? and call = ?")
      const insert = database.prepare(
        "insert into artifacts (id, account, call, kept_at, about, png, svg) values (?, ?, ?, ?, ?, ?, ?)"
      )
      const dropOld = database.prepare("delete from artifacts where kept_at <= ?")
      const dropMany = database.prepare(
        "delete from artifacts where account = ? and rowid not in (select rowid from artifacts where account = ? order by rowid desc limit ?)"
      )
      const images = {
        png: database.prepare("select png as image from artifacts where account = ? and id = ? and kept_at > ?"),
        svg: database.prepare("select svg as image from artifacts where account = ? and id = ? and kept_at > ?")
      }

      /** Reports errors of SQLite, such as a locked or full file, as an unavailable store. */
      const attempt = <A>(step: () => A) =>
        Effect.try({ try: step, catch: (cause) => new StoreUnavailable({ store: "artifacts in SQLite", cause }) })

      return ArtifactStore.of({
        save: ({ about, account, callId, images: forms }) =>
          attempt(() => {
            const now = clock.currentTimeMillisUnsafe()
            database.exec("begin immediate")
            try {
              dropOld.run(now - artifactRetentionMs)
              const row = find.get(account, callId)
              const id = makeArtifactId()
              if (row === undefined) insert.run(id, account, callId, now, JSON.stringify(about), forms.png, forms.svg)
              dropMany.run(account, account, maxArtifacts)
              database.exec("commit")
              return row === undefined
                ? { id, about }
                : { id: String(row["id"]), about: String(JSON.parse(String(row["about"]))) }
            } catch (error) {
              database.exec("rollback")
              throw error
            }
          }),
        readImage: ({ account, format, id }) =>
          attempt(() => {
            const keptFrom = clock.currentTimeMillisUnsafe() - artifactRetentionMs
            const image = images[format].get(account, id, keptFrom)?.["image"]
            return image instanceof Uint8Array ? image : null
          })
      })
    })
  )
