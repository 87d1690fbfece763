import { Context, Deferred, Effect, Layer } from "effect"

/** Reports whether the process is stopping: a stopping process finishes running requests and rejects new requests. */
export class Draining extends Context.Service<Draining, {
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Waits until the process begins to stop. Endless streams end when the process begins to stop. */
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
