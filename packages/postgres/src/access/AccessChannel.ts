import { PgClient, PgConnection } from "@effect/sql-pg"
import type { AccessChange } from "@tapeline/core/access"
import { Context, Effect, Fiber, Layer, PubSub, Queue, Schedule, Scope, Stream } from "effect"

const channel = "tapeline_access"
const everything: AccessChange = { _tag: "Everything" }

/** Settings of the connection that hears the other nodes. */
export interface ListenOptions {
  /**
   * How often the connection is asked whether it still lives, and how long it may take to say so; 500 ms by default. So
   * a peer that vanished without a word is known to be gone after twice that.
   */
  readonly heartbeatMs?: number
}

/** How the nodes tell one another what has changed of accounts and keys. */
export class AccessChannel extends Context.Service<AccessChannel, {
  /** As `KeyStore.changes`. */
  readonly changes: Stream.Stream<AccessChange>
  /** Tells this node's own subscribers at once. The other nodes hear of it from the database. */
  readonly publish: (account: number) => Effect.Effect<void>
  readonly hears: Effect.Effect<boolean>
}>()("@tapeline/postgres/access/AccessChannel") {
  /**
   * On PostgreSQL, one connection of its own listens; it is opened again whenever it is lost, and whatever was missed
   * meanwhile is covered by `Everything`. On PGlite there is no other node.
   */
  static readonly layer = (options: ListenOptions = {}): Layer.Layer<AccessChannel, never, PgClient.PgClient> =>
    Layer.effect(
      AccessChannel,
      Effect.gen(function*() {
        const client = yield* PgClient.PgClient
        const pubsub = yield* PubSub.unbounded<AccessChange>()
        const alone = client.driver === "pglite"
        const heartbeatMs = options.heartbeatMs ?? 500
        /** When the connection last showed that it lives; null while there is none. By a clock that nobody sets. */
        let lived: number | null = null
        if (!alone) {
          yield* Effect.forkScoped(keepListening(client.config, heartbeatMs, {
            heard: (change) => PubSub.publish(pubsub, change),
            lives: (alive) => {
              lived = alive ? performance.now() : null
            }
          }))
        }
        return AccessChannel.of({
          changes: Stream.unwrap(
            Effect.map(
              PubSub.subscribe(pubsub),
              (subscription) => Stream.concat(Stream.succeed(everything), Stream.fromSubscription(subscription))
            )
          ),
          publish: (account) => PubSub.publish(pubsub, { _tag: "Account", account }),
          hears: Effect.sync(() => alone || (lived !== null && performance.now() - lived <= 2 * heartbeatMs))
        })
      })
    )
}

const keepListening = (
  config: PgClient.PgClientConfig,
  heartbeatMs: number,
  on: { readonly heard: (change: AccessChange) => Effect.Effect<unknown>; readonly lives: (alive: boolean) => void }
) => {
  const listen = (line: Scope.Scope) =>
    Effect.gen(function*() {
      const connection = yield* Effect.flatMap(
        Scope.provide(PgConnection.make({ ...config, multiplex: false }), line),
        (connection) => connection.pin
      )
      const notices = yield* connection.listen(channel)
      yield* Effect.addFinalizer(() => Effect.sync(() => on.lives(false)))
      // Before `Everything`, so that whoever is woken by it may trust what it then reads.
      on.lives(true)
      yield* on.heard(everything)
      const hear = Effect.forever(Effect.flatMap(Queue.take(notices), ({ payload }) => {
        const account = Number(payload)
        return on.heard(Number.isSafeInteger(account) ? { _tag: "Account", account } : everything)
      }))
      // A peer that vanished without a word is noticed only by asking. The question is left to itself, for to take it
      // back would be one more question.
      const heartbeat = Effect.forever(
        Effect.sleep(heartbeatMs).pipe(
          Effect.andThen(Effect.forkDetach(connection.query("select 1"))),
          Effect.flatMap((asked) => Effect.timeout(Fiber.join(asked), heartbeatMs)),
          Effect.andThen(Effect.sync(() => on.lives(true)))
        )
      )
      return yield* Effect.raceFirst(hear, heartbeat)
    })
  // The line is cut before the listening on it is ended, which would wait for a peer that may be silent.
  const listenOnce = Effect.flatMap(
    Scope.make(),
    (line) =>
      Effect.scoped(Effect.acquireUseRelease(Effect.succeed(line), listen, (line, exit) => Scope.close(line, exit)))
  )
  return listenOnce.pipe(
    Effect.sandbox,
    Effect.tapError((cause) => Effect.logDebug("The connection that hears changes was lost", cause)),
    Effect.retry(Schedule.spaced("250 millis"))
  )
}
