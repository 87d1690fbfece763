import { Effect } from "effect"

/**
 * Creates the records to which a tool's example call refers. Returns the example call with the ids of the created
 * records. A tool's specification cannot contain record ids, because stores choose the ids.
 */
export const createExampleRecords = Effect.fnUntraced(function*<E, R>(
  name: string,
  example: object,
  callTool: (name: string, args: object) => Effect.Effect<unknown, E, R>
) {
  const position = { coin: "BTC", side: "long", size_usd: 1_000, entry: 100_000, stop: 90_000, leverage: 3 }
  if (name === "get_risk_sizing") yield* callTool("set_risk_profile", { account_usd: 10_000 })
  if (name === "update_task" || name === "delete_task") {
    const spec = { metric: "price", symbol: "BTC", op: "gt", value: 1_000_000 }
    const createdTask = yield* callTool("create_task", { title: "BTC above a million", kind: "watch", spec })
    return { ...example, ...(hasTask(createdTask) ? { id: createdTask.task.id } : {}) }
  }
  if (!["update_position", "close_position", "delete_position"].includes(name)) return example
  const createdPosition = yield* callTool("set_position", position)
  return { ...example, ...(hasPosition(createdPosition) ? { id: createdPosition.position.id } : {}) }
})

const hasTask = (result: unknown): result is { readonly task: { readonly id: number } } =>
  typeof result === "object" && result !== null && "task" in result

const hasPosition = (result: unknown): result is { readonly position: { readonly id: number } } =>
  typeof result === "object" && result !== null && "position" in result
