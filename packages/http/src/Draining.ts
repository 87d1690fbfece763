import { Context, Deferred, Effect, Layer } from "effect"

/** Whether this process has begun to stop. It then finishes running requests and rejects new ones. */
export class Draining extends Context.Service<Draining, {
  /** Begins the stop. A stop cannot be cancelled. */
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Returns when the stop begins, or at once if it has begun. Endless streams use this effect to end. */
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
