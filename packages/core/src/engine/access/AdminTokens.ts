import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { groupCommit } from "../credits/groupCommit.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { AdminStore, CurrentAdminActor, type EventType, type FoundAdminToken } from "./AdminStore.ts"
import {
  type AdminScope,
  AdminScopeRequired,
  type AdminTokenNameTaken,
  type AdminTokenRecord,
  generateAdminToken,
  isWellFormedAdminToken,
  type UnknownAdminToken
} from "./adminToken.ts"
import { sha256 } from "./hash.ts"
import type { ExpiryPassed, PageAfter } from "./KeyStore.ts"

/** Returns the fields of an admin token that events contain. */
const describeToken = ({ expiresAt, name, scopes }: AdminTokenRecord) => ({
  name,
  scopes,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString()
})

const isValid = ({ expiresAt, revokedAt }: AdminTokenRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const pageSize = 1_000

const metricsOutageNanos = 300_000_000_000n

type LookUp = Effect.Effect<FoundAdminToken | null, StoreUnavailable>

/**
 * Returns a function that returns the last result of a look-up if the look-up fails, for five minutes after the last
 * successful look-up, so that monitoring can report the outage of the store.
 */
const makeOutageFallback = () => {
  const foundTokens = new Map<string, { readonly found: FoundAdminToken; readonly until: bigint }>()
  return Effect.fnUntraced(function*(hash: string, lookUp: LookUp): Effect.fn.Return<
    FoundAdminToken | null,
    StoreUnavailable
  > {
    const [now, wallTime] = yield* Effect.all([Clock.monotonicTimeNanos, Clock.currentTimeMillis])
    const result = yield* Effect.result(lookUp)
    if (Result.isSuccess(result)) {
      const found = result.success
      if (found?.token.scopes.includes("metrics")) foundTokens.set(hash, { found, until: now + metricsOutageNanos })
      else foundTokens.delete(hash)
      return found
    }
    const last = foundTokens.get(hash)
    if (last === undefined || now >= last.until || !isValid(last.found.token, wallTime)) {
      return yield* Effect.fail(result.failure)
    }
    return { ...last.found, isUseDue: false }
  })
}

/**
 * Manages named admin tokens, and finds them by their text. No token is cached while the store is available, so all
 * nodes reject a revoked token immediately. Concurrent look-ups are batched, so that a flood of invented tokens costs
 * the store few requests.
 */
export class AdminTokens extends Context.Service<AdminTokens, {
  /**
   * Creates an admin token. The text of the token occurs only in the result, and is not stored. Fails with
   * `AdminScopeRequired` unless the creator has all scopes of the new token.
   */
  readonly create: (token: {
    readonly name: string
    readonly scopes: ReadonlyArray<AdminScope>
    readonly expiresAt: number | null
    readonly creatorScopes: ReadonlyArray<AdminScope>
  }) => Effect.Effect<
    { readonly record: AdminTokenRecord; readonly token: Redacted.Redacted<string> },
    AdminScopeRequired | AdminTokenNameTaken | ExpiryPassed | StoreUnavailable
  >
  /** Returns a page of admin tokens, oldest token first, including revoked and expired tokens. */
  readonly tokens: (page: PageAfter) => Effect.Effect<ReadonlyArray<AdminTokenRecord>, StoreUnavailable>
  readonly revoke: (id: number) => Effect.Effect<void, UnknownAdminToken | StoreUnavailable>
  /** Returns whether any token that is neither revoked nor expired has the scope. */
  readonly hasValidToken: (scope: AdminScope) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Returns the valid token with the given text and records its use, or returns null. `scope` is the scope that the
   * caller requires; the token may lack it. While the store is unavailable, the scope `metrics` returns a token that
   * had this scope in the last five minutes.
   */
  readonly use: (text: string, scope: AdminScope) => Effect.Effect<AdminTokenRecord | null, StoreUnavailable>
}>()("@tapeline/core/access/AdminTokens") {
  static readonly layer: Layer.Layer<AdminTokens, never, AdminStore> = Layer.effect(
    AdminTokens,
    Effect.gen(function*() {
      const store = yield* AdminStore
      const find = yield* groupCommit(
        (hashes: ReadonlyArray<string>) => store.findTokens(hashes, null),
        { maxBatch: 512, batchesInFlight: 2 }
      )
      const withOutageFallback = makeOutageFallback()
      const record = (type: EventType, token: AdminTokenRecord, change: "before" | "after") =>
        store.record([{
          type,
          account: null,
          target: `admin token ${token.id}`,
          before: null,
          after: null,
          [change]: describeToken(token)
        }])

      return AdminTokens.of({
        create: Effect.fn("AdminTokens.create")(function*({ creatorScopes, ...fields }) {
          const missing = fields.scopes.find((scope) => !creatorScopes.includes(scope))
          if (missing !== undefined) return yield* new AdminScopeRequired({ required_scope: missing })
          const token = generateAdminToken()
          const hash = yield* sha256(token)
          const { actor } = yield* CurrentAdminActor
          const created = yield* store.transact(Effect.tap(
            store.createToken({ ...fields, hash, createdBy: actor, now: null }),
            (created) => record("admin_token.created", created, "after")
          ))
          return { record: created, token: Redacted.make(token) }
        }),
        tokens: store.tokens,
        revoke: Effect.fn("AdminTokens.revoke")(function*(id) {
          yield* store.transact(Effect.tap(
            store.revokeToken(id, null),
            ({ isChanged, token }) => isChanged ? record("admin_token.revoked", token, "before") : Effect.void
          ))
        }),
        hasValidToken: Effect.fn("AdminTokens.hasValidToken")(function*(scope) {
          const now = yield* Clock.currentTimeMillis
          for (let after = 0;;) {
            const page = yield* store.tokens({ after, limit: pageSize })
            if (page.some((token) => token.scopes.includes(scope) && isValid(token, now))) return true
            if (page.length < pageSize) return false
            after = page.at(-1)!.id
          }
        }),
        use: Effect.fn("AdminTokens.use")(function*(text, scope) {
          if (!isWellFormedAdminToken(text)) return null
          const hash = yield* sha256(text)
          const found = yield* scope === "metrics" ? withOutageFallback(hash, find(hash)) : find(hash)
          if (found === null) return null
          // A valid token works even if its use cannot be recorded, for example on a full disk.
          if (found.isUseDue) yield* Effect.ignore(store.recordTokenUse(found.token.id, null))
          return found.token
        })
      })
    })
  )
}
