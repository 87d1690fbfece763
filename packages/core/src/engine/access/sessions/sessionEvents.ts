import { Effect } from "effect"
import { AdminStore, CurrentAdminActor, type NewEvent } from "../AdminStore.ts"
import type { SessionRecord } from "./SessionStore.ts"

const targetOf = (session: number): string => `session ${session}`

/** Returns the event of the end of a session. */
export const sessionEnded = (account: number, session: number, reason: string): NewEvent => ({
  type: "session.ended",
  account,
  target: targetOf(session),
  before: null,
  after: { reason }
})

/** Returns the event `sessions.ended`, which reports the end of an account's other sessions. */
export const otherSessionsEnded = (account: number, ended: number): NewEvent => ({
  type: "sessions.ended",
  account,
  target: null,
  before: null,
  after: { ended }
})

/** Runs a sign-in and records its event, in one transaction. The event's actor is the new session. */
export const makeRecordSignIn = Effect.map(
  AdminStore,
  (adminStore) => <E, R>(signIn: Effect.Effect<SessionRecord, E, R>) =>
    adminStore.transact(
      Effect.tap(signIn, ({ account, device, id, signInMethod }) =>
        Effect.flatMap(CurrentAdminActor, (current) =>
          Effect.provideService(
            adminStore.record([{
              type: "session.started",
              account,
              target: targetOf(id),
              before: null,
              after: { method: signInMethod, device }
            }]),
            CurrentAdminActor,
            { ...current, actor: targetOf(id) }
          )))
    )
)

const failureIntervalMs = 600_000

/**
 * Counts failed sign-ins by reason, and records the counts as one event every ten minutes, so that a client cannot fill
 * the event log. The counts of a process that is killed are lost.
 */
export const makeSignInFailures = Effect.gen(function*() {
  const adminStore = yield* AdminStore
  let counts = new Map<string, number>()
  const record = Effect.suspend(() => {
    if (counts.size === 0) return Effect.void
    const recorded = counts
    counts = new Map()
    const after = Object.fromEntries(recorded)
    return adminStore.transact(
      adminStore.record([{ type: "sign_in.failed", account: null, target: null, before: null, after }])
    ).pipe(
      Effect.tapCause(() =>
        Effect.sync(() => {
          for (const [reason, count] of recorded) counts.set(reason, (counts.get(reason) ?? 0) + count)
        })
      ),
      Effect.ignore
    )
  })
  yield* record.pipe(Effect.delay(failureIntervalMs), Effect.forever, Effect.forkScoped)
  yield* Effect.addFinalizer(() => record)
  return (reason: string): Effect.Effect<void> =>
    Effect.sync(() => void counts.set(reason, (counts.get(reason) ?? 0) + 1))
})
