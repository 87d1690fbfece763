import { PgClient, PgConnection } from "@effect/sql-pg"
import type { AccessChange } from "@tapeline/core/access/KeyStore"
import { Context, Effect, Layer, PubSub, Queue, Schedule, Stream } from "effect"

const channel = "tapeline_access"
const everything: AccessChange = { _tag: "Everything" }

/** Settings of the connection that hears the other nodes. */
export interface ListenOptions {
  /** How often the connection is asked whether it still lives, and how long it may take to say so. */
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
        const alone = client.config.stream !== undefined
        let hears = alone
        if (!alone) {
          yield* Effect.forkScoped(keepListening(client.config, options.heartbeatMs ?? 1_000, {
            heard: (change) => PubSub.publish(pubsub, change),
            state: (up) => {
              hears = up
            }
          }))
        }
        return AccessChannel.of({
          changes: Stream.unwrap(
            Effect.map(PubSub.subscribe(pubsub), (subscription) =>
              Stream.concat(Stream.succeed(everything), Stream.fromSubscription(subscription)))
          ),
          publish: (account) => PubSub.publish(pubsub, { _tag: "Account", account }),
          hears: Effect.sync(() => hears)
        })
      })
    )
}

const keepListening = (
  config: PgClient.PgClientConfig,
  heartbeatMs: number,
  on: { readonly heard: (change: AccessChange) => Effect.Effect<unknown>; readonly state: (up: boolean) => void }
) => {
  const listenOnce = Effect.scoped(Effect.gen(function*() {
    const connection = yield* Effect.flatMap(
      PgConnection.make({ ...config, multiplex: false }),
      (connection) => connection.pin
    )
    const notices = yield* connection.listen(channel)
    yield* Effect.addFinalizer(() => Effect.sync(() => on.state(false)))
    // True before `Everything`, so that whoever is woken by it may trust what it then reads.
    on.state(true)
    yield* on.heard(everything)
    const hear = Effect.forever(Effect.flatMap(Queue.take(notices), ({ payload }) => {
      const account = Number(payload)
      return on.heard(Number.isSafeInteger(account) ? { _tag: "Account", account } : everything)
    }))
    // A peer that vanished without a word is noticed only by asking.
    const heartbeat = Effect.forever(
      Effect.andThen(Effect.sleep(heartbeatMs), Effect.timeout(connection.query("select 1"), heartbeatMs))
    )
    return yield* Effect.raceFirst(hear, heartbeat)
  }))
  return listenOnce.pipe(
    Effect.sandbox,
    Effect.tapError((cause) => Effect.logDebug("The connection that hears changes was lost", cause)),
    Effect.retry(Schedule.spaced("250 millis"))
  )
}
