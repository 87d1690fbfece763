import { Clock, Effect, type Scope, Stream } from "effect"
import { groupCommit } from "../../credits/groupCommit.ts"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { Principal } from "../account.ts"
import { sha256 } from "../hash.ts"
import { KeyStore } from "../KeyStore.ts"
import { makeMemory, makeUses, type Remembered } from "../remembered.ts"
import { userScopes } from "../scope.ts"
import { secretText } from "../secretText.ts"
import { InvalidSession } from "./InvalidSession.ts"
import { SessionSettings, wholeMs } from "./SessionSettings.ts"
import { type FoundSession, SessionStore } from "./SessionStore.ts"

/** An authenticated session. */
export interface OpenSession {
  readonly id: number
  readonly principal: Principal
  /** True if the text is old enough to be replaced by `renew`. */
  readonly isStale: boolean
}

/**
 * The origin of a request: a person, or a timer of a page. A timer's request does not count as a use of the session.
 */
export type AskedBy = "person" | "clock"

/** The secret texts that open sessions. */
export const sessionTexts = secretText("tl_sess_")

interface RememberedSession extends Remembered {
  readonly session: number
  /** When the session was looked up, and when it ends or its text leaves the grace period, by the monotonic clock. */
  readonly at: bigint
  readonly endsAt: bigint
  /** When the text should be replaced. Null for a text that has been replaced. */
  readonly renewAt: bigint | null
}

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis)) * 1_000_000n

const principalOf = ({ account, session }: FoundSession): Principal => ({
  account: account.id,
  actor: { _tag: "Session", session: session.id },
  plan: account.plan,
  scopes: userScopes
})

/** Computes the cache entry of a session: when its text becomes invalid, and when it should be replaced. */
const rememberedOf = (
  found: FoundSession,
  now: bigint,
  { graceMs, renewAfterMs }: { readonly graceMs: number; readonly renewAfterMs: number }
): RememberedSession => {
  const { lifeMs, session, text } = found
  const known = { session: session.id, principal: principalOf(found), at: now }
  if (text._tag === "Past") {
    return { ...known, endsAt: now + nanosOf(Math.min(lifeMs, graceMs - text.agoMs)), renewAt: null }
  }
  const ageMs = text._tag === "Current" ? text.ageMs : 0
  return { ...known, endsAt: now + nanosOf(lifeMs), renewAt: now + nanosOf(renewAfterMs - ageMs) }
}

/** Returns the session unless it has ended. */
const letIn = (
  { endsAt, principal, renewAt, session }: RememberedSession,
  at: bigint
): Effect.Effect<OpenSession, InvalidSession> =>
  endsAt <= at
    ? Effect.fail(new InvalidSession())
    : Effect.succeed({ id: session, principal, isStale: renewAt !== null && renewAt <= at })

/** Makes a cache of recently used sessions, which records their uses and lives as long as the scope. */
export const makeOpenSessions: Effect.Effect<
  {
    readonly authenticate: (
      text: string | undefined,
      by?: AskedBy
    ) => Effect.Effect<OpenSession, InvalidSession | StoreUnavailable>
    readonly goesOn: (text: string) => Effect.Effect<boolean, StoreUnavailable>
    readonly accountOf: (text: string) => Effect.Effect<number | undefined, StoreUnavailable>
    /** Removes the sessions of an account from the cache immediately. The node that makes a change calls this. */
    readonly forget: (account: number) => void
  },
  never,
  SessionStore | KeyStore | Scope.Scope
> = Effect.gen(function*() {
  const [store, keys, settings] = yield* Effect.all([SessionStore, KeyStore, SessionSettings])
  const find = yield* groupCommit(
    (hashes: ReadonlyArray<string>) => store.findByHashes(hashes, null),
    { maxBatch: 512, batchesInFlight: 2 }
  )
  const [trust, trustUnheard] = [nanosOf(wholeMs(settings.trust)), nanosOf(wholeMs(settings.trustUnheard))]
  const spans = { graceMs: wholeMs(settings.grace), renewAfterMs: wholeMs(settings.renewAfter) }
  const memory = makeMemory<RememberedSession>(settings.capacity)
  const uses = makeUses((agoMs) => store.touch(agoMs, null))
  yield* keys.changes.pipe(
    Stream.runForEach((change) => Effect.sync(() => memory.forget(change._tag === "Account" ? change.account : null))),
    Effect.forkScoped
  )
  yield* uses.write.pipe(Effect.delay(settings.touchEvery), Effect.forever, Effect.forkScoped)
  yield* Effect.addFinalizer(() => uses.write)

  /** Ends a session of which a replaced text was used after the grace period. */
  const stolen = Effect.fnUntraced(function*({ session: { account, id } }: FoundSession) {
    yield* Effect.logWarning(
      `Session ${id} of account ${account} was ended: a text of it was shown that had been replaced`
    )
    yield* Effect.catchTag(store.end({ account, id }, "stolen", null), "UnknownSession", () => Effect.void)
    memory.forget(account)
  })

  const lookUp = Effect.fnUntraced(function*(text: string, now: bigint) {
    const before = memory.changes()
    const hash = yield* sha256(text)
    const found = yield* find(hash)
    if (found === null || found.lifeMs <= 0) return yield* new InvalidSession()
    if (found.text._tag === "Past" && found.text.agoMs >= spans.graceMs) {
      yield* stolen(found)
      return yield* new InvalidSession()
    }
    if (found.text._tag === "Offered") yield* store.confirm(hash, null)
    const entry = rememberedOf(found, now, spans)
    if (memory.changes() === before) memory.add(text, entry)
    return entry
  })

  /** Returns the cache entry of a text while the entry is trusted, and otherwise reads the store. */
  const known = (text: string, at: bigint): Effect.Effect<RememberedSession, InvalidSession | StoreUnavailable> => {
    const entry = memory.get(text)
    if (entry === undefined) {
      return sessionTexts.isWellFormed(text) ? lookUp(text, at) : Effect.fail(new InvalidSession())
    }
    return Effect.flatMap(keys.hearsChanges, (hears) => {
      const isTrusted = at < entry.endsAt && at - entry.at < (hears ? trust : trustUnheard)
      return isTrusted && memory.use(text, entry) ? Effect.succeed(entry) : lookUp(text, at)
    })
  }

  return {
    authenticate: Effect.fnUntraced(function*(text: string | undefined, by: AskedBy = "person") {
      const at = yield* Clock.monotonicTimeNanos
      const opened = yield* letIn(yield* known(text ?? "", at), at)
      if (by === "person") uses.note(opened.id, at)
      return opened
    }),
    goesOn: (text) => Effect.map(Effect.flatMap(sha256(text), find), (found) => found !== null && found.lifeMs > 0),
    accountOf: (text) =>
      sessionTexts.isWellFormed(text)
        ? Effect.map(Effect.flatMap(sha256(text), find), (found) => found?.account.id)
        : Effect.undefined,
    forget: memory.forget
  }
})
