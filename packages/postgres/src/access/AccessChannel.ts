import type { AccessChange } from "@tapeline/core/engine"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { type Gap, type Notice, PgListener } from "../PgListener.ts"

const channel = "tapeline_access"
const everything: AccessChange = { _tag: "Everything" }

const changeOf = (told: Notice | Gap): AccessChange => {
  const account = told._tag === "Gap" ? Number.NaN : Number(told.payload)
  return Number.isSafeInteger(account) ? { _tag: "Account", account } : everything
}

/** How the nodes tell one another what has changed of accounts and keys. */
export class AccessChannel extends Context.Service<AccessChannel, {
  /** As `KeyStore.changes`. */
  readonly changes: Stream.Stream<AccessChange>
  /** Tells this node's own subscribers at once. The other nodes hear of it from the database. */
  readonly publish: (account: number) => Effect.Effect<void>
  readonly hears: Effect.Effect<boolean>
}>()("@tapeline/postgres/access/AccessChannel") {
  /** Whatever was missed while nothing was heard is covered by `Everything`. */
  static readonly layer: Layer.Layer<AccessChannel, never, PgListener> = Layer.effect(
    AccessChannel,
    Effect.gen(function*() {
      const listener = yield* PgListener
      const pubsub = yield* PubSub.unbounded<AccessChange>()
      yield* listener.listen(channel).pipe(
        Stream.runForEach((told) => PubSub.publish(pubsub, changeOf(told))),
        Effect.forkScoped
      )
      return AccessChannel.of({
        changes: Stream.unwrap(
          Effect.map(
            PubSub.subscribe(pubsub),
            (subscription) => Stream.concat(Stream.succeed(everything), Stream.fromSubscription(subscription))
          )
        ),
        publish: (account) => PubSub.publish(pubsub, { _tag: "Account", account }),
        hears: listener.hears
      })
    })
  )
}
