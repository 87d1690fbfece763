import { Context, Deferred, Effect, Layer } from "effect"

/** Whether this process has begun to stop: it finishes what runs and refuses what comes. */
export class Draining extends Context.Service<Draining, {
  /** Begins it. Once begun it stays so. */
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Returns when it begins, at once if it has: what streams without end ends itself by this. */
  readonly begun: Effect.Effect<void>
}>()("@tapeline/http/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.effect(
    Draining,
    Effect.map(Deferred.make<void>(), (begun) => ({
      begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
      isDraining: Deferred.isDone(begun),
      begun: Deferred.await(begun)
    }))
  )
}
