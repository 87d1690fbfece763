import { Clock, Context, Effect, Layer, Option, Random, Schema, Stream } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account } from "./account.ts"
import { AccountDataStore, type ErasureReport, type ExportReader } from "./AccountDataStore.ts"
import { Administration } from "./Administration.ts"
import { AdminStore, CurrentAdminActor } from "./AdminStore.ts"
import type { UnknownAccount } from "./KeyStore.ts"

/** The version of the format of exports. A later release can add kinds and fields without another version. */
export const exportVersion = 1

/** The error of an erasure whose `confirm` is not the account's external id, or its name without an external id. */
export class ErasureNotConfirmed extends Schema.TaggedError<ErasureNotConfirmed>()("ErasureNotConfirmed", {
  account: Schema.Int
}) {
  override get message(): string {
    return `The erasure of account ${this.account} was not confirmed.`
  }
}

export interface AccountDataOptions {
  /** The number of days until the operator deletes a backup; 30 by default. */
  readonly backupDays?: number | undefined
  /** The time in ms between the request of an erasure and its first deletion; 5000 by default. */
  readonly settleMs?: number
  /** The maximum number of rows that one transaction erases; 500 by default. */
  readonly maxRows?: number
  /** The pause in ms between two searches for erasures; 1000 by default. */
  readonly intervalMs?: number
}

export const defaultBackupDays = 30

/** A line of an export, with the kind of the line. */
export type ExportLine = Readonly<Record<string, Schema.Json>> & { readonly kind: string }

type Services = {
  readonly store: AccountDataStore["Service"]
  readonly administration: Administration["Service"]
  readonly adminStore: AdminStore["Service"]
}

const makeExport = ({ administration, adminStore, store }: Services) => {
  const rowsOf = (account: number, kind: string, reader: ExportReader): Stream.Stream<ExportLine, StoreUnavailable> =>
    Stream.paginate(
      null,
      (after: string | null) =>
        Effect.map(
          store.exportPage({ account, kind, reader, after }),
          ({ next, rows }) => [rows.map((row): ExportLine => ({ ...row, kind })), Option.fromNullOr(next)] as const
        )
    )
  const linesOf = (account: number, reader: ExportReader, now: number): Stream.Stream<ExportLine, StoreUnavailable> =>
    Stream.suspend(() => {
      const counts = new Map(store.exportKinds.map((kind) => [kind, 0]))
      const first: ExportLine = {
        kind: "archive",
        format: "tapeline-account",
        version: exportVersion,
        account,
        exported_at: new Date(now).toISOString(),
        kinds: store.exportKinds
      }
      const rows = Stream.fromIterable(store.exportKinds).pipe(
        Stream.flatMap((kind) => rowsOf(account, kind, reader)),
        Stream.tap(({ kind }) => Effect.sync(() => counts.set(kind, (counts.get(kind) ?? 0) + 1)))
      )
      const last = Stream.suspend(() => {
        const lines = [...counts.values()].reduce((sum, count) => sum + count, 2)
        return Stream.make<[ExportLine]>({ kind: "end", lines, counts: Object.fromEntries(counts) })
      })
      return Stream.make(first).pipe(Stream.concat(rows), Stream.concat(last))
    })
  return Effect.fn("AccountData.export")(function*(account: number, reader: ExportReader) {
    yield* administration.account(account)
    yield* adminStore.transact(
      adminStore.record([{ type: "account.exported", account, target: null, before: null, after: null }])
    )
    return linesOf(account, reader, yield* Clock.currentTimeMillis)
  })
}

/** Returns the text that confirms the erasure of an account. */
const confirmationOf = ({ externalId, name }: Account): string => externalId ?? name

