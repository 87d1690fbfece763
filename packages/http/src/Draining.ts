import { Context, Deferred, Effect, Layer } from "effect"

/** Whether the process has begun to stop. A stopping process finishes running requests and rejects new requests. */
export class Draining extends Context.Service<Draining, {
  /** Begins the stop of the process. A stop cannot be cancelled. */
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Waits until the process begins to stop. Endless streams use `awaitBegin` to end. */
  readonly awaitBegin: Effect.Effect<void>
}>()("@tapeline/http/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.effect(
    Draining,
    Effect.map(Deferred.make<void>(), (started) => ({
      begin: Effect.asVoid(Deferred.succeed(started, undefined)),
      isDraining: Deferred.isDone(started),
      awaitBegin: Deferred.await(started)
    }))
  )
}
