import { Context, Deferred, Effect, Layer } from "effect"

/**
 * Reports whether the process is stopping. First the process is no longer ready, but still answers all requests, so
 * that proxies have time to choose other processes. Then it finishes running requests and rejects new requests.
 */
export class Draining extends Context.Service<Draining, {
  /** Makes the process unready. Each response then closes its connection, so that proxies do not reuse it. */
  readonly withdraw: Effect.Effect<void>
  /** Returns true after `withdraw` or `begin`. */
  readonly isWithdrawn: Effect.Effect<boolean>
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Waits until the process begins to stop. Endless streams end when the process begins to stop. */
  readonly awaitBegin: Effect.Effect<void>
}>()("@tapeline/http/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.effect(
    Draining,
    Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([withdrawn, started]) => {
      const withdraw = Effect.asVoid(Deferred.succeed(withdrawn, undefined))
      return {
        withdraw,
        isWithdrawn: Deferred.isDone(withdrawn),
        begin: Effect.andThen(withdraw, Effect.asVoid(Deferred.succeed(started, undefined))),
        isDraining: Deferred.isDone(started),
        awaitBegin: Deferred.await(started)
      }
    })
  )
}
