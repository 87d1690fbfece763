import { PgClient } from "@effect/sql-pg"
import { GenerationWaiters } from "@tapeline/core/agent"
import { Effect, Latch, type Scope, Stream } from "effect"
import { BackgroundSessions } from "../connection/sessions.ts"
import { texts } from "../parameters.ts"
import { PgListener } from "../PgListener.ts"

/**
 * The interval in ms at which a node sends its collected notices. Notices are collected, because commits with notices
 * wait for each other.
 */
const batchMs = 20

/** The maximum size of a notice in bytes; PostgreSQL accepts notices of less than 8,000 bytes. */
const maxNoticeBytes = 7_900

/** Formats notices as `node id:n id:n ...`, in as few texts as `maxNoticeBytes` allows. */
export const formatNotices = (node: string, entries: ReadonlyMap<number, number>): ReadonlyArray<string> => {
  const notices: Array<string> = []
  let text = node
  for (const [id, n] of entries) {
    const entry = ` ${id}:${n}`
    if (text.length + entry.length > maxNoticeBytes) {
      notices.push(text)
      text = node
    }
    text += entry
  }
  return text === node ? notices : [...notices, text]
}

/** Returns the ids in a notice of another node, and no ids for the node's own notices and for invalid texts. */
export const parseNotice = (node: string, notice: string): ReadonlyArray<number> => {
  const [sender, ...pairs] = notice.split(" ")
  return sender === node ? [] : pairs.map((pair) => Number.parseInt(pair, 10)).filter(Number.isSafeInteger)
}

/**
 * Notifies the processes of a cluster of new entries in a numbered list. An example of a numbered list is the event log
 * of a generation.
 */
export interface EntryNotifier {
  readonly waiters: GenerationWaiters
  /**
   * Reports that list `id` has entries up to number `n`. Callers call `notify` after the commit. Waiting readers in the
   * current process wake up at once, and readers in other processes soon afterwards.
   */
  readonly notify: (id: number, n: number) => Effect.Effect<void>
}

/**
 * Creates a notifier on a database channel. A notice that cannot be sent is lost, and delays readers by some seconds.
 */
export const makeEntryNotifier = (
  channel: string
): Effect.Effect<EntryNotifier, never, PgClient.PgClient | PgListener | Scope.Scope> =>
  Effect.gen(function*() {
    const [mainClient, backgroundSessions, listener] = yield* Effect.all([
      PgClient.PgClient,
      BackgroundSessions,
      PgListener
    ])
    const waiters = new GenerationWaiters()
    if (mainClient.driver === "pglite") return { waiters, notify: (id) => Effect.sync(() => waiters.wake(id)) }
    const node = crypto.randomUUID()
    yield* listener.listen(channel).pipe(
      Stream.runForEach((notice) =>
        Effect.sync(() => {
          if (notice._tag === "Gap") waiters.wakeAll()
          else for (const id of parseNotice(node, notice.payload)) waiters.wake(id)
        })
      ),
      Effect.forkScoped
    )
    const client = backgroundSessions?.client ?? mainClient
    const hasPending = Latch.makeUnsafe(false)
    let pending = new Map<number, number>()
    const sendPending = Effect.suspend(() => {
      const notices = formatNotices(node, pending)
      pending = new Map()
      hasPending.closeUnsafe()
      return client.unsafe("select pg_notify($1, notice) from unnest($2::text[]) as notice", [
        channel,
        texts(notices)
      ])
    })
    yield* hasPending.await.pipe(
      Effect.andThen(Effect.sleep(batchMs)),
      Effect.andThen(Effect.ignore(sendPending)),
      Effect.forever,
      Effect.forkScoped
    )
    return {
      waiters,
      notify: (id, n) =>
        Effect.sync(() => {
          waiters.wake(id)
          pending.set(id, n)
          hasPending.openUnsafe()
        })
    }
  })
