import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import { changingTasks } from "../tasks/changingTasks.ts"
import { endedActors } from "../tasks/endedActors.ts"
import { firingTasks } from "../tasks/firingTasks.ts"
import type { Advance, TaskStores } from "../tasks/fixtures.ts"
import { ringing } from "../tasks/ringing.ts"
import { stoppedTasks } from "../tasks/stoppedTasks.ts"

/**
 * The contract tests of `TaskStore`, and of the `NotificationStore` that shares its tables. `advance` moves the store's
 * own time forward, or its content back, which has the same effect.
 */
export const taskStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<R | TaskStores, E>,
  advance: Advance<R>,
  { excludeTestServices = false }: { readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, { excludeTestServices, timeout: 120_000 })(`TaskStore and NotificationStore: ${name}`, (it) => {
    changingTasks(it, advance)
    endedActors(it)
    firingTasks(it, advance)
    ringing(it, advance)
    stoppedTasks(it)
  })
