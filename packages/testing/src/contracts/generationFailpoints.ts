import { assert, layer as withLayer } from "@effect/vitest"
import {
  ConversationStore,
  type GenerationFailpoint,
  GenerationFailpoints,
  generationFailpoints,
  GenerationLog,
  GenerationStore,
  type GenerationWrite
} from "@tapeline/core/agent"
import { StoreUnavailable } from "@tapeline/core/store"
import { Context, Effect, Layer } from "effect"
import {
  type AgentStores,
  answered,
  ask,
  begin,
  booksOf,
  delta,
  endOf,
  existing,
  fenceOf,
  newAccount,
  price,
  reserved,
  stepOf,
  taken,
  wholeLog
} from "../agent/fixtures.ts"

class Armed extends Context.Service<Armed, { point: GenerationFailpoint | null }>()(
  "@tapeline/testing/contracts/generationFailpoints/Armed"
) {
  static readonly layer = Layer.sync(Armed, () => ({ point: null }))
  static readonly hook: Layer.Layer<never, never, Armed> = Layer.effect(
    GenerationFailpoints,
    Effect.map(Armed, (armed) => (point: GenerationFailpoint) =>
      point === armed.point
        ? Effect.fail(new StoreUnavailable({ store: "GenerationStore", cause: new Error(`died at ${point}`) }))
        : Effect.void)
  )
}

const everything = { limit: 100, cursor: null }

/** All that an account's answers have left anywhere. */
const heldOf = (account: number, ids: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
    const { items } = yield* conversations.list(account, everything)
    return {
      items,
      said: yield* Effect.forEach(items, ({ id }) => conversations.messages(account, id, everything)),
      rows: yield* Effect.forEach(ids, (id) => generations.find(id)),
      logs: yield* Effect.forEach(ids, (id) => wholeLog(log, id)),
      steps: yield* Effect.forEach(ids, (id) => generations.steps(id)),
      books: yield* booksOf(account)
    }
  })

/**
 * What must hold when the connection dies just before, within or just after a durable write of a generation: before and
 * within it nothing has changed, after it the change stands whole; and whoever asks again finds what was done.
 */
export const generationFailpointContract = <E>(
  name: string,
  make: (failpoints: Layer.Layer<never, never, Armed>) => Layer.Layer<AgentStores, E, Armed>
): void =>
  withLayer(make(Armed.hook).pipe(Layer.provideMerge(Armed.layer)), { excludeTestServices: true, timeout: 60_000 })(
    `failpoints of generations: ${name}`,
    (it) => {
      for (const point of generationFailpoints) {
        it.effect(point, () =>
          Effect.gen(function*() {
            const [generations, armed, account] = [yield* GenerationStore, yield* Armed, yield* newAccount]
            const idle = yield* answered(account)
            const open = yield* answered(account, {}, { open: true })
            const fresh = yield* begin(account)
            const runs = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
            const fence = { ...fenceOf(runs), nextN: runs.nextN }
            const place = existing(idle.conversation)
            const reservation = yield* reserved(account)
            const sweep = { closeAfterMs: -1_000, keepLogsMs: 86_400_000, keepRowsMs: 86_400_000, limit: 1_000 }
            const writes: Record<GenerationWrite, Effect.Effect<unknown, unknown, AgentStores>> = {
              start: ask(account, { place, reservation }),
              take: generations.take(fresh.id, 0),
              append: generations.append(fence, [delta("a")]),
              store: generations.store(fence, [stepOf("step:1")], [delta("a")]),
              renew: generations.renew(fence),
              end: generations.end(fence, endOf(runs.conversation)),
              endAnyway: generations.endAnyway(runs.id, () => endOf(runs.conversation)),
              close: generations.close(open.id, ["and?"]),
              sweep: generations.sweep(sweep)
            }
            // A failpoint is named so.
            const [side, write] = point.split(":") as ["before" | "within" | "after", GenerationWrite]
            const held = heldOf(account, [idle.id, open.id, fresh.id, runs.id])
            const before = yield* held
            armed.point = point
            assert.instanceOf(yield* Effect.flip(writes[write]), StoreUnavailable)
            armed.point = null
            const after = yield* held
            if (side !== "after") assert.deepStrictEqual(after, before)
            else if (write !== "renew") assert.notDeepEqual(after, before)

            // What was made before its answer was lost is not made again.
            yield* writes[write]
            const again = yield* held
            assert.isAtMost(again.logs[3]!.events.length, before.logs[3]!.events.length + 1)
            if (side === "after" && write !== "take" && write !== "renew") assert.deepStrictEqual(again, after)
            yield* generations.endAnyway(runs.id, () => endOf(runs.conversation))
            assert.strictEqual((yield* booksOf(account)).used, 3 * price)
          }))
      }
    }
  )
