import { assert, it } from "@effect/vitest"
import { Compute, type Job } from "@tapeline/core/engine"
import { Effect, Exit, Layer, Schema } from "effect"
import { layerMarket, simulatedMarket } from "../src/layers.ts"

/** A job that no worker thread knows. The job succeeds only if it runs in the thread of its caller. */
const unlisted: Job<number, number> = { name: "unlisted", input: Schema.Finite, output: Schema.Finite, run: (x) => x }

it.live("fails a job that no worker thread knows, instead of running it in the thread that serves requests", () =>
  Effect.gen(function*() {
    const compute = yield* Compute
    const exit = yield* Effect.exit(compute.run(unlisted, 1))
    assert.isTrue(Exit.isFailure(exit), "the job ran in the thread of its caller")
  }).pipe(Effect.provide(layerMarket({ computeThreads: 1 }, simulatedMarket(7), Layer.empty))))
