import {
  LinkRefused,
  type NewSession,
  type SessionEndReason,
  type SessionRecord,
  SessionStore,
  type SessionTokenState,
  type SignInMethod,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { getEndTime, type SessionTokenRow } from "./sessionTables.ts"

const getTokenState = (token: SessionTokenRow, now: number): SessionTokenState =>
  token.state === "offered"
    ? { _tag: "Offered" }
    : token.state === "current"
    ? { _tag: "Current", ageMs: now - token.since }
    : { _tag: "Past", replacedMsAgo: now - token.since }

/** Creates functions that change sessions synchronously, and functions that publish the changes. */
const makeChanges = (state: MemoryState["Service"]) => {
  const { sessions, tokens } = state.sessions
  const publishChange = (account: number) => PubSub.publish(state.changes, { _tag: "Account", account })
  const endSession = (session: SessionRecord, reason: SessionEndReason, now: number): SessionRecord => {
    const endedSession = session.ended === null && getEndTime(session) > now
      ? { ...session, ended: { at: now, reason } }
      : session
    sessions.set(session.id, endedSession)
    return endedSession
  }
  const openSession = (
    account: number,
    signInMethod: SignInMethod,
    { device, hash, idleMs, maxLifetimeMs, replacedHash }: NewSession,
    now: number
  ): SessionRecord => {
    if (tokens.has(hash)) throw new Error("A token with this hash exists")
    const previous = replacedHash === null ? undefined : tokens.get(replacedHash)
    if (previous !== undefined) endSession(sessions.get(previous.session)!, "replaced", now)
    const times = { createdAt: now, lastUsedAt: now, endsAt: now + maxLifetimeMs }
    const session: SessionRecord = {
      id: ++state.sessions.lastIds.session,
      account,
      signInMethod,
      device,
      ...times,
      idleMs,
      ended: null
    }
    sessions.set(session.id, session)
    tokens.set(hash, { session: session.id, state: "current", since: now })
    return session
  }
  /**
   * Publishes an access change of the account of a new session. If the new session replaces another account's session,
   * the function also publishes a change of the other account.
   */
  const publishOpened = (replaces: string | null, account: number) => {
    const previous = replaces === null ? undefined : tokens.get(replaces)
    const other = previous === undefined ? account : sessions.get(previous.session)!.account
    return Effect.andThen(publishChange(account), other === account ? Effect.void : publishChange(other))
  }
  return { endSession, openSession, publishChange, publishOpened }
}

const makeTokenMethods = (
  state: MemoryState["Service"],
  getTime: (now: number | null) => number,
  publishChange: (account: number) => Effect.Effect<boolean>
): Pick<SessionStore["Service"], "findByHashes" | "offerToken" | "confirmToken"> => {
  const { sessions, tokens } = state.sessions
  return {
    findByHashes: (hashes, at) =>
      Effect.sync(() =>
        hashes.map((hash) => {
          const tokenRow = tokens.get(hash)
          if (tokenRow === undefined) return null
          const [session, now] = [sessions.get(tokenRow.session)!, getTime(at)]
          const untilEndMs = getEndTime(session) - now
          return {
            session,
            account: state.accounts.get(session.account)!,
            remainingMs: session.ended === null ? untilEndMs : Math.min(0, untilEndMs),
            ageMs: now - session.createdAt,
            token: getTokenState(tokenRow, now)
          }
        })
      ),
    offerToken: ({ current, minIntervalMs, next }, at) =>
      Effect.sync(() => {
        const [tokenRow, now] = [tokens.get(current), getTime(at)]
        if (tokenRow?.state !== "current" || getEndTime(sessions.get(tokenRow.session)!) <= now) return false
        const previous = [...tokens].find(([, other]) =>
          other.session === tokenRow.session && other.state === "offered"
        )
        if (previous !== undefined) {
          if (now - previous[1].since < minIntervalMs) return false
          tokens.set(previous[0], { ...previous[1], state: "past", since: now })
        }
        tokens.set(next, { session: tokenRow.session, state: "offered", since: now })
        return true
      }),
    confirmToken: (hash, at) =>
      Effect.suspend(() => {
        const [tokenRow, now] = [tokens.get(hash), getTime(at)]
        if (tokenRow?.state !== "offered" || getEndTime(sessions.get(tokenRow.session)!) <= now) return Effect.void
        for (const [other, { session, state }] of tokens) {
          if (session === tokenRow.session && state === "current") {
            tokens.set(other, { session, state: "past", since: now })
          }
        }
        tokens.set(hash, { ...tokenRow, state: "current", since: now })
        return Effect.asVoid(publishChange(sessions.get(tokenRow.session)!.account))
      })
  }
}

const makeEndMethods = (
  state: MemoryState["Service"],
  getTime: (now: number | null) => number,
  { endSession, publishChange }: ReturnType<typeof makeChanges>
): Pick<SessionStore["Service"], "end" | "endAll" | "prune"> => {
  const { links, sessions, tokens } = state.sessions
  return {
    end: ({ account, id }, reason, now) =>
      Effect.suspend(() => {
        const session = sessions.get(id)
        if (session?.account !== account) return Effect.fail(new UnknownSession({ session: id }))
        const endedSession = endSession(session, reason, getTime(now))
        return Effect.as(publishChange(account), endedSession)
      }),
    endAll: (account, exceptId, at) =>
      Effect.suspend(() => {
        const now = getTime(at)
        const liveSessions = [...sessions.values()].filter((session) =>
          session.account === account && session.id !== exceptId && getEndTime(session) > now
        )
        for (const session of liveSessions) endSession(session, "revoked", now)
        for (const [hash, link] of links) {
          if (link.account === account && link.usedAt === null) links.set(hash, { ...link, usedAt: now })
        }
        return Effect.as(publishChange(account), liveSessions.length)
      }),
    prune: (keepMs, limit, at) =>
      Effect.sync(() => {
        const previous = getTime(at) - keepMs
        const endedSessions = [...sessions.values()].filter((session) => getEndTime(session) <= previous).slice(
          0,
          limit
        )
        const removedIds = new Set(endedSessions.map(({ id }) => id))
        for (const id of removedIds) sessions.delete(id)
        for (const [hash, { session }] of tokens) if (removedIds.has(session)) tokens.delete(hash)
        const oldLinks = [...links].filter(([, { expiresAt, usedAt }]) => (usedAt ?? expiresAt) <= previous).slice(
          0,
          limit
        )
        for (const [hash] of oldLinks) links.delete(hash)
        return removedIds.size + oldLinks.length
      })
  }
}

/** Provides `SessionStore` over `MemoryState`, and shares accounts with `MemoryKeyStore`. */
export const MemorySessionStore: Layer.Layer<SessionStore, never, MemoryState> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const { links, sessions } = state.sessions
    const getTime = (now: number | null): number => now ?? clock.currentTimeMillisUnsafe()
    const changes = makeChanges(state)
    const requireAccount = (account: number): Effect.Effect<void, UnknownAccount> =>
      Effect.suspend(() => state.accounts.has(account) ? Effect.void : Effect.fail(new UnknownAccount({ account })))
    return SessionStore.of({
      createLink: ({ account, hash, lifetimeMs, now }) =>
        Effect.map(requireAccount(account), () => {
          const expiresAt = getTime(now) + lifetimeMs
          links.set(hash, { account, expiresAt, usedAt: null })
          return { expiresAt }
        }),
      useLink: (hash, options, at) =>
        Effect.suspend((): Effect.Effect<SessionRecord, LinkRefused> => {
          const [link, now] = [links.get(hash), getTime(at)]
          if (link === undefined) return Effect.fail(new LinkRefused({ reason: "unknown" }))
          if (link.usedAt !== null) return Effect.fail(new LinkRefused({ reason: "used" }))
          if (link.expiresAt <= now) return Effect.fail(new LinkRefused({ reason: "expired" }))
          links.set(hash, { ...link, usedAt: now })
          const session = changes.openSession(link.account, "link", options, now)
          return Effect.as(changes.publishOpened(options.replacedHash, link.account), session)
        }),
      open: (account, signedInBy, options, now) =>
        Effect.flatMap(requireAccount(account), () => {
          const session = changes.openSession(account, signedInBy, options, getTime(now))
          return Effect.as(changes.publishOpened(options.replacedHash, account), session)
        }),
      ...makeTokenMethods(state, getTime, changes.publishChange),
      recordLastUses: (agoMs, now) =>
        Effect.sync(() => {
          for (const [id, ago] of agoMs) {
            const [session, at] = [sessions.get(id), getTime(now) - ago]
            if (session !== undefined && at > session.lastUsedAt) sessions.set(id, { ...session, lastUsedAt: at })
          }
        }).pipe(Effect.as([])),
      ...makeEndMethods(state, getTime, changes),
      sessions: (account, { after, limit }) =>
        Effect.map(
          requireAccount(account),
          () => [...sessions.values()].filter((one) => one.account === account && one.id > after).slice(0, limit)
        )
    })
  })
)
