import type { AccessChange } from "@tapeline/core/engine"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { type Gap, type Notice, PgListener } from "../PgListener.ts"

const channel = "tapeline_access"
const everything: AccessChange = { _tag: "Everything" }

const toAccessChange = (notice: Notice | Gap): AccessChange => {
  const account = notice._tag === "Gap" ? Number.NaN : Number(notice.payload)
  return Number.isSafeInteger(account) ? { _tag: "Account", account } : everything
}

/** Notifies the nodes of changed accounts and API keys. */
export class AccessChannel extends Context.Service<AccessChannel, {
  readonly changes: Stream.Stream<AccessChange>
  /** Publishes an account change to the subscribers of the current process; the database notifies the other nodes. */
  readonly publish: (account: number) => Effect.Effect<void>
  readonly isReceiving: Effect.Effect<boolean>
}>()("@tapeline/postgres/access/AccessChannel") {
  /** Publishes `Everything` to subscribers after a gap in the notices, because notices may be lost. */
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