const makeErase = ({ administration, adminStore, store }: Services) =>
  Effect.fn("AccountData.erase")(function*(account: number, confirmation: string) {
    return yield* adminStore.transact(Effect.gen(function*() {
      const found = yield* administration.account(account)
      const isRepeated = (yield* store.erasure(account)) !== null
      if (!isRepeated && confirmation !== confirmationOf(found)) return yield* new ErasureNotConfirmed({ account })
      if (found.status !== "closed") {
        yield* administration.updateAccount(account, { status: { status: "closed", reason: null } }).pipe(
          Effect.catchTag("AccountClosed", () => Effect.void),
          // `UnknownPlan` and `ExternalIdTaken` cannot occur, because the change contains neither a plan nor an
          // external id.
          Effect.catchTag(["UnknownPlan", "ExternalIdTaken"], Effect.die)
        )
      }
      yield* store.requestErasure(account, (yield* CurrentAdminActor).actor)
      if (!isRepeated) {
        yield* adminStore.record([
          { type: "account.erasure_requested", account, target: null, before: null, after: null }
        ])
      }
      const report = yield* store.erasure(account)
      return report ?? (yield* Effect.die(new Error(`The erasure of account ${account} was not stored`)))
    }))
  })

/** Continues the erasures of all accounts. Any number of processes share the work. */
const continueErasures = ({ adminStore, store }: Services, options: AccountDataOptions) => {
  const { backupDays = defaultBackupDays, intervalMs = 1_000, maxRows = 500, settleMs = 5_000 } = options
  const step = adminStore.transact(Effect.tap(
    store.continueErasure({ settleMs, maxRows, backupDays }),
    (result) => {
      if (result === null || result._tag !== "Finished" || result.report === null) return Effect.void
      const { account, report: { kinds } } = result
      const after = Object.fromEntries(
        kinds.filter(({ deleted, kept }) => deleted + kept > 0).map(({ deleted, kept, kind, redacted }) => [kind, {
          deleted,
          redacted,
          kept
        }])
      )
      return adminStore.record([{ type: "account.erased", account, target: null, before: null, after }])
    }
  ))
  const run: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
    step,
    (result) => result === null || result._tag === "Waiting" ? Effect.void : run
  )
  return Effect.flatMap(store.hasDueErasure, (isDue) => isDue ? run : Effect.void).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Erasing an account failed. The service tries again", cause)),
    Effect.andThen(
      Effect.flatMap(
        Random.nextIntBetween(0, Math.ceil(intervalMs / 4)),
        (jitterMs) => Effect.sleep(intervalMs + jitterMs)
      )
    ),
    Effect.forever
  )
}

/** Exports and erases the data of accounts. Continues erasures in the background, also those of ended processes. */
export class AccountData extends Context.Service<AccountData, {
  /**
   * Returns all data of an account as lines. The first line describes the archive. The last line, of the kind `end`,
   * counts the lines of each kind. An export without the last line is incomplete. Records an event.
   */
  readonly export: (
    account: number,
    reader: ExportReader
  ) => Effect.Effect<Stream.Stream<ExportLine, StoreUnavailable>, UnknownAccount | StoreUnavailable>
  /**
   * Closes an account and requests the erasure of its personal data. `confirmation` must be the account's external id,
   * or its name if it has no external id; a repeated request needs no confirmation.
   */
  readonly erase: (
    account: number,
    confirmation: string
  ) => Effect.Effect<ErasureReport, UnknownAccount | ErasureNotConfirmed | StoreUnavailable>
  /** Returns the report of an erasure; null if none was requested. */
  readonly erasure: (account: number) => Effect.Effect<ErasureReport | null, StoreUnavailable>
}>()("@tapeline/core/access/AccountData") {
  static readonly layer = (
    options: AccountDataOptions = {}
  ): Layer.Layer<AccountData, never, AccountDataStore | Administration | AdminStore> =>
    Layer.effect(
      AccountData,
      Effect.gen(function*() {
        const services: Services = {
          store: yield* AccountDataStore,
          administration: yield* Administration,
          adminStore: yield* AdminStore
        }
        yield* Effect.forkScoped(continueErasures(services, options))
        return AccountData.of({
          export: makeExport(services),
          erase: makeErase(services),
          erasure: services.store.erasure
        })
      })
    )
}
