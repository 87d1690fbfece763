import { PgClient } from "@effect/sql-pg"
import { Wakes } from "@tapeline/core/agent"
import { Effect, Latch, type Scope, Stream } from "effect"
import { SideSessions } from "../connection/SideSessions.ts"
import { texts } from "../parameters.ts"
import { PgListener } from "../PgListener.ts"

/** A node sends its notices together, at most this often: each sending is a commit, and commits with notices queue. */
const batchMs = 20

/** PostgreSQL accepts less than 8,000 bytes as one notice. */
const longestBytes = 7_900

/** Formats notices as `node id:n id:n ...`, in as few texts as their maximum length allows. */
export const noticesOf = (node: string, told: ReadonlyMap<number, number>): ReadonlyArray<string> => {
  const notices: Array<string> = []
  let text = node
  for (const [id, n] of told) {
    const pair = ` ${id}:${n}`
    if (text.length + pair.length > longestBytes) {
      notices.push(text)
      text = node
    }
    text += pair
  }
  return text === node ? notices : [...notices, text]
}

/** Returns the ids in a notice of another node. Empty for the node's own notices and for invalid texts. */
export const idsIn = (node: string, notice: string): ReadonlyArray<number> => {
  const [from, ...pairs] = notice.split(" ")
  return from === node ? [] : pairs.map((pair) => Number.parseInt(pair, 10)).filter(Number.isSafeInteger)
}

/** Notifies nodes of new entries of a numbered list, such as the log of a generation. */
export interface Notices {
  /** The waiters of this process. */
  readonly wakes: Wakes
  /**
   * Reports that list `id` has entries up to number `n`. Must be called after the transaction. Wakes the waiters of
   * this process at once, and those of other nodes soon.
   */
  readonly tell: (id: number, n: number) => Effect.Effect<void>
}

/**
 * Makes notices on a channel. A notice that cannot be sent is lost, and delays its readers by some seconds. An embedded
 * database has one process and needs no notices.
 */
export const makeNotices = (
  channel: string
): Effect.Effect<Notices, never, PgClient.PgClient | PgListener | Scope.Scope> =>
  Effect.gen(function*() {
    const [own, side, listener] = yield* Effect.all([PgClient.PgClient, SideSessions, PgListener])
    const wakes = new Wakes()
    if (own.driver === "pglite") return { wakes, tell: (id) => Effect.sync(() => wakes.wake(id)) }
    const node = crypto.randomUUID()
    yield* listener.listen(channel).pipe(
      Stream.runForEach((told) =>
        Effect.sync(() => {
          if (told._tag === "Gap") wakes.wakeAll()
          else for (const id of idsIn(node, told.payload)) wakes.wake(id)
        })
      ),
      Effect.forkScoped
    )
    const client = side?.client ?? own
    const some = Latch.makeUnsafe(false)
    let waiting = new Map<number, number>()
    const send = Effect.suspend(() => {
      const notices = noticesOf(node, waiting)
      waiting = new Map()
      some.closeUnsafe()
      return client.unsafe("select pg_notify($1, notice) from unnest($2::text[]) as notice", [
        channel,
        texts(notices)
      ])
    })
    yield* some.await.pipe(
      Effect.andThen(Effect.sleep(batchMs)),
      Effect.andThen(Effect.ignore(send)),
      Effect.forever,
      Effect.forkScoped
    )
    return {
      wakes,
      tell: (id, n) =>
        Effect.sync(() => {
          wakes.wake(id)
          waiting.set(id, n)
          some.openUnsafe()
        })
    }
  })
