import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import { testEndedActors } from "../tasks/endedActorTests.ts"
import { testFirings } from "../tasks/firingTests.ts"
import type { Advance, TaskStores } from "../tasks/fixtures.ts"
import { testNotifications } from "../tasks/notificationTests.ts"
import { testStoppedTasks } from "../tasks/stoppedTaskTests.ts"
import { testTaskChanges } from "../tasks/taskChangeTests.ts"

/**
 * Defines the contract tests of `TaskStore` and of `NotificationStore`, which share their tables. `advance` moves the
 * clock of the stores forward.
 */
export const taskStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<R | TaskStores, E>,
  advance: Advance<R>,
  { excludeTestServices = false }: { readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, { excludeTestServices, timeout: 120_000 })(`TaskStore and NotificationStore: ${name}`, (it) => {
    testTaskChanges(it, advance)
    testEndedActors(it)
    testFirings(it, advance)
    testNotifications(it, advance)
    testStoppedTasks(it)
  })
