import { PgClient } from "@effect/sql-pg"
import { Wakes } from "@tapeline/core/agent"
import { Context, Effect, Latch, Layer, Stream } from "effect"
import { SideSessions } from "../connection/SideSessions.ts"
import { texts } from "../parameters.ts"
import { PgListener } from "../PgListener.ts"

const channel = "tapeline_generations"

/** Notices of a node are sent together, so often at most: each sending is a commit, and commits with notices queue. */
const batchMs = 20

/** PostgreSQL takes less than 8,000 bytes as one notice. */
const longestBytes = 7_900

/** `node generation:n generation:n ...`, in as few texts as their length allows. */
export const noticesOf = (node: string, appended: ReadonlyMap<number, number>): ReadonlyArray<string> => {
  const notices: Array<string> = []
  let text = node
  for (const [generation, n] of appended) {
    const pair = ` ${generation}:${n}`
    if (text.length + pair.length > longestBytes) {
      notices.push(text)
      text = node
    }
    text += pair
  }
  return text === node ? notices : [...notices, text]
}

/** The generations that a notice of another node names; of one's own, and of a text that is no notice, none. */
export const generationsIn = (node: string, notice: string): ReadonlyArray<number> => {
  const [from, ...pairs] = notice.split(" ")
  return from === node ? [] : pairs.map((pair) => Number.parseInt(pair, 10)).filter(Number.isSafeInteger)
}

/** How nodes tell one another of what was appended to logs of generations. */
export class GenerationChannel extends Context.Service<GenerationChannel, {
  /** Who follows a log in this process. */
  readonly wakes: Wakes
  /** After the transaction that appended: wakes those who follow here at once, and those on other nodes soon. */
  readonly appended: (generation: number, n: number) => Effect.Effect<void>
}>()("@tapeline/postgres/agent/GenerationChannel") {
  /**
   * A notice that cannot be sent is lost, and costs its readers some seconds. An embedded database has one process,
   * and needs none.
   */
  static readonly layer: Layer.Layer<GenerationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    GenerationChannel,
    Effect.gen(function*() {
      const [own, side, listener] = yield* Effect.all([PgClient.PgClient, SideSessions, PgListener])
      const wakes = new Wakes()
      if (own.driver === "pglite") {
        return GenerationChannel.of({ wakes, appended: (generation) => Effect.sync(() => wakes.wake(generation)) })
      }
      const node = crypto.randomUUID()
      yield* listener.listen(channel).pipe(
        Stream.runForEach((told) =>
          Effect.sync(() => {
            if (told._tag === "Gap") wakes.wakeAll()
            else for (const generation of generationsIn(node, told.payload)) wakes.wake(generation)
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
      return GenerationChannel.of({
        wakes,
        appended: (generation, n) =>
          Effect.sync(() => {
            wakes.wake(generation)
            waiting.set(generation, n)
            some.openUnsafe()
          })
      })
    })
  )
}
