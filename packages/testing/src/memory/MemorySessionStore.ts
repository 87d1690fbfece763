import {
  LinkRefused,
  type Opening,
  type SessionEnd,
  type SessionRecord,
  SessionStore,
  type SignedInBy,
  type TextState,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { overAt, type TextRow } from "./sessionTables.ts"

const stateOf = (text: TextRow, now: number): TextState =>
  text.state === "offered"
    ? { _tag: "Offered" }
    : text.state === "current"
    ? { _tag: "Current", ageMs: now - text.since }
    : { _tag: "Past", agoMs: now - text.since }

/** Changes of sessions. Each is one step, and publishes its account if it takes access away. */
const makeChanges = (state: MemoryState["Service"]) => {
  const { sessions, texts } = state.sessions
  const tell = (account: number) => PubSub.publish(state.changes, { _tag: "Account", account })
  const finish = (session: SessionRecord, how: SessionEnd, now: number): SessionRecord => {
    const after = session.ended === null && overAt(session) > now ? { ...session, ended: { at: now, how } } : session
    sessions.set(session.id, after)
    return after
  }
  const open = (
    account: number,
    by: SignedInBy,
    { device, hash, idleMs, lifeMs, replaces }: Opening,
    now: number
  ): SessionRecord => {
    if (texts.has(hash)) throw new Error("A text of this hash exists")
    const before = replaces === null ? undefined : texts.get(replaces)
    if (before !== undefined) finish(sessions.get(before.session)!, "replaced", now)
    const times = { createdAt: now, lastUsedAt: now, endsAt: now + lifeMs }
    const made: SessionRecord = {
      id: ++state.sessions.last.session,
      account,
      by,
      device,
      ...times,
      idleMs,
      ended: null
    }
    sessions.set(made.id, made)
    texts.set(hash, { session: made.id, state: "current", since: now })
    return made
  }
  /** If the session replaces another one, the change of that session's account is also published. */
  const opened = (replaces: string | null, account: number) => {
    const before = replaces === null ? undefined : texts.get(replaces)
    const other = before === undefined ? account : sessions.get(before.session)!.account
    return Effect.andThen(tell(account), other === account ? Effect.void : tell(other))
  }
  return { finish, open, opened, tell }
}

/** Finds, offers and confirms texts. */
const textsOf = (
  state: MemoryState["Service"],
  time: (now: number | null) => number,
  tell: (account: number) => Effect.Effect<boolean>
): Pick<SessionStore["Service"], "findByHashes" | "offer" | "confirm"> => {
  const { sessions, texts } = state.sessions
  return {
    findByHashes: (hashes, at) =>
      Effect.sync(() =>
        hashes.map((hash) => {
          const text = texts.get(hash)
          if (text === undefined) return null
          const [session, now] = [sessions.get(text.session)!, time(at)]
          const lifeMs = session.ended === null ? overAt(session) - now : Math.min(0, overAt(session) - now)
          return { session, account: state.accounts.get(session.account)!, lifeMs, text: stateOf(text, now) }
        })
      ),
    offer: ({ current, everyMs, next }, at) =>
      Effect.sync(() => {
        const [text, now] = [texts.get(current), time(at)]
        if (text?.state !== "current" || overAt(sessions.get(text.session)!) <= now) return false
        const before = [...texts].find(([, other]) => other.session === text.session && other.state === "offered")
        if (before !== undefined) {
          if (now - before[1].since < everyMs) return false
          texts.set(before[0], { ...before[1], state: "past", since: now })
        }
        texts.set(next, { session: text.session, state: "offered", since: now })
        return true
      }),
    confirm: (hash, at) =>
      Effect.suspend(() => {
        const [text, now] = [texts.get(hash), time(at)]
        if (text?.state !== "offered" || overAt(sessions.get(text.session)!) <= now) return Effect.void
        for (const [other, { session, state }] of texts) {
          if (session === text.session && state === "current") texts.set(other, { session, state: "past", since: now })
        }
        texts.set(hash, { ...text, state: "current", since: now })
        return Effect.asVoid(tell(sessions.get(text.session)!.account))
      })
  }
}

/** Ends sessions, and removes those that ended long ago. */
const endsOf = (
  state: MemoryState["Service"],
  time: (now: number | null) => number,
  { finish, tell }: ReturnType<typeof makeChanges>
): Pick<SessionStore["Service"], "end" | "endAll" | "prune"> => {
  const { links, sessions, texts } = state.sessions
  return {
    end: ({ account, id }, how, now) =>
      Effect.suspend(() => {
        const found = sessions.get(id)
        if (found?.account !== account) return Effect.fail(new UnknownSession({ session: id }))
        const after = finish(found, how, time(now))
        return Effect.as(tell(account), after)
      }),
    endAll: (account, but, at) =>
      Effect.suspend(() => {
        const now = time(at)
        const living = [...sessions.values()].filter((session) =>
          session.account === account && session.id !== but && overAt(session) > now
        )
        for (const session of living) finish(session, "revoked", now)
        for (const [hash, link] of links) {
          if (link.account === account && link.usedAt === null) links.set(hash, { ...link, usedAt: now })
        }
        return Effect.as(tell(account), living.length)
      }),
    prune: (keepMs, limit, at) =>
      Effect.sync(() => {
        const before = time(at) - keepMs
        const over = [...sessions.values()].filter((session) => overAt(session) <= before).slice(0, limit)
        const gone = new Set(over.map(({ id }) => id))
        for (const id of gone) sessions.delete(id)
        for (const [hash, { session }] of texts) if (gone.has(session)) texts.delete(hash)
        const old = [...links].filter(([, { expiresAt, usedAt }]) => (usedAt ?? expiresAt) <= before).slice(0, limit)
        for (const [hash] of old) links.delete(hash)
        return gone.size + old.length
      })
  }
}

/** `SessionStore` over `MemoryState`, which shares its accounts with `MemoryKeyStore`. */
export const MemorySessionStore: Layer.Layer<SessionStore, never, MemoryState> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const { links, sessions } = state.sessions
    const time = (now: number | null): number => now ?? clock.currentTimeMillisUnsafe()
    const changes = makeChanges(state)
    const known = (account: number): Effect.Effect<void, UnknownAccount> =>
      Effect.suspend(() => state.accounts.has(account) ? Effect.void : Effect.fail(new UnknownAccount({ account })))
    return SessionStore.of({
      createLink: ({ account, hash, lifeMs, now }) =>
        Effect.map(known(account), () => {
          const expiresAt = time(now) + lifeMs
          links.set(hash, { account, expiresAt, usedAt: null })
          return { expiresAt }
        }),
      useLink: (hash, opens, at) =>
        Effect.suspend((): Effect.Effect<SessionRecord, LinkRefused> => {
          const [link, now] = [links.get(hash), time(at)]
          if (link === undefined) return Effect.fail(new LinkRefused({ reason: "unknown" }))
          if (link.usedAt !== null) return Effect.fail(new LinkRefused({ reason: "used" }))
          if (link.expiresAt <= now) return Effect.fail(new LinkRefused({ reason: "expired" }))
          links.set(hash, { ...link, usedAt: now })
          const session = changes.open(link.account, "link", opens, now)
          return Effect.as(changes.opened(opens.replaces, link.account), session)
        }),
      open: (account, by, opens, now) =>
        Effect.flatMap(known(account), () => {
          const session = changes.open(account, by, opens, time(now))
          return Effect.as(changes.opened(opens.replaces, account), session)
        }),
      ...textsOf(state, time, changes.tell),
      touch: (agoMs, now) =>
        Effect.sync(() => {
          for (const [id, ago] of agoMs) {
            const [session, at] = [sessions.get(id), time(now) - ago]
            if (session !== undefined && at > session.lastUsedAt) sessions.set(id, { ...session, lastUsedAt: at })
          }
        }).pipe(Effect.as([])),
      ...endsOf(state, time, changes),
      sessions: (account, { after, limit }) =>
        Effect.map(
          known(account),
          () => [...sessions.values()].filter((one) => one.account === account && one.id > after).slice(0, limit)
        )
    })
  })
)
