/**
 * Calls a journal tool, and kills its own process after the tool has written and before the call is settled. Arguments:
 * the URL of the database, the principal as JSON, and the id of the position to close by half.
 */
import { Failpoints, layerEngine, pickTools, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { layerPostgres, PgStores } from "@tapeline/postgres"
import { Effect, Layer } from "effect"

const [url = "", principal = "", position] = process.argv.slice(2)

const failpoints = Layer.succeed(
  Failpoints,
  (point) => point === "before:end" ? Effect.sync(() => process.kill(process.pid, "SIGKILL")) : Effect.void
)
const engine = layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["close_position"])) }).pipe(
  Layer.provideMerge(PgStores),
  Layer.provide(failpoints),
  Layer.provide(layerPostgres({ url }))
)

await Effect.runPromise(Effect.provide(
  Effect.flatMap(ToolCaller, (caller) =>
    caller.call({
      principal: JSON.parse(principal),
      name: "close_position",
      arguments: { id: Number(position), exit: 110, fraction: 0.5 },
      idempotencyKey: "k"
    })),
  engine
))
