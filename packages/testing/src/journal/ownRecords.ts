import { Effect } from "effect"

/**
 * Creates the records that a tool's example needs, and returns the example with their ids. Stores choose ids, so a
 * specification cannot contain them. `call` calls a tool and returns its result.
 */
export const withOwnRecords = Effect.fnUntraced(function*<E, R>(
  name: string,
  example: object,
  call: (name: string, args: object) => Effect.Effect<unknown, E, R>
) {
  const position = { coin: "BTC", side: "long", size_usd: 1_000, entry: 100_000, stop: 90_000, leverage: 3 }
  if (name === "get_risk_sizing") yield* call("set_risk_profile", { account_usd: 10_000 })
  if (name === "update_task" || name === "delete_task") {
    const spec = { metric: "price", symbol: "BTC", op: "gt", value: 1_000_000 }
    const made = yield* call("create_task", { title: "BTC above a million", kind: "watch", spec })
    return { ...example, ...(hasTask(made) ? { id: made.task.id } : {}) }
  }
  if (!["update_position", "close_position", "delete_position"].includes(name)) return example
  const recorded = yield* call("set_position", position)
  return { ...example, ...(hasPosition(recorded) ? { id: recorded.position.id } : {}) }
})

const hasTask = (result: unknown): result is { readonly task: { readonly id: number } } =>
  typeof result === "object" && result !== null && "task" in result

const hasPosition = (result: unknown): result is { readonly position: { readonly id: number } } =>
  typeof result === "object" && result !== null && "position" in result
