import type { AccessChange } from "@tapeline/core/engine"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { type Gap, type Notice, PgListener } from "../PgListener.ts"

const channel = "tapeline_access"
const everything: AccessChange = { _tag: "Everything" }

const toAccessChange = (notice: Notice | Gap): AccessChange => {
  const account = notice._tag === "Gap" ? Number.NaN : Number(notice.payload)
  return Number.isSafeInteger(account) ? { _tag: "Account", account } : everything
}

/** Informs the nodes of changes of accounts and keys. */
export class AccessChannel extends Context.Service<AccessChannel, {
  /** The changes of accounts and keys; see `KeyStore.changes`. */
  readonly changes: Stream.Stream<AccessChange>
  /**
   * Publishes the change of an account to the subscribers in the same process. The database notifies the other nodes.
   */
  readonly publish: (account: number) => Effect.Effect<void>
  readonly isReceiving: Effect.Effect<boolean>
}>()("@tapeline/postgres/access/AccessChannel") {
  /** After a gap, subscribers receive `Everything`, because notices may have been missed. */
  static readonly layer: Layer.Layer<AccessChannel, never, PgListener> = Layer.effect(
    AccessChannel,
    Effect.gen(function*() {
      const listener = yield* PgListener
      const pubsub = yield* PubSub.unbounded<AccessChange>()
      yield* listener.listen(channel).pipe(
        Stream.runForEach((notice) => PubSub.publish(pubsub, toAccessChange(notice))),
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
        isReceiving: listener.isReceiving
      })
    })
  )
}
